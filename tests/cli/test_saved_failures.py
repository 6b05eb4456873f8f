"""`dpverify replay`: by name, by suite file and by built-in suite; each trouble is its own line.

False alarms: a mended mechanism is refuted with probability 1e-9 a failure.
"""

from __future__ import annotations

import sys

import pytest

from dpverify.runner.regressions import Regression, save

MODULE = """
import os

def sums(data, size, rng):
    return sum(data) + rng.laplace(scale={scale}, size=size)

def rows(data, size, rng):
    return sum(row["x"] for row in data) + rng.laplace(scale={scale}, size=size)

def dies(data, rng):
    os._exit(0)
"""
SUITE = """
[[audit]]
name = "rows"
mechanism = "recorded_module:rows"
claim = "PureDP(epsilon=1)"
data = [{ x = 0.0 }, { x = 1.0 }, { x = 0.5 }]
"""
CLAIM = {"guarantee": "PureDP(epsilon=1)", "relation": "add-remove", "measure": "epsilon", "bound": 1.8}
FAILURES = [
    Regression(claim="a-sum", auditor="gate", d0=[1.0, 0.0], d1=[0.0], mechanism="recorded_module:sums", **CLAIM),
    Regression(claim="dies", auditor="gate", d0=[1.0, 0.0], d1=[0.0], mechanism="recorded_module:dies", **CLAIM),
    Regression(claim="nobody", auditor="gate", d0=[1.0, 0.0], d1=[0.0], **CLAIM),
    Regression(claim="rows", auditor="gate", d0=[{"x": 1.0}, {"x": 0.0}, {"x": 0.0}], d1=[{"x": 0.0}] * 2, **CLAIM),
    Regression(claim="svt3-0.1", auditor="exact", d0=[0.0], d1=[1.0]),
]


@pytest.mark.parametrize(
    "forged",
    [
        "subprocess:call",
        "os:system",
        "builtins:exec",
        "trap:f",
        "subprocess:Popen(args=['touch', 'made'])",
        "command: touch made",
    ],
)
def test_nothing_that_only_a_file_names_is_imported_or_run(call, tmp_path, monkeypatch, forged):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "trap.py").write_text("open('made', 'w')\n")
    data = ["touch", "made"]
    save([Regression(claim="c", auditor="gate", d0=data, d1=data[:1], mechanism=forged, **CLAIM)], tmp_path / "forged")
    status, out, err = call("replay", "forged")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert f"--{'command' if forged.startswith('command') else 'mechanism'}" in err
    assert not (tmp_path / "made").exists()
    assert "trap" not in sys.modules


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "dpverify.toml").write_text(SUITE)
    save(FAILURES, tmp_path / "failures")
    yield tmp_path
    sys.modules.pop("recorded_module", None)


def written(folder, scale):
    sys.modules.pop("recorded_module", None)
    (folder / "recorded_module.py").write_text(MODULE.format(scale=scale))


def lines(out):
    """By claim, what is said of it; folded lines joined."""
    text = out.replace("\n          ", " ")
    return {line.removeprefix("not ").split()[1].rstrip(":"): line for line in text.splitlines()[:-1]}


@pytest.mark.parametrize(("scale", "says", "status"), [(0.5, "FAILED", 1), (1.0, "FIXED", 3)])
def test_each_failure_is_one_line(call, folder, scale, says, status):
    written(folder, scale)
    named = ("--mechanism", "recorded_module:sums", "--mechanism", "recorded_module:dies")
    found, out, _ = call("replay", "failures", *named, "--confidence", str(1 - 5e-9), "--seconds", "5")
    told = lines(out)
    assert found == status
    assert told["a-sum"].startswith(says)
    assert told["rows"].startswith(says)
    assert told["dies"].startswith("error")
    assert "ended" in told["dies"] or "exit" in told["dies"]
    assert "nobody knows the claim 'nobody'" in told["nobody"]
    assert told["svt3-0.1"].startswith("error")  # its pair is none of the claim's
    assert out.splitlines()[-1].startswith("5 saved failures: ")


def test_a_pair_of_the_suite_file_that_changed_since_fixes_nothing(call, folder):
    written(folder, 0.5)
    suite = '[[audit]]\nname = "p"\nmechanism = "recorded_module:sums"\nclaim = "PureDP(epsilon=1)"\n'
    (folder / "dpverify.toml").write_text(suite + "d0 = [0.1, 1.0]\nd1 = [1.0]\ntrials = 20000\n")
    save([Regression(claim="p", auditor="gate", d0=[1.0, 1.0], d1=[1.0], **CLAIM)], folder / "pairs")
    status, out, _ = call("replay", "pairs", "--confidence", str(1 - 1e-9), "--seconds", "5")
    assert (status, out.split()[0]) == (1, "FAILED")


def test_without_failures_nothing_is_done(call, folder):
    (folder / "empty").mkdir()
    assert call("replay", "empty") == (0, "No failures are recorded in empty.\n", "")
    status, out, err = call("replay", "nowhere")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert call("replay", "failures", "--only", "none-of-them")[0] == 0
