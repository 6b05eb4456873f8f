"""10^9 draws a side in one run, with memory watched: ``python -m tests.soak.memory`` (``make soak``).

The run's processes are looked at twice a second, all that it started among them. Compiling and choosing an event take
what they take. From the first parts that the store has on, draws are counted and forgotten, so the memory of the second
half of that must not be above that of the first by more than `SLACK`. (A billion draws kept as numbers are 8 GB.)
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from dpverify.core.json_text import dump
from dpverify.runner.atomic_files import write_atomically
from dpverify.runner.environment import environment

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "reports/soak/memory.json"

TRIALS = 10**9
SLACK = 32.0
"""MiB."""

EVERY = 0.5
"""Seconds between two looks."""

SHOWN = 40
"""Of the samples, evenly, in the record."""


def audit(trials: int) -> tuple[str, ...]:
    """The run: one Laplace mechanism, one event, two threads that count."""
    return ("run", "core", "--only", "laplace", "--method", "event", "--trials", str(trials), "--quiet", "--jobs", "2")


def watched(words: Sequence[str], *, counting: Callable[[], bool]) -> tuple[int, float, list[float]]:
    """Exit status of a command, the MiB that it and its descendants held at most until it was `counting`, and what they
    held from then on, from look to look."""
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL)
    before, found = 0.0, list[float]()
    while process.poll() is None:
        held = sum(map(_resident, _family(process.pid)))
        if found or counting():
            found += [held] if held > 0 else []
        else:
            before = max(before, held)
        time.sleep(EVERY)
    return process.returncode, before, found


def growth(samples: Sequence[float]) -> float:
    """The peak of the second half less that of the first."""
    half = len(samples) // 2
    if half < 2:
        raise ValueError(f"{len(samples)} looks are too few to tell")
    return max(samples[half:]) - max(samples[:half])


def has_parts(store: Path) -> bool:
    """Whether parts of a count are in the store."""
    if not store.exists():
        return False
    try:
        with closing(sqlite3.connect(store, timeout=1.0)) as connection:
            return connection.execute("SELECT 1 FROM chunks LIMIT 1").fetchone() is not None
    except sqlite3.Error:  # not made yet
        return False


def _family(process: int) -> list[int]:
    found = [process]
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = [int(word) for word in thread.read_text().split()]
        except OSError:
            continue
        found += [each for child in children for each in _family(child)]
    return found


def _resident(process: int) -> float:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> int:
    """The command: writes the record."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--trials", type=int, default=TRIALS)
    options.add_argument("--record", type=Path, default=RECORD)
    given = options.parse_args()
    words = audit(given.trials)
    with tempfile.TemporaryDirectory() as out:
        begun = time.monotonic()
        store = Path(out) / "dpverify.sqlite"
        command = [sys.executable, "-m", "dpverify", *words, "--out", out]
        status, before, samples = watched(command, counting=partial(has_parts, store))
        seconds = time.monotonic() - begun
        (row,) = json.loads((Path(out) / "results.json").read_text())
        size = store.stat().st_size
    counted = row["evidence"][0]["statistics"]
    whole = status == 0 and counted["n1"] == counted["n2"] == given.trials
    grown = growth(samples)
    found = {
        "audit": words,
        "counted": {name: counted[name] for name in ("k1", "n1", "k2", "n2")},
        "whole": whole,
        "seconds": round(seconds, 1),
        "draws_a_second": round(2 * given.trials / seconds),
        "peak_mib_before_counting": round(before),
        "resident_mib": [round(each) for each in samples[:: max(1, len(samples) // SHOWN)]],
        "peak_mib": round(max(samples)),
        "growth_mib": round(grown, 1),
        "allowed_mib": SLACK,
        "store_bytes": size,
        "flat": grown <= SLACK,
        "environment": environment(),
    }
    write_atomically(given.record, dump(found))
    told = f"{2 * given.trials:.3g} draws in {seconds:.0f} s, peak {max(samples):.0f} MiB, growth {grown:+.1f} MiB"
    print(told, flush=True)  # noqa: T201 - a command's one line
    return int(not (whole and grown <= SLACK))


if __name__ == "__main__":
    raise SystemExit(main())
