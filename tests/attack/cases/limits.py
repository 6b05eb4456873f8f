"""Attacks on limits: what is printed and written, large examples, slow outputs, gutted modules, full disks."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from tests.attack.attack import Attack, Outcome
from tests.attack.command import command, dpverify

MODULE = """
import builtins, json, os, subprocess, sys, time
import numpy as np

done = set()

def noise(data, rng):
    return len(data) + rng.laplace()

def leak(data, size, rng):
    return sum(data) + 0.01 * rng.laplace(size=size)

def prints(data, rng):
    print("hello")
    return noise(data, rng)

def prints_bytes(data, rng):
    sys.stdout.buffer.write(b"hello\\n")
    return noise(data, rng)

def to_error(data, rng):
    sys.stderr.write("hello\\n")
    return noise(data, rng)

def to_the_first_error(data, rng):
    sys.__stderr__.write("hello\\n")
    return noise(data, rng)

def without_lines(data, rng):
    sys.stderr.write("x" * 1000)
    return noise(data, rng)

def below_python(data, rng):
    os.write(1, b"hello\\n" * 100)
    os.write(2, b"hello\\n" * 100)
    return noise(data, rng)

def in_a_child(data, rng):
    if not done:
        flood = "yes hello | head -c 50000000"
        done.add(subprocess.run(["sh", "-c", f"{flood}; {flood} >&2"]).returncode)
    return noise(data, rng)

def writes(data, rng):
    with open("big", "ab") as stream:
        for _ in range(5):
            stream.write(bytes(2**26))
    return noise(data, rng)

class Slow(list):
    def __iter__(self):
        time.sleep(600)

class SlowLength(list):
    def __len__(self):
        time.sleep(600)

class SlowText:
    def __repr__(self):
        time.sleep(600)

class SlowNumber(float):
    def __float__(self):
        time.sleep(600)

class SlowNames(dict):
    def __getattribute__(self, name):
        time.sleep(600)

def slow_items(data, rng):
    return Slow([1.0])

def slow_length(data, rng):
    return SlowLength([1.0])

def slow_text(data, rng):
    return SlowText()

def slow_number(data, rng):
    return SlowNumber(1.0)

def slow_names(data, rng):
    return SlowNames(a=1.0)

def forks_and_leaves(data, rng):
    for _ in range(40):
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
    return noise(data, rng)

def clears_modules(data, rng):
    sys.modules.clear()
    return 1.0

def takes_the_generator(data, rng):
    drawn = noise(data, rng)
    np.random.Generator = None
    return drawn

def takes_bit_generators(data, rng):
    drawn = noise(data, rng)
    np.random.Philox = np.random.PCG64 = np.random.SeedSequence = None
    return drawn

def takes_arrays(data, rng):
    drawn = noise(data, rng)
    np.array = np.asarray = None
    return drawn

def takes_clocks(data, rng):
    drawn = noise(data, rng)
    time.monotonic = time.perf_counter = None
    return drawn

def takes_paths(data, rng):
    drawn = noise(data, rng)
    sys.path.clear()
    sys.meta_path.clear()
    return drawn

def takes_json(data, rng):
    drawn = noise(data, rng)
    json.dumps = None
    return drawn

def takes_builtins(data, rng):
    drawn = noise(data, rng)
    builtins.len = None
    return drawn
