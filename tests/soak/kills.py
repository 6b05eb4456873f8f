"""Kill a run at random moments, resume it, and compare: ``python -m tests.soak.kills`` (``make soak``).

Each trial starts the same audit, kills its whole process group with signal 9 after a random time, and goes on with
``--resume`` until it ends by itself. Its records must equal, to the last digit, those of a run that nobody disturbed.
The moments come from a seed that is printed; they decide how much was lost, never what is found.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpverify.core.json_text import dump
from dpverify.runner.atomic_files import write_atomically
from dpverify.runner.environment import environment

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "reports/soak/kills.json"

ONLY, TRIALS = "laplace*", 2_000_000


def audit(only: str = ONLY, trials: int = TRIALS) -> tuple[str, ...]:
    """Some seconds of screening and of counting: three claims in two processes, or parts of one in two threads."""
    return ("run", "core", "--only", only, "--trials", str(trials), "--method", "event", "--quiet", "--jobs", "2")


@dataclass(slots=True)
class Killed:
    """One run that was killed until it was through.

    Attributes
    ----------
    moments : list of float
        Seconds after each start at which it was killed.
    equal : bool
        Whether its records are those of the undisturbed run.
    """

    moments: list[float] = field(default_factory=list)
    equal: bool = False


def undisturbed(folder: Path, audit: Sequence[str]) -> tuple[Any, float]:
    """Records of a run that nobody kills, and the seconds it took."""
    begun = time.monotonic()
    process = _started(folder, audit, resume=False)
    assert process.wait() in (0, 1), "the audit itself failed"
    return _records(folder), time.monotonic() - begun


def killed(folder: Path, moments: Sequence[float], expected: Any, audit: Sequence[str]) -> Killed:
    """A run killed at these moments after its starts, then left alone."""
    found = Killed()
    for moment in moments:
        process = _started(folder, audit, resume=has_run(folder))
        try:
            process.wait(timeout=moment)
            break
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            found.moments.append(round(moment, 3))
    last = _started(folder, audit, resume=has_run(folder))
    assert last.wait() in (0, 1), f"the resumed run failed after kills at {found.moments}"
    found.equal = _records(folder) == expected
    return found


def _started(folder: Path, audit: Sequence[str], *, resume: bool) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "dpverify", *audit, "--out", str(folder), *(["--resume"] if resume else [])]
    return subprocess.Popen(words, cwd=ROOT, start_new_session=True, stdout=subprocess.DEVNULL)


def has_run(folder: Path) -> bool:
    """Whether the store has a run to resume: a kill may come before it was begun."""
    import sqlite3

    store = folder / "dpverify.sqlite"
    if not store.exists():
        return False
    try:
        with sqlite3.connect(store) as connection:
            return bool(connection.execute("SELECT count(*) FROM runs").fetchone()[0])
    except sqlite3.Error:
        return False


def _records(folder: Path) -> Any:
    return timeless(json.loads((folder / "results.json").read_text()))


def timeless(value: Any) -> Any:
    """Without what a clock says."""
    if isinstance(value, dict):
        return {name: timeless(item) for name, item in value.items() if name != "seconds"}
    return [timeless(item) for item in value] if isinstance(value, list) else value


def main() -> int:
    """The command: prints a line a run, writes the record."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=30)
    options.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    options.add_argument("--only", default=ONLY)
    options.add_argument("--trials", type=int, default=TRIALS)
    options.add_argument("--record", type=Path, default=RECORD)
    given = options.parse_args()
    choose, done, runs, words = random.Random(given.seed), 0, [], audit(given.only, given.trials)
    with tempfile.TemporaryDirectory() as work:
        expected, seconds = undisturbed(Path(work) / "undisturbed", words)
        _say(f"seed {given.seed}; undisturbed: {seconds:.1f} s, {len(expected)} records")
        while done < given.kills:
            several = min(choose.randint(1, 3), given.kills - done)
            moments = [choose.uniform(0.1, 0.9) * seconds for _ in range(several)]
            one = killed(Path(work) / f"run-{len(runs)}", moments, expected, words)
            done += len(one.moments)
            runs.append({"killed_after": one.moments, "equal": one.equal})
            _say(f"run {len(runs)}: killed after {one.moments} s, {'equal' if one.equal else 'DIFFERENT'}")
    different = sum(not run["equal"] for run in runs)
    found = {"audit": words, "seed": given.seed, "kills": done, "runs": runs, "different": different}
    write_atomically(
        given.record, dump({**found, "seconds_undisturbed": round(seconds, 1), "environment": environment()})
    )
    _say(f"{done} kills, {len(runs)} runs, {different} with other records")
    return int(different > 0)


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's progress


if __name__ == "__main__":
    raise SystemExit(main())
