"""Attacks on whatever reads text: claims, compositions, data, scores, records. One line, soon."""

from __future__ import annotations

import io
import json
import zipfile
from functools import partial
from pathlib import Path

from tests.attack.attack import Attack, Outcome
from tests.attack.command import dpverify

AUDIT = ("audit", "m:noisy", "--trials", "1000")
PAIR = ("--d0", "[1,1]", "--d1", "[1]")
CLAIM = ("--claim", "PureDP(epsilon=1)")
SECONDS = 15.0
"""Start-up on a busy machine; what was attacked took from 8 s to minutes."""


def refused(folder: Path, *, words: tuple[str, ...], files: dict[str, bytes]) -> Outcome:
    """The command over these files: one short line, exit status 2."""
    (folder / "m.py").write_text("def noisy(data, size, rng):\n    return sum(data) + rng.laplace(size=size)\n")
    for name, content in files.items():
        (folder / name).write_bytes(content)
    ran = dpverify(*words, folder=folder, seconds=SECONDS)
    one = len(ran.err.splitlines()) == 1 and len(ran.err) < 2000 and "internal error" not in ran.err
    return Outcome(happened=ran.told, held=ran.status == 2 and one and ran.clean)


def _npy(header: str) -> bytes:
    text = header.encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def _bomb() -> bytes:
    """Ten gigabytes of an array in ten megabytes: by its directory only, which is looked at first."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("in.npy", b"\0" * 1000)
        archive.writestr("out.npy", b"\0" * 1000)
        for entry in archive.filelist:
            entry.file_size = 10**10
    return stream.getvalue()


def _attack(name: str, *words: str, files: dict[str, bytes] | None = None, quick: bool = True) -> Attack:
    run = partial(refused, words=words, files=files or {})
    return Attack(name=name, wanted="one short line, exit status 2, within seconds", run=run, quick=quick)


_NESTED: object = {"step": "gaussian", "sigma": 1}
for _ in range(400):
    _NESTED = {"name": "poisson-gaussian", "step": _NESTED}
_HUGE = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"

ATTACKS = [
    _attack("a claim with a number of 19,000 digits", *AUDIT, *PAIR, "--claim", f"PureDP(epsilon={'9' * 19_000}x)"),
    _attack("a claim of 100,000 characters", *AUDIT, *PAIR, "--claim", "PureDP(" + " " * 99_999, quick=False),
    _attack(
        "a claim with 4,000 logarithms inside one another",
        *AUDIT,
        *PAIR,
        "--claim",
        "PureDP(epsilon=" + "log(" * 4000,
        quick=False,
    ),
    _attack(
        "SubsampledGaussian at the least double",
        *AUDIT,
        *PAIR,
        "--claim",
        "SubsampledGaussian(rate=1, sigma=1, steps=1, at_delta=5e-324)",
    ),
    _attack("a composition with a number of 3,000 digits", "account", f"gaussian(sigma={'9' * 3000}x)"),
    _attack("a composition of 19,000 blanks", "account", " " * 19_000, quick=False),
    _attack(
        "400 steps inside one another", "account", "c.json", files={"c.json": json.dumps({"steps": [_NESTED]}).encode()}
    ),
    _attack("a TOML key of 50,000 parts", "account", "c.toml", files={"c.toml": b"a." * 50_000 + b"a=1"}),
    _attack("TOML arrays 50,000 deep", "account", "c.toml", files={"c.toml": b"a=" + b"[" * 50_000}, quick=False),
    _attack("a composition of 2 MB", "account", "c.toml", files={"c.toml": b"#" * 2_000_000}, quick=False),
    _attack(
        "JSON 100,000 deep as data", *AUDIT, *CLAIM, "--d0", "d.json", "--d1", "[1]", files={"d.json": b"[" * 100_000}
    ),
    _attack("JSON 1,000 deep, whole, as data", *AUDIT, *CLAIM, "--d0", "[" * 1000 + "]" * 1000, "--d1", "[1]"),
    _attack("an integer of 5,000 digits as data", *AUDIT, *CLAIM, "--d0", "[" + "9" * 5000 + "]", "--d1", "[1]"),
    _attack(
        "an array of 8 TB by its header", *AUDIT, *CLAIM, "--d0", "d.npy", "--d1", "[1]", files={"d.npy": _npy(_HUGE)}
    ),
    _attack(
        "an array of objects (pickle)",
        *AUDIT,
        *CLAIM,
        "--d0",
        "d.npy",
        "--d1",
        "[1]",
        files={"d.npy": _npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }") + b"cos\nsystem\n(S'id'\ntR."},
        quick=False,
    ),
    _attack("scores that unpack to 20 GB", "scores", "s.npz", *CLAIM, files={"s.npz": _bomb()}),
    _attack(
        "scores in 100,000 columns",
        "scores",
        "s.csv",
        *CLAIM,
        files={"s.csv": ",".join(f"c{i}" for i in range(100_000)).encode() + b"\n1" * 100_000},
    ),
    _attack("a record 100,000 deep", "recheck", "r.json", files={"r.json": b'{"a":' * 100_000}, quick=False),
]
