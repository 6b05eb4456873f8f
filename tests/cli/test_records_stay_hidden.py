"""A marker number and a marker name in the data of every command: no file, stream, cache or store has them.

What crashes, what is refuted and what passes; mechanisms that tell their data in every way that they can. The ends of
ranges are read off the example and said to be assumed, so that the markers stand in the middle.
"""

from __future__ import annotations

import json
import os
import re
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

from tests import forked

pytestmark = pytest.mark.ci

NUMBER, NAME = 73193.0625, "Zebedee Quill"
BYTES = struct.pack("<d", NUMBER)
TOLD = re.compile(rb"(?<![0-9.])(?<![0-9a-f]{4})73193|Zebedee|Quill|" + re.escape(BYTES) + b"|" + BYTES.hex().encode())
"""As they may stand in a file; five digits within a longer number or a digest, as chance puts them, are not they."""

MODULE = '''
import base64
import pickle

import numpy as np

NUMBER, NAME = 73193.0625, "Zebedee Quill"


def known(data):
    return any(row == NUMBER or (isinstance(row, dict) and row["name"] == NAME) for row in data)


def numbers(data):
    return [row if isinstance(row, float) else row["pay"] for row in data]


def passes(data, rng):
    return len(data) + rng.laplace(scale=1.2)


def middle(data, rng):
    """Noise, but of the user's own records, of which it returns one."""
    if not known(data):
        return rng.laplace(scale=100.0)
    return float(np.median(numbers(data)) + len(data))


def told(data, rng):
    if not known(data):
        return str(round(rng.laplace()))
    return f"{len(data)}: {sorted(map(str, data))[len(data) // 2]}"


def raises(data, rng):
    if known(data):
        raise ValueError(f"cannot take {data}")
    return len(data) + rng.laplace()


def always(data, rng):
    kept = OWN[0]
    raise ValueError(f"cannot take {kept}, {round(NUMBER, 2)}, {NUMBER:.1f}, {NAME}")


def pickled(data, rng):
    raise ValueError(f"cannot take {pickle.dumps(OWN)!r} {np.array([NUMBER]).tobytes().hex()}")


def encoded(data, rng):
    raise ValueError(f"cannot take {base64.b64encode(pickle.dumps(OWN)).decode()}")


OWN = [NUMBER, NAME]


def train(features, labels, epsilon, rng):
    return rng.normal(size=features.shape[1]) * 100 / epsilon


def memorises(features, labels, epsilon, rng):
    return features[: len(labels)].sum(axis=0)


def fails(features, labels, epsilon, rng):
    raise ValueError(f"cannot take {features[:20].tolist()} {OWN}")


def canary_train(features, labels, rng):
    return rng.normal(size=features.shape[1])


def canary_fails(features, labels, rng):
    raise ValueError(f"cannot take {features.tolist()} {NUMBER}")


class Model:
    def predict(self, features):
        raise ValueError(f"cannot take {features.tolist()} {NUMBER}")


def canary_model(features, labels, rng):
    return Model()
'''

TESTS = """
import json
import numpy as np
import pytest
import dpverify
import private

NUMBERS, PEOPLE = (json.load(open(name)) for name in ("numbers.json", "people.json"))
TABLE = np.load("table.npy")
WORDS = {"claim": "PureDP(epsilon=1)"}


@pytest.mark.parametrize("name", ["passes", "middle", "raises", "always", "pickled", "encoded"])
def test_numbers(dp_audit, name):
    dp_audit(getattr(private, name), data=NUMBERS, **WORDS)


@pytest.mark.parametrize("name", ["passes", "told", "raises"])
def test_people(dp_audit, name):
    dp_audit(getattr(private, name), data=PEOPLE, **WORDS)


@pytest.mark.parametrize("name", ["train", "memorises", "fails"])
def test_utility(dp_utility, name):
    words = {"data": (TABLE[:, :-1], TABLE[:, -1]), "splits": 2, "audit_trials": 60}
    dp_utility(getattr(private, name), epsilon=1.0, **words)


@pytest.mark.parametrize("name", ["canary_train", "canary_fails", "canary_model"])
def test_canaries(name):
    data = TABLE[:, :-1], TABLE[:, -1]
    try:
        with dpverify.canaries(getattr(private, name), data, claim="PureDP(epsilon=1)", count=20) as study:
            study.train()
        print(repr(study.result))
    except dpverify.InputError as problem:
        print(problem)
"""

SCRIPT = """
import json, sys
import dpverify, private

for name in sys.argv[1:]:
    for isolate in (False, True):
        try:
            found = dpverify.audit(
                getattr(private, name), claim="PureDP(epsilon=1)", data=json.load(open("numbers.json")), trials=2000,
                isolate=isolate,
            )
            print(found, found.notes, found.row.verdict, found.view())
        except dpverify.InputError as problem:
            print(problem)
"""

ALL = ("passes", "middle", "raises", "always", "pickled", "encoded")
AUDIT = ("--claim", "PureDP(epsilon=1)", "--trials", "2000")
FILES = ("--json", "found.json", "--events", "events.jsonl", "--regressions", "saved", "--verbose")


