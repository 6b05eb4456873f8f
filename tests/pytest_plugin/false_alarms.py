"""How often sessions of the plug-in raise a false alarm: 1,000 of them, on mechanisms at the exact boundary of a claim.

    python -m tests.pytest_plugin.false_alarms                    # about ten minutes of a core
    python -m tests.pytest_plugin.false_alarms --sessions 24 --out counts.json

A session audits two randomised responses, on draws of their own, at a false-alarm rate of 0.05 over the session. Each
is a whole session of pytest in one process, in one of these ways:

- *rerun*: failed tests are run again with ``--last-failed``; the verdict must stay, and an alarm is one alarm;
- *nights*: two sessions share a folder of evidence; an alarm in either is one, and the rate is that of both together;
- *halves*: two sessions of the same seed take a test each, as xdist's workers do;
- *xdist*: the session runs over two workers of xdist.

Audits in this process are shortened to what decides their verdicts (`tests.calibration.shortened`). The record holds
the counts, and the number of alarms that a valid plug-in exceeds with probability 1e-8 at most.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from scipy import stats

from tests.calibration.shortened import shortened

RECORD = Path(__file__).with_name("false_alarms.json")
RATE, AUDITS, TRIALS, NIGHTS = 0.05, 2, 600, 2
SWITCHED_OFF = ("randomly", "benchmark", "unraisableexception")
"""Plug-ins that take time and have no part in a verdict."""

CHUNK = 20
"""Sessions that a process takes at a time."""

TOO_RARE = 1e-8
"""The false-alarm probability of the whole count."""

SHARES = {"rerun": 0.6, "nights": 0.25, "halves": 0.13, "xdist": 0.02}
"""Of the sessions; the first has what rounding leaves."""

FILE = """
import os
import numpy as np
import pytest

NOISE = float(os.environ.get("FALSE_ALARMS_NOISE", "1"))

def response(data, size, rng):
    turned = rng.random(size) < 1.0 / (1.0 + np.exp(1.0 / NOISE))
    return np.where(turned, 1 - data[0], data[0])

@pytest.mark.parametrize("number", range({audits}))
def test_claim(dp_audit, number):
    name = f"claim-{{os.environ['FALSE_ALARMS_SESSION']}}-{{number}}"
    words = {{"records": "choice(0, 1)", "relation": "replace", "trials": {trials}, "isolate": False}}
    dp_audit(response, claim="PureDP(epsilon=1)", data=[1], name=name, **words)
"""


@dataclass
class Seen:
    """A plug-in that keeps what the audits of a session found."""

    refuted: set[str] = field(default_factory=set)
    looked: set[str] = field(default_factory=set)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when != "call":
            return
        found = [json.loads(value) for name, value in report.user_properties if name == "dpverify"]
        if not found or any(
            each["verdict"] not in ("refuted", "certified", "not_refuted", "inconclusive") for each in found
        ):
            raise RuntimeError(f"{report.nodeid}: no verdict; {report.longrepr}")
        self.looked.add(report.nodeid)
        if any(each["verdict"] == "refuted" for each in found):
            assert report.failed
            self.refuted.add(report.nodeid)


def pytest_session(folder: Path, cache: Path, *options: str) -> Seen:
    """One session of pytest in this process."""
    seen = Seen()
    words = ["-q", *(word for name in SWITCHED_OFF for word in ("-p", f"no:{name}")), "-o", f"cache_dir={cache}"]
    words += ["-c", str(folder / "pytest.ini"), "--rootdir", str(folder), f"--dp-false-alarm-rate={RATE / AUDITS}"]
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere), ExitStack() as held:
        for each in (fresh_module(), shortened(), patch("dpverify.runner.audit_unit.rarest_of", lambda *_: 1.0)):
            held.enter_context(each)
        pytest.main([*words, *options, str(folder)], plugins=[seen])
    return seen


@contextmanager
def fresh_module() -> Iterator[None]:
    """Each session imports the test file afresh, as a process of its own would."""
    here = os.getcwd()
    try:
        yield
    finally:
        sys.modules.pop("test_boundary", None)
        os.chdir(here)


def alarm(way: str, number: int, folder: Path, scratch: Path) -> bool:
    """Whether one session of a kind raises one."""
    os.environ["FALSE_ALARMS_SESSION"] = f"{way}-{number}"
    cache, seed = scratch / f"cache-{way}-{number}", f"--dp-seed={number}"
    if way == "nights":
        evidence = f"--dp-evidence={scratch / f'evidence-{number}'}"
        sessions = [pytest_session(folder, cache / str(night), evidence) for night in range(NIGHTS)]
    elif way == "halves":
        sessions = [pytest_session(folder, cache, seed, "-k", f"[{part}]") for part in range(AUDITS)]
    else:
        sessions = [pytest_session(folder, cache, seed, *(("-n", "2") if way == "xdist" else ()))]
    looked = sum(len(session.looked) for session in sessions)
    assert looked == (NIGHTS * AUDITS if way == "nights" else AUDITS), f"{way}: {looked} audits in a session"
    refuted = set().union(*(session.refuted for session in sessions))
    if refuted and way == "rerun":
        assert pytest_session(folder, cache, seed, "--last-failed").refuted == refuted, "a rerun changed a verdict"
    return bool(refuted)


def alarms(way: str, numbers: range) -> int:
    """Of a few sessions, in a folder of their own."""
    gc.freeze()  # pytest collects garbage at the end of each session, all of this process otherwise
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "project"
        folder.mkdir()
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "test_boundary.py").write_text(FILE.format(audits=AUDITS, trials=TRIALS))
        return sum(alarm(way, number, folder, Path(name)) for number in numbers)


def counted(sessions: int, *, jobs: int = 1) -> dict[str, Any]:
    """The record of so many sessions."""
    many = {way: int(share * sessions) for way, share in SHARES.items()}
    many["rerun"] += sessions - sum(many.values())
    tasks = [(way, range(i, min(i + CHUNK, count))) for way, count in many.items() for i in range(0, count, CHUNK)]
    found = dict.fromkeys(SHARES, 0)
    with ProcessPoolExecutor(jobs) as pool:
        for (way, numbers), count in zip(tasks, pool.map(alarms, *zip(*tasks, strict=True)), strict=True):
            found[way] += count
            print(f"{way} {numbers.start}-{numbers.stop}: {count} alarms", flush=True)  # noqa: T201
    return {
        "rate": RATE,
        "audits_a_session": AUDITS,
        "trials": TRIALS,
        "nights": NIGHTS,
        "sessions": many,
        "alarms": found,
        "total": sum(found.values()),
        "quantile": quantile(sessions),
        "false_alarm_probability": TOO_RARE,
    }


def quantile(sessions: int) -> int:
    """As many alarms as a valid plug-in exceeds with probability `TOO_RARE` at most."""
    return int(stats.binom.isf(TOO_RARE, sessions, RATE))


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--sessions", type=int, default=1_000)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--out", type=Path, default=RECORD)
    asked = options.parse_args()
    found = counted(asked.sessions, jobs=asked.jobs)
    asked.out.write_text(json.dumps(found, indent=1) + "\n")
    print(f"{found['total']} alarms in {asked.sessions} sessions; at most {found['quantile']}")  # noqa: T201
    sys.exit(found["total"] > found["quantile"])


if __name__ == "__main__":
    main()
