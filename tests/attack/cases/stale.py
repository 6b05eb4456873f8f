"""Attacks by code that has changed: kept verdicts and evidence of the code of before must not count for it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from pathlib import Path

from tests.attack.attack import Attack, Outcome
from tests.attack.changes import CHANGES, NOISY, Files
from tests.attack.command import Ran, command, dpverify

QUICK = {
    "run --resume": "a float imported from a module",
    "pytest's stored verdicts": "an environment variable read at import",
    "--evidence": "a float imported from a module",
    "frontier --resume": "an environment variable read at import",
}
"""One kind of change for each way: all ways ask one key, of which `tests/code_key` tries every kind."""
SOUND, BROKEN = "1.0", "0.1"
SUITE = (
    '[[audit]]\nname = "mine"\nmechanism = "mech:noisy"\nclaim = "PureDP(epsilon=1)"\n'
    "data = [0.0, 1.0, 0.3]\ntrials = 2000\n"
)
TEST = (
    "import mech\ndef test_it(dp_audit):\n    dp_audit({}, claim='PureDP(epsilon=1)', data=[0.0, 1.0, 0.3], "
    "bounds=(0, 1), trials=2000)\n"
)


SECONDS = count(1_000_000_000, 2)
"""When files were written: Python takes bytecode of a file of the same length and second for that of the new one."""


def _written(folder: Path, files: Files, scale: str) -> dict[str, str]:
    """Write the files, each a second or more after those before; returns the variables among them."""
    variables = {}
    for name, text in files.items():
        if name.isupper():
            variables[name] = text.format(scale)
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.format(scale))
        os.utime(folder / name, (second := next(SECONDS), second))
    return variables


def _resumed(folder: Path, run: Callable[[Mapping[str, str], bool], Ran], files: Files, change: Files) -> Outcome:
    """Sound code, and a resumed run of broken code: refused, and the store as it was; sound again, it goes on."""
    _written(folder, files, SOUND)
    first = run(_written(folder, change, SOUND), False)
    kept = {path: path.read_bytes() for kind in ("sqlite", "jsonl") for path in folder.glob(f"out/*.{kind}")}
    again = run(_written(folder, change, BROKEN), True)
    same = all(path.read_bytes() == content for path, content in kept.items())
    back = run(_written(folder, change, SOUND), True)
    return Outcome(
        happened=again.told,
        held=first.status == back.status != 2
        and again.status == 2
        and "the code of " in again.err
        and "has changed since" in again.err
        and again.clean,
        lost="nothing" if kept and same else "the store is another one",
    )


def suite_run(folder: Path, *, kind: str) -> Outcome:
    """``run --resume`` of a suite file."""
    files, _, change = CHANGES[kind]

    def run(variables: Mapping[str, str], resume: bool) -> Ran:
        (folder / "dpverify.toml").write_text(SUITE)
        words = ("run", "--out", "out", "--quiet", *(("--resume",) if resume else ()))
        return dpverify(*words, folder=folder, environment=variables)

    return _resumed(folder, run, files, change)


TRAIN = "def train(table, epsilon, delta, rng):\n    return scale() * rng.normal(size=table.columns) / epsilon\n"


def frontier(folder: Path, *, kind: str) -> Outcome:
    """``frontier --resume``."""
    files, _, change = CHANGES[kind]
    files, change = ({name: text.replace(NOISY, TRAIN) for name, text in each.items()} for each in (files, change))

    def run(variables: Mapping[str, str], resume: bool) -> Ran:
        words = ["frontier", "mech:train", "--data", "breast-cancer", "--epsilons", "1", "--splits", "2"]
        words += ["--audit-trials", "20", "--jobs", "1", "--out", "out", "--quiet", *(["--resume"] if resume else [])]
        return dpverify(*words, folder=folder, environment=variables)

    return _resumed(folder, run, files, change)


def _pytest(folder: Path, variables: Mapping[str, str], *more: str) -> Ran:
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "test_mine.py", *more]
    return command(words, folder, 60.0, variables, None)


def guilt(folder: Path, *, kind: str) -> Outcome:
    """A stored refutation of broken code, after the code was repaired; and of the broken code again."""
    files, said, change = CHANGES[kind]
    _written(folder, {**files, "test_mine.py": TEST.replace("{}", said.replace("{", "{{").replace("}", "}}"))}, BROKEN)
    broken = _pytest(folder, _written(folder, change, BROKEN))
    again = _pytest(folder, _written(folder, change, BROKEN))
    mended = _pytest(folder, _written(folder, change, SOUND))
    statuses = broken.status, again.status, mended.status
    return Outcome(
        happened=f"statuses {statuses}, of the mended one: {mended.line}",
        held=statuses == (1, 1, 0) and "as in the earlier run" in again.out and "earlier run" not in mended.out,
        lost="nothing" if mended.status == 0 else "a repair is called refuted",
    )


def evidence(folder: Path, *, kind: str) -> Outcome:
    """``--evidence``: sessions of sound code, and one of broken code on the same file."""
    files, _, change = CHANGES[kind]
    _written(folder, files, SOUND)
    words = ("audit", "mech:noisy", "--claim", "PureDP(epsilon=1)", "--data", "[0.0,1.0,0.3]", "--bounds", "0:1")
    words += ("--sequential", "--trials", "1500", "--evidence", "e.json", "--verbose")
    for seed in range(2):
        variables = _written(folder, change, SOUND)
        dpverify(*words, "--seed", str(seed), folder=folder, environment=variables)
    before = len(json.loads((folder / "e.json").read_text())["sessions"])
    ran = dpverify(*words, "--seed", "2", folder=folder, environment=_written(folder, change, BROKEN))
    after = len(json.loads((folder / "e.json").read_text())["sessions"])
    said = "begins anew" in " ".join(ran.out.split())
    return Outcome(
        happened=f"{ran.told}: {before} sessions, then {after}",
        held=(before, after, ran.status) == (2, 1, 1) and said and ran.clean,
        lost="nothing" if ran.status == 1 else "a refutation",
    )


def worker(folder: Path) -> Outcome:
    """A program whose helper file has changed."""
    text = (
        "import json, random, sys\nfrom helper import S\nfor line in sys.stdin:\n    asked = json.loads(line)\n"
        "    rng = random.Random(asked['seed'])\n    for _ in range(asked['count']):\n"
        "        print(sum(asked['data']) + S * rng.choice((-1, 1)) * rng.expovariate(1))\n    sys.stdout.flush()\n"
    )
    (folder / "worker.py").write_text(text)
    (folder / "dpverify.toml").write_text(
        f'[[audit]]\nname = "mine"\ncommand = "{sys.executable} worker.py"\nclaim = "PureDP(epsilon=1)"\n'
        "data = [0.0, 1.0, 0.3]\ntrials = 500\n"
    )
    words = ("run", "--out", "out", "--quiet")
    (folder / "helper.py").write_text("S = 1.0\n")
    dpverify(*words, folder=folder)
    (folder / "helper.py").write_text("S = 0.1\n")
    ran = dpverify(*words, "--resume", folder=folder)
    return Outcome(happened=ran.told, held=ran.status == 2 and "has changed since run 1" in ran.err and ran.clean)


def untold(folder: Path) -> Outcome:
    """A mechanism that holds an open file: nothing is kept, and it is said."""
    (folder / "mech.py").write_text(
        "def made(held):\n    return lambda data, size, rng: sum(data) + (held is not None) * rng.laplace(size=size)\n"
        "noisy = made(open(__file__))\n"
    )
    (folder / "dpverify.toml").write_text(SUITE)
    words = ("run", "--out", "out", "--quiet")
    dpverify(*words, folder=folder)
    ran = dpverify(*words, "--resume", folder=folder)
    return Outcome(
        happened=ran.told, held=ran.status == 0 and "mine is audited again: nothing tells" in ran.err and ran.clean
    )


def two_at_once(folder: Path) -> Outcome:
    """Two sessions of pytest on one folder of evidence, at the same time."""
    _written(folder, {"mech.py": f"scale = lambda: 1.0\n{NOISY}", "test_mine.py": TEST.replace("{}", "mech.noisy")}, "")
    script = f"{sys.executable} -m pytest -q test_mine.py --dp-evidence ev -p no:cacheprovider"
    ran = command(["sh", "-c", f"{script} & one=$!; {script}; two=$?; wait $one && exit $two"], folder, 120.0, {}, None)
    seeds = [each["seed"] for path in folder.glob("ev/*.json") for each in json.loads(path.read_text())["sessions"]]
    return Outcome(happened=f"{ran.told}; seeds {seeds}", held=ran.status == 0 and seeds == [0, 1] and ran.clean)


def same_draws(folder: Path) -> Outcome:
    """A claim that is true of a mechanism that always returns the same, in three sessions on one folder."""
    (folder / "test_mine.py").write_text(TEST.replace("import mech\n", "").replace("{}", "lambda data, rng: 0.0"))
    ran = [_pytest(folder, {}, "--dp-evidence", "ev") for _ in range(3)]
    return Outcome(happened=ran[-1].told, held=[each.status for each in ran] == [0, 0, 0])


def changed(folder: Path, *, where: str) -> Outcome:
    """A number in kept work was changed by hand."""
    _written(folder, {"mech.py": f"scale = lambda: 1.0\n{NOISY}{TRAIN}"}, "")
    (folder / "test_mine.py").write_text(TEST.replace("{}", "mech.noisy"))

    def made(resume: bool) -> Ran:
        if where == "folder":
            return _pytest(folder, {}, "--dp-evidence", "ev")
        if where == "evidence":
            words = ["audit", "mech:noisy", "--claim", "PureDP(epsilon=1)", "--data", "[0.0,1.0,0.3]", "--sequential"]
            words += ["--trials", "1000", "--evidence", "e.json", "--seed", str(int(resume))]
        else:
            words = ["frontier", "mech:train", "--data", "breast-cancer", "--epsilons", "1", "--splits", "2"]
            words += ["--audit-trials", "20", "--jobs", "1", "--out", "out", "--quiet"]
            words += ["--resume"] if resume else []
        return dpverify(*words, folder=folder)

    made(False)
    (path,) = folder.glob({"folder": "ev/*.json", "evidence": "e.json", "journal": "out/*.jsonl"}[where])
    text = path.read_text()
    path.write_text(
        text.replace('"value": 0.', '"value": 0.9') if where == "journal" else text.replace(": 1.0", ": 9.0")
    )
    before = path.read_text()
    ran = made(True)
    status = 4 if where == "folder" else 2  # of pytest for a bad argument
    named = path.name in ran.err and "is not what was written" in ran.err
    return Outcome(
        happened=ran.told,
        held=before != text and ran.status == status and named and path.read_text() == before,
        lost="nothing" if path.read_text() == before else "the file",
    )


def judged(folder: Path, *, more: str, words: tuple[str, ...], named: str) -> Outcome:
    """A finished run, resumed by a file or an option by which its rows are judged otherwise."""
    (folder / "mech.py").write_text(
        "def noisy(data, size, rng):\n    return sum(data) + 0.1 * rng.laplace(size=size)\n"
    )
    (folder / "dpverify.toml").write_text(SUITE + more)
    first = dpverify("run", "--out", "out", "--quiet", folder=folder)
    (folder / "dpverify.toml").write_text(SUITE)
    again = dpverify("run", "--out", "out", "--quiet", "--resume", *words, folder=folder)
    held = first.status == (0 if more else 1) and again.status == 2
    held = held and f"the settings of mine have changed since run 1: {named}" in again.err
    return Outcome(happened=again.told, held=held and again.clean)


WAYS = {
    "run --resume": (suite_run, "one line that names the audit, exit status 2, the store as it was"),
    "pytest's stored verdicts": (guilt, "broken code fails again from memory, repaired code passes"),
    "--evidence": (evidence, "begins anew, says so, and broken code is refuted"),
}

ATTACKS = [
    *(
        Attack(
            name=f"{way}, after a change: {kind}", wanted=wanted, run=partial(run, kind=kind), quick=kind == QUICK[way]
        )
        for way, (run, wanted) in WAYS.items()
        for kind in CHANGES
    ),
    *(
        Attack(
            name=f"frontier --resume, after a change: {kind}",
            wanted="one line that names the trainer, exit status 2, the file as it was",
            run=partial(frontier, kind=kind),
            quick=kind == QUICK["frontier --resume"],
        )
        for kind in list(CHANGES)[:7]
        if "package" not in kind
    ),
    *(
        Attack(
            name=f"a run resumed with {what}",
            wanted="one line that names what differs, exit status 2: its rows were judged otherwise",
            run=partial(judged, more=more, words=words, named=named),
            quick=False,
        )
        for what, more, words, named in (
            ("its `expect` removed", 'expect = "broken"\n', (), "expect"),
            (
                "its `accept` removed",
                'accept = { verdict = "refuted", reason = "a", until = 2999-01-01 }\n',
                (),
                "accept",
            ),
            ("--strict", "", ("--strict",), "strict"),
        )
    ),
    Attack(name="run --resume, after a worker's helper file has changed", wanted="one line, exit status 2", run=worker),
    Attack(
        name="a mechanism that holds an open file, resumed", wanted="audited again, and one line says why", run=untold
    ),
    Attack(
        name="two sessions of pytest on one folder of evidence at once",
        wanted="both pass, with seeds of their own",
        run=two_at_once,
        quick=False,
    ),
    Attack(
        name="a mechanism that always returns the same, in three sessions on one folder of evidence",
        wanted="all pass: its claim is true",
        run=same_draws,
        quick=False,
    ),
    *(
        Attack(
            name=f"a number that was changed in kept work: {where}",
            wanted="one line that names the file, exit status 2 (4 of pytest), the file as it was",
            run=partial(changed, where=where),
            quick=False,
        )
        for where in ("folder", "evidence", "journal")
    ),
]
