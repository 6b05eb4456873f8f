"""``dpverify audit`` on a calibration: methods by request, and what a refutation off the stated pair means."""

import json
import subprocess
import sys
from pathlib import Path

from tests import forked

MECHANISM = """
def noisy(data, size, rng):
    return sum(data) + rng.laplace(scale=2.6376, size=size)
"""
PAIR = ("--d0", "[0]", "--d1", "[1]", "--relation", "replace", "--trials", "50000")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "calibrated.py").write_text(MECHANISM)
    command = [sys.executable, "-m", "dpverify", "audit", "calibrated:noisy", *PAIR, *words]
    return forked.run(command, cwd=folder)


def test_a_calibration_is_refuted_off_its_stated_pair(tmp_path: Path) -> None:
    """Laplace noise of a Gaussian calibration's deviation: total variation 0.17 where 0.107 is allowed."""
    claim = 'LevelCurve(family="gaussian-analytic", epsilon=1, delta=1e-5)'
    done = run(tmp_path, "--claim", claim, "--method", "tradeoff", "--json")
    assert done.returncode == 1, done.stderr
    (found,) = json.loads(done.stdout)
    assert found["verdict"] == "refuted"
    assert found["method"] == "tradeoff"
    assert "refutes the gaussian-analytic calibration for (1, 1e-05), at mu" in found["witness"]["refutes"]
    said = run(tmp_path, "--claim", claim, "--method", "histogram").stdout
    assert "means     refutes the gaussian-analytic calibration" in said


def test_the_stated_pair_is_not_refuted_and_an_unknown_family_is_one_line(tmp_path: Path) -> None:
    """At confidence 1 - 1e-10: the noise is purely (0.38, 0)."""
    done = run(
        tmp_path, "--claim", "ApproxDP(epsilon=1, delta=1e-5)", "--method", "histogram", "--confidence", "0.9999999999"
    )
    assert done.returncode == 0, done.stderr
    bad = run(tmp_path, "--claim", 'LevelCurve(family="gauss", epsilon=1, delta=1e-5)')
    assert bad.returncode == 2
    assert len(bad.stderr.strip().splitlines()) == 1
    assert "gaussian-classic" in bad.stderr
