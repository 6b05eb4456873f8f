"""The fixture `dp_utility` as a user meets it: a project of its own, run by pytest in a process of its own."""

import sys
from pathlib import Path

from tests import forked
from tests.frontier import trainers

PROJECT = """
import os
import pytest
from own import Estimator, constant, ignores, sound, tenth, two_clouds

WORDS = {"data": two_clouds(), "splits": 3, "audit_trials": 700}

def exits(table, epsilon):
    os._exit(0)

def test_sound(dp_utility):
    found = dp_utility(sound, at_least=0.3, epsilon=1.0, **WORDS)
    assert found.audits[0]["verdict"] == "not_refuted"

def test_estimator(dp_utility):
    dp_utility(Estimator(), at_least=0.3, epsilon=1, **WORDS)

def test_tenth(dp_utility):
    dp_utility(tenth, epsilon=1.0, **WORDS)

def test_demanding(dp_utility):
    dp_utility(sound, at_least=0.999, epsilon=1.0, **{**WORDS, "audit_trials": 50})

@pytest.mark.parametrize("trainer", [ignores, exits])
def test_bad(dp_utility, trainer):
    dp_utility(trainer, epsilon=1.0, **WORDS)

def test_few(dp_utility):
    dp_utility(sound, epsilon=3.0, **{**WORDS, "audit_trials": 20})

def test_constant(dp_utility):
    dp_utility(constant, epsilon=1.0, **WORDS)
"""


def test_a_session(tmp_path):
    """False alarm 1e-9 a claim; power as in tests/frontier/test_run.py."""
    (tmp_path / "own.py").write_text(Path(trainers.__file__).read_text())
    (tmp_path / "test_own.py").write_text(PROJECT)
    ran = forked.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--dp-report", "out", "test_own.py"],
        cwd=tmp_path,
    )
    out = ran.stdout
    assert ran.returncode == 1, ran.stderr
    assert "5 failed, 3 passed" in out
    assert "tenth fails:" in out
    assert "epsilon = 1: REFUTED: at least " in out
    assert "accuracy at least 0.999: NOT MET, mean " in out
    assert "ignores does not change with epsilon" in out
    assert "passed  test_own.py::test_sound: (1; 1e-05)-DP of sound" in out
    assert "FAILED  test_own.py::test_demanding" in out
    assert "sound fails:" in out
    assert "epsilon = 3: not tested: these runs could certify at most epsilon 0" in out
    assert "runs a side would do" in out
    assert "FAILED  test_own.py::test_few" in out
    assert "UserWarning: constant could not be seen to change with epsilon" in out
    assert (tmp_path / "out" / "report.html").exists()
    assert "Traceback" not in out