"""
CLAIM = ("--claim", "PureDP(epsilon=1)", "--confidence", "0.999999999")
PAIR = ("--d0", "[1,1]", "--d1", "[1]", "--trials", "2000")
LEAK = ("audit", "limits:leak", *PAIR, *CLAIM)


def _module(folder: Path) -> None:
    (folder / "limits.py").write_text(MODULE)


def flood(function: str, folder: Path) -> Outcome:
    """The verdict, and few bytes on either stream."""
    _module(folder)
    ran = dpverify("audit", f"limits:{function}", *PAIR, *CLAIM, folder=folder)
    held = ran.status == 0 and len(ran.err) < 4000 and "printed, and not shown" in ran.err and ran.clean
    return Outcome(happened=f"{len(ran.err)} characters on standard error; {ran.told}", held=held)


def file_limit(folder: Path) -> Outcome:
    """A file of 256 MB, and no more."""
    _module(folder)
    ran = dpverify("audit", "limits:writes", *PAIR, *CLAIM, folder=folder)
    size = (folder / "big").stat().st_size
    return Outcome(
        happened=f"{size} bytes; {ran.told}", held=ran.status == 2 and size == 2**28 and "File too large" in ran.err
    )


def ends(function: str, options: tuple[str, ...], status: int, said: str, folder: Path) -> Outcome:
    """One line, within seconds."""
    _module(folder)
    ran = dpverify("audit", f"limits:{function}", *options, *CLAIM, folder=folder)
    held = ran.status == status and said in ran.err and ran.err.count("\n") == 1 and "internal error" not in ran.err
    return Outcome(happened=f"{ran.told} ({ran.seconds:.0f} s)", held=held and ran.clean)


def data(name: str, make: Callable[[Path], None], status: int, said: str, folder: Path, *more: str) -> Outcome:
    """An audit of this example."""
    _module(folder)
    make(folder / name)
    words = ("audit", "limits:noise", "--data", name, *more, "--trials", "300", "--verbose", *CLAIM)
    ran = dpverify(*words, folder=folder)
    held = (status < 0 or ran.status == status) and said in " ".join((ran.out + ran.err).split())
    return Outcome(
        happened=f"{ran.told} ({ran.seconds:.0f} s)", held=held and "internal error" not in ran.err and ran.clean
    )


def _csv(path: Path) -> None:
    path.write_text("0.5\n0.25\n" * 1_000_000)


def _named_csv(path: Path) -> None:
    path.write_text("age,income\n" + "3,0.5\n4,0.25\n" * 1_000_000)


def _npy(path: Path) -> None:
    np.save(path, np.tile([0.5, 0.25], 2_500_000))


def _parquet(path: Path) -> None:
    import pandas as pd

    pd.DataFrame({"age": np.zeros(5_000_000, dtype=np.int64)}).to_parquet(path)


def _parquet_of_lists(path: Path) -> None:
    import pandas as pd

    pd.DataFrame({"age": [[1, 2], [3]]}).to_parquet(path)


def _digits(path: Path) -> None:
    path.write_text("age,sum\n" + "9" * 400 + ",1\n2,3\n")


def full(words: tuple[str, ...], folder: Path) -> Outcome:
    """A device without room: the verdict is printed and decides; what cannot be written is a warning."""
    _module(folder)
    ran = dpverify(*words, folder=folder)
    said = "warning: " in ran.err or "cannot be written any more" in ran.err
    held = ran.status == 1 and ran.out.startswith("refuted") and said and ran.clean
    halves = [path.name for path in folder.rglob("*.part")]
    return Outcome(happened=ran.told, held=held and not halves, lost="nothing" if ran.status == 1 else "the verdict")


@contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """A file system of 300 kB, mounted in the folder; None where this user may mount none."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", disk], capture_output=True, check=False
    )
    try:
        yield disk if mounted.returncode == 0 else None
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", "-l", disk], capture_output=True, check=False)


def gets_full(kind: str, folder: Path) -> Outcome:
    """A disk that gets full while a run, a session of pytest or an audit with evidence is at work on it."""
    _module(folder)
    with small_disk(folder) as disk:
        if disk is None:
            return Outcome(happened="not tried: this user may mount nothing", held=True, lost="not tried")
        (folder / "dpverify.toml").write_text("".join(map(_suite_entry, range(12))))
        if kind == "run":
            ran = dpverify("run", "--out", "disk/out", folder=folder, seconds=180)
            held = ran.status == 1 and "12 claims: 12 refuted" in ran.out and "disk is full" in ran.err
        elif kind == "pytest":
            (disk / "rest").write_bytes(bytes(270_000))
            words = ("dpverify.toml", "--dp-report", "disk/report", "-p", "no:cacheprovider")
            ran = command([sys.executable, "-m", "pytest", "-q", *words], folder, 180, {}, None)
            held = ran.status == 1 and "12 failed" in ran.out and "INTERNALERROR" not in ran.out
        else:
            (disk / "rest").write_bytes(bytes(290_000))
            ran = dpverify(*LEAK, "--sequential", "--evidence", "disk/e.json", folder=folder)
            begun = ran.status == 1 and ran.out.startswith("refuted")
            held = begun or (ran.status == 2 and ran.err.count("\n") == 1)
        return Outcome(happened=ran.told, held=held and ran.clean, lost="nothing" if held else "a verdict")


def _suite_entry(place: int) -> str:
    about = f'[[audit]]\nname = "a{place}"\nmechanism = "limits:leak"\nclaim = "PureDP(epsilon=1)"\n'
    return f'{about}data = [0.1, 0.5, 0.9]\nbounds = "0:1"\ntrials = 2000\n'


def read_only(folder: Path) -> Outcome:
    """A file where the folder of saved failures should be made."""
    (folder / "taken").write_text("")
    words = ("audit", "limits:leak", "--data", "[0.1,0.5,0.9]", "--trials", "2000", *CLAIM)
    _module(folder)
    ran = dpverify(*words, "--regressions", "taken/below", folder=folder)
    return Outcome(happened=ran.told, held=ran.status in (1, 2) and ran.clean and "internal error" not in ran.err)


def picture(found: object, folder: Path) -> Outcome:
    """A report of a record whose picture is this."""
    _module(folder)
    dpverify(*LEAK, "--json", "r.json", folder=folder)
    records = json.loads((folder / "r.json").read_text())
    records[0]["evidence"][0]["picture"] = found
    (folder / "r.json").write_text(json.dumps(records))
    ran = dpverify("report", "r.json", "--out", "pages", folder=folder)
    return Outcome(happened=ran.told, held=ran.status in (0, 2) and "internal error" not in ran.err and ran.clean)