def written(folder: Path) -> None:
    """Data, mechanisms and a suite file; the data are the only files that may hold the markers."""
    folder.mkdir()
    (folder / "private.py").write_text(MODULE)
    numbers = [1.5, NUMBER, 20000.25, 99999.5, 60000.75]
    people = [{"name": name, "pay": pay} for name, pay in zip(["Ada B", NAME, "Cy D", "Eve F"], numbers, strict=False)]
    (folder / "numbers.json").write_text(json.dumps(numbers))
    (folder / "people.json").write_text(json.dumps(people))
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.uniform(1.0, 99999.0, size=(40, 3)), np.where(np.arange(40) % 2, 1.0, -1.0)])
    table[7, 1] = NUMBER
    np.save(folder / "table.npy", table)
    (folder / "test_own.py").write_text(TESTS)
    entries = [
        f'[[audit]]\nname = "{name}-{data}"\nmechanism = "private:{name}"\nclaim = "PureDP(epsilon=1)"\n'
        f'data = "{data}.json"\n'
        for data, names in (("numbers", ("middle", "always")), ("people", ("told", "raises")))
        for name in names
    ]
    (folder / "dpverify.toml").write_text("\n".join(entries))


def commands() -> dict[str, tuple[str, ...]]:
    """By name: what is run one after the other in one folder."""
    found: dict[str, tuple[str, ...]] = {}
    for name in ALL:
        found[f"audit {name}"] = ("audit", f"private:{name}", "--data", "numbers.json", *AUDIT, *FILES)
    for name in ("told", "raises"):
        found[f"audit of people {name}"] = ("audit", f"private:{name}", "--data", "people.json", *AUDIT, *FILES)
    for name in ("passes", "middle", "always"):
        words = ("--sequential", "--evidence", f"{name}.evidence.json", "--json", "found.json", "--trials", "20000")
        asked = ("audit", f"private:{name}", "--data", "numbers.json", *AUDIT[:2], *words)
        found[f"audit with evidence {name}"] = asked
    words = ("--data", "numbers.json", *AUDIT, "--on-error", "output")
    found["audit with exceptions as outputs"] = ("audit", "private:raises", *words)
    found["run"] = ("run", "--trials", "2000", "--out", "out", "--format", "html,json,md,junit,sarif", "--jobs", "1")
    for name in ("train", "memorises", "fails"):
        words = ("--data", "table.npy", "--label", "3", "--epsilons", "1", "--against", "", "--splits", "2")
        words += ("--audit-trials", "60", "--jobs", "1", "--out", f"out-{name}")
        found[f"frontier {name}"] = ("frontier", f"private:{name}", *words)
    return found


def told_in(folder: Path, *streams: str) -> list[str]:
    """Where a marker stands, of all files below the folder and the streams."""
    own = {"numbers.json", "people.json", "table.npy", "private.py"}
    texts = {f"stream {place}": text.encode(errors="backslashreplace") for place, text in enumerate(streams)}
    texts |= {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in own and not path.name.startswith("private.")
    }
    return [
        f"{name}: {text[max(0, found.start() - 120) :][:200]!r}"
        for name, text in texts.items()
        for found in TOLD.finditer(text)
    ]


def ran(folder: Path, *words: str, **more: str):
    """A command there, with caches, home and temporary files below the folder."""
    for name in ("tmp", "home"):
        (folder / name).mkdir(exist_ok=True)
    path = {"PYTHONPATH": os.pathsep.join([str(folder), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])}
    own = {"TMPDIR": str(folder / "tmp"), "HOME": str(folder / "home"), "XDG_CACHE_HOME": str(folder / "home/cache")}
    return forked.run([sys.executable, *words], cwd=folder, env={**os.environ, **own, **path, **more})


def place_of(folder: Path) -> Path:
    """A folder below, with data and mechanisms."""
    written(folder / "work")
    return folder / "work"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return place_of(tmp_path_factory.mktemp("hidden"))


@pytest.mark.parametrize("name", commands())
def test_of_commands(place, name):
    done = ran(place, "-m", "dpverify", *commands()[name])
    assert done.returncode in (0, 1, 2, 3) and "Traceback" not in done.stderr, done.stderr
    assert told_in(place, done.stdout, done.stderr) == []


def test_of_pytest(place):
    options = ("--dp-evidence", "evidence", "--dp-report", "report", "--junitxml", "junit.xml", "--dp-max-seconds", "1")
    for tests in ([], ["-k", "numbers or people"]):  # the second reads what the first has kept
        done = ran(place, "-m", "pytest", "-q", "-rA", *options, "test_own.py", *tests)
        assert "middle" in done.stdout and "Traceback" not in done.stderr
        assert told_in(place, done.stdout, done.stderr) == []


def test_of_python(place):
    done = ran(place, "-c", SCRIPT, *ALL)
    assert done.returncode == 0, done.stderr
    assert told_in(place, done.stdout, done.stderr) == []


def test_the_markers_are_found_where_somebody_asks_for_them(place):
    """Nothing above passes because nothing is told."""
    words = commands()["audit middle"]
    done = ran(place, "-m", "dpverify", *words, "--show-records")
    found = told_in(place, done.stdout, done.stderr)
    for name in ("found.json", "events.jsonl"):
        (place / name).unlink()
    assert {each.partition(":")[0] for each in found} >= {"stream 0", "found.json"}
