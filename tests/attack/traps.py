"""A folder as a stranger sends it: whatever dpverify reads there names code that leaves a mark when it is run."""

from __future__ import annotations

import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

from dpverify.core.json_text import dump
from dpverify.proofs.certificate import FORMAT
from dpverify.runner.store.store import NAME, Store
from tests.dossier.made import REFUTED, record

MARK = "was-run"
NAMES = ("os:system", "subprocess:call", "builtins:exec", "intruder:called")
TOUCH = f"touch {MARK}"
"""A data set that is a shell command."""

INTRUDER = f"""
from pathlib import Path

Path({MARK!r}).touch()

def called(data, rng):
    return 0.0

def register(registry):
    pass
"""


class Trap:
    """Runs a command of the shell when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        import os

        return os.system, (TOUCH,)


def named(name: str, **more: Any) -> dict[str, Any]:
    """A record of a refuted claim that names this code wherever a name may stand."""
    data = f"open({MARK!r}, 'w')" if name == "builtins:exec" else TOUCH
    witness = {"d0": data, "d1": [data], "pair": name, "event": name, "parameters": {"shell": True}}
    again = f"dpverify audit {name} --claim 'PureDP(epsilon=1)' --d0 '{json.dumps(data)}' --d1 '[]'"
    made = record(**REFUTED, part={"witness": witness}, subject=name, reproduce=again, **more)
    return made | {"id": name, "source": name, "statement": name, "witness": witness, "parameters": {"call": name}}


def saved(name: str) -> dict[str, Any]:
    """A saved failure of a mechanism of this name."""
    data = f"open({MARK!r}, 'w')" if name == "builtins:exec" else TOUCH
    words = {"claim": name, "auditor": "gate", "d0": data, "d1": [data], "parameters": {}, "claimed": "", "event": ""}
    return {"schema": 2, **words, "seed": 0, "guarantee": "PureDP(epsilon=1)", "relation": "replace", "mechanism": name}


def laid(folder: Path) -> None:
    """Records, a store, saved failures, evidence, journals, declarations and data of the stranger."""
    (folder / "intruder").mkdir()
    (folder / "intruder/__init__.py").write_text(INTRUDER)
    about = folder / "stranger-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[dpverify.plugins]\nstranger = intruder:register\n")
    for name in ("pandas", "polars", "pyarrow", "dask", "torch", "opendp"):  # extras that may not be installed
        (folder / f"{name}.py").write_text(INTRUDER)
    records = [named(name) for name in NAMES]
    for name in ("results", "other"):
        (folder / name).mkdir()
        (folder / name / "results.json").write_text(dump(records))
    (folder / "stored").mkdir()
    with Store(folder / "stored" / NAME, make=True) as store:
        run = store.begin("intruder:register", {"suite": "intruder", "call": list(NAMES)}, {"intruder": "1"})
        for item in records:
            store.put_record(run, item)
        store.end(run, "done")
    for place in (folder / "saved", folder / ".dpverify/regressions"):
        place.mkdir(parents=True)
        for number, name in enumerate((*NAMES, f"command: {TOUCH}")):
            (place / f"{number}.json").write_text(json.dumps(saved(name)))
    identity = {"claim": "PureDP(epsilon=1)", "relation": "replace", "mechanism": "os:system", "pair": "", "method": ""}
    evidence = {"format": "dpverify sequential evidence, version 1", "identity": identity, "chain": {}, "sessions": []}
    (folder / "evidence.json").write_text(json.dumps(evidence))
    for name in ("frontier.units.jsonl", "dp_accounting.jsonl"):
        lines = [json.dumps({"key": "intruder:called", "record": records[0]}), json.dumps(["intruder:called", TOUCH])]
        (folder / name).write_text("\n".join(lines) + "\n")
    (folder / "declared.toml").write_text('controls = ["intruder:called"]\n[answers]\naccess = "intruder:called"\n')
    (folder / "composition.json").write_text(json.dumps({"step": "intruder:called", "sigma": 1}))
    with zipfile.ZipFile(folder / "pickled.npz", "w") as archive:
        archive.writestr("in.npy", _pickled())
        archive.writestr("out.npy", _pickled())
    (folder / "pickled.npy").write_bytes(_pickled())
    (folder / "pickled.json").write_bytes(pickle.dumps(Trap()))
    words = {"upper": 1.0, "relation": "add-remove", "domain": {"fields": {}, "layout": [], "form": "intruder:called"}}
    code = {"files": [{"module": name, "sha256": TOUCH} for name in ("intruder", *NAMES)]}
    proof = {"format": FORMAT, "claim": {"kind": "os:system", "parameters": {}}, "code": code, "paths": [], **words}
    (folder / "proof.json").write_text(json.dumps(proof))
    (folder / "own.py").write_text("def noisy(data, size, rng):\n    return len(data) + rng.laplace(size=size)\n")
    (folder / "trains.py").write_text(
        "import numpy as np\n\n"
        "def train(features, labels, epsilon, rng):\n    return rng.normal(size=features.shape[1])\n"
    )


def _pickled() -> bytes:
    header = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + pickle.dumps([Trap()])


PAIR = ("--claim", "PureDP(epsilon=1)", "--d0", "[1,1]", "--d1", "[1]", "--trials", "500")
EXAMPLE = ("--claim", "PureDP(epsilon=1)", "--data", "[1, 2, 3]", "--trials", "500")
LAPLACE = ("run", "core", "--only", "laplace", "--trials", "2000", "--jobs", "1")
FRONTIER = ("trains:train", "--epsilons", "1", "--against", "", "--splits", "2", "--audit-trials", "20", "--jobs", "1")

READ: dict[str, list[tuple[str, ...]]] = {
    "run suite": [("run", "results/results.json"), ("run", "intruder"), ("run", "core", "--only", "os:system")],
    "run regressions": [
        ("run", "core", "--only", "laplace", "--trials", "2000", "--regressions", "saved", "--jobs", "1")
    ],
    "run out": [(*LAPLACE, "--out", "stored", "--resume"), (*LAPLACE, "--out", "results")],
    "audit data": [("audit", "own:noisy", *EXAMPLE[:2], "--data", name) for name in ("pickled.npy", "pickled.json")],
    "audit d0": [("audit", "own:noisy", *EXAMPLE[:2], "--d0", "pickled.npy", "--d1", "[1]")],
    "audit d1": [("audit", "own:noisy", *EXAMPLE[:2], "--d0", "[1]", "--d1", "pickled.npy")],
    "audit samples_d0": [("audit", *EXAMPLE[:2], "--samples-d0", "pickled.npy", "--samples-d1", "pickled.npy")],
    "audit samples_d1": [("audit", *EXAMPLE[:2], "--samples-d0", "pickled.json", "--samples-d1", "pickled.json")],
    "audit evidence": [("audit", "own:noisy", *PAIR, "--sequential", "--evidence", "evidence.json")],
    "audit regressions": [("audit", "own:noisy", *EXAMPLE, "--regressions", "saved"), ("audit", "own:noisy", *EXAMPLE)],
    "account from_file": [("account", "--from", name) for name in ("pickled.json", "results/results.json", "own.py")],
    "audit-library out": [("audit-library", "dp_accounting", "--only", "none", "--out", ".", "--resume")],
    "scores file": [("scores", name, *EXAMPLE[:2]) for name in ("pickled.npz", "pickled.npy", "pickled.json")],
    "scores scores_in": [("scores", *EXAMPLE[:2], "--scores-in", "pickled.npy", "--scores-out", "pickled.npy")],
    "scores scores_out": [
        ("scores", *EXAMPLE[:2], "--scores-in", "results/results.json", "--scores-out", "pickled.json")
    ],
    "frontier data": [("frontier", *FRONTIER, "--data", "pickled.npy", "--label", "0")],
    "frontier out": [("frontier", *FRONTIER, "--data", "breast-cancer", "--out", ".", "--resume")],
    "ledger out": [("ledger", "--out", "results")],
    "ledger store": [("ledger", "--store", "stored", "--resume")],
    "reproduce out": [("reproduce", "none", "--out", "stored", "--resume")],
    "history folder": [("history", "stored"), ("history", "stored", "--claim", "*")],
    "recheck where": [("recheck", name) for name in ("results", "stored", "results/results.json")],
    "check-proof file": [("check-proof", "proof.json"), ("check-proof", "proof.json", "--code", "own:noisy")],
    "replay where": [("replay",), ("replay", "saved"), ("replay", "results"), ("replay", "stored")],
    "compare before": [("compare", "results", "stored")],
    "compare after": [("compare", "stored", "other", "--json")],
    "report runs": [
        ("report", "results", "--out", "pages", "--format", "html,json,md,junit,sarif"),
        ("report", "stored"),
    ],
    "dossier runs": [("dossier", "results", "stored"), ("dossier", "stored", "--init", "first.toml")],
    "dossier declarations": [("dossier", "results", "--declarations", "declared.toml", "--out", "pages")],
    "dossier subject": [("dossier", "results", "--attest", "a.json", "--subject", "intruder/__init__.py")],
}
"""By command and parameter, for each that is the name of something to be read: what is asked of it."""

WRITTEN = frozenset(
    {
        "audit events",
        "audit proof",
        "dossier attest",
        "dossier init",
        "dossier out",
        "gallery out",
        "ledger render",
        "report out",
    }
    | {"run events"}
)
"""Parameters that name what is written, and no more."""