def _attack(name: str, wanted: str, run: Callable[[Path], Outcome]) -> Attack:
    return Attack(name=name, wanted=wanted, run=run, quick=False)


CALL = (*PAIR, "--max-seconds-per-call", "1")
TOO_LONG = "ran longer than its limit of 1 s"
TAKEN = "replaced or removed"
DIED = "left no result"
ATTACKS = [
    *(
        _attack(
            f"a flood: {what}", "the verdict; the first lines are shown, and the rest is counted", partial(flood, name)
        )
        for what, name in (
            ("print at each call", "prints"),
            ("bytes to standard output", "prints_bytes"),
            ("lines to sys.stderr", "to_error"),
            ("lines to sys.__stderr__", "to_the_first_error"),
            ("a line without end", "without_lines"),
            ("descriptors 1 and 2", "below_python"),
            ("a child that prints 100 MB", "in_a_child"),
        )
    ),
    _attack("a mechanism that writes a large file", "256 MB, one line, exit status 2", file_limit),
    *(
        _attack(
            f"an output with {what}",
            "one line that names the limit, exit status 2",
            partial(ends, name, CALL, 2, TOO_LONG),
        )
        for what, name in (
            ("items that are slow", "slow_items"),
            ("a length that is slow", "slow_length"),
            ("a text that is slow", "slow_text"),
            ("a number that is slow", "slow_number"),
            ("attributes that are slow", "slow_names"),
        )
    ),
    _attack(
        "forty processes that stay at each call",
        "one line, exit status 3, nobody left",
        partial(ends, "forks_and_leaves", PAIR, 3, "more than 1000 processes"),
    ),
    *(
        _attack(f"a mechanism that {what}", "one line about it, exit status 3", partial(ends, name, PAIR, 3, said))
        for what, name, said in (
            ("clears sys.modules", "clears_modules", TAKEN),
            ("takes numpy.random.Generator away", "takes_the_generator", TAKEN),
            ("takes numpy's bit generators away", "takes_bit_generators", TAKEN),
            ("takes numpy.array away", "takes_arrays", TAKEN),
            ("takes the clocks away", "takes_clocks", TAKEN),
            ("empties sys.path and sys.meta_path", "takes_paths", TAKEN),
            ("takes json.dumps away", "takes_json", DIED),
            ("takes len away", "takes_builtins", DIED),
        )
    ),
    *(
        _attack(
            f"an example of {what}", "a part of it is audited, and a line says so", partial(data, name, make, -1, said)
        )
        for what, name, make, said in (
            ("two million rows of CSV", "d.csv", _csv, "of 2000000 records 100000 were taken"),
            ("two million rows of CSV with names", "d.csv", _named_csv, "of 2000000 records 100000 were taken"),
            ("five million numbers in an array", "d.npy", _npy, "of 5000000 records 100000 were taken"),
            (
                "five million rows in a small Parquet file",
                "d.parquet",
                _parquet,
                "of 5000000 records 100000 were taken",
            ),
        )
    ),
    _attack(
        "two million rows where the size is public",
        "one line, exit status 2",
        lambda folder: data("d.csv", _csv, 2, "2000000 records under replace", folder, "--relation", "replace"),
    ),
    _attack(
        "an integer of 400 digits in a CSV file",
        "one line, exit status 2",
        partial(data, "d.csv", _digits, 2, "an integer beyond all doubles"),
    ),
    _attack(
        "a column of lists in a Parquet file",
        "one line, exit status 2",
        partial(data, "d.parquet", _parquet_of_lists, 2, "lists of values"),
    ),
    *(
        _attack(f"no room on the disk for {what}", "the verdict, its exit status, and a warning", partial(full, words))
        for what, words in (
            ("--json of an audit", (*LEAK, "--json", "/dev/full")),
            ("--events of an audit", (*LEAK, "--events", "/dev/full")),
            ("--json and --events of an audit", (*LEAK, "--json", "/dev/full", "--events", "/dev/full")),
        )
    ),
    *(
        _attack(
            f"a disk that gets full under {what}",
            "each verdict, its exit status, and a warning",
            partial(gets_full, kind),
        )
        for what, kind in (
            ("a run of twelve audits", "run"),
            ("the report of twelve tests", "pytest"),
            ("an audit with evidence", "evidence"),
        )
    ),
    _attack("a file in the place of --regressions", "the verdict or one line, no traceback", read_only),
    *(
        _attack(
            f"a record whose picture is {json.dumps(found)}",
            "a report or one line, no internal error",
            partial(picture, found),
        )
        for found in (
            5,
            "x",
            [],
            {"rectangle": "x"},
            {"rectangle": [[1], [2]]},
            {"rectangle": {"fpr_high": "x", "fnr_high": None}},
            {"certified": {"alpha": "x"}},
            {"measured": 5},
        )
    ),
]
