"""Sessions of the plug-in raise false alarms no more often than their rate allows: the record, and a few anew."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pytest_plugin.false_alarms import RECORD, TOO_RARE, quantile

ROOT = Path(__file__).parents[2]


def test_a_thousand_sessions_raised_no_more_alarms_than_their_rate_allows():
    record = json.loads(RECORD.read_text())
    assert sum(record["sessions"].values()) == 1_000
    assert all(record["sessions"][way] for way in ("rerun", "nights", "halves", "xdist"))
    assert record["total"] == sum(record["alarms"].values())
    assert record["quantile"] == quantile(1_000)
    assert record["total"] <= record["quantile"]
    assert record["false_alarm_probability"] == TOO_RARE


@pytest.mark.ci
@pytest.mark.parametrize(("sessions", "noise", "status"), [(8, "1", 0), (8, "0.3", 1)], ids=["sound", "broken"])
def test_a_few_sessions_anew(tmp_path, sessions, noise, status):
    """A sound mechanism fails here with probability 1e-8 at most; a broken one raises one in nearly every session."""
    command = [sys.executable, "-m", "tests.pytest_plugin.false_alarms", "--sessions", str(sessions)]
    settings = {"FALSE_ALARMS_NOISE": noise, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "counts.json")],
        cwd=ROOT,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    found = json.loads((tmp_path / "counts.json").read_text())
    assert (found["total"] > found["quantile"]) is bool(status)
