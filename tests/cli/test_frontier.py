"""`dpverify frontier`: lines, files, exit statuses, the same numbers for any --jobs, one line for what is wrong."""

import json
import sys
from pathlib import Path

import pytest

from dpverify.runner.pool import end_workers
from tests import forked
from tests.cli.conftest import unless_typed
from tests.frontier import trainers

QUICK = ("--data", "breast-cancer", "--epsilons", "1", "--against", "", "--splits", "3", "--jobs", "1")

MORE = """
import os
import signal
import time

MODEL = Estimator()

def waits(table, epsilon):
    time.sleep(1000)

def exits(table, epsilon):
    os._exit(0)

def hangs(table, epsilon, rng):
    if table.rows > 400:  # on the data themselves
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        time.sleep(1000)
    return rng.normal(size=table.columns, scale=100 / epsilon)
"""


@pytest.fixture
def frontier(call, tmp_path, monkeypatch):
    """Run `dpverify frontier own:NAME` in a folder that has the trainers."""
    (tmp_path / "own.py").write_text(Path(trainers.__file__).read_text() + MORE)
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda name, *words: call("frontier", f"own:{name}", *unless_typed(QUICK, words), *words)
    sys.modules.pop("own", None)
    end_workers()  # they have imported this folder's module


def test_a_sound_trainer_passes_and_its_page_is_written(frontier, tmp_path):
    """False alarm: 1e-9."""
    words = ("--audit-trials", "60", "--confidence", 1 - 1e-9, "--at-least", "0.6@1", "--out", "out")
    status, out, err = frontier("sound", *words)
    assert status == 0, err
    assert out.startswith("own:sound on breast-cancer: 569 records, 31 columns")
    assert "epsilon = 1: not refuted: at least " in out
    assert "accuracy at least 0.6: met" in out
    assert "60 counted runs a side at each of 1 epsilons" in err
    assert "--audit-trials 60 repeats this" in err
    found = json.loads((tmp_path / "out" / "frontier.json").read_text())
    assert found["reproduce"].startswith("dpverify frontier own:sound")
    assert "epsilon = 1: not refuted" in (tmp_path / "out" / "frontier.html").read_text()
    assert (tmp_path / "out" / "frontier.svg").read_text().startswith("<svg")
    status, out, _ = frontier("MODEL", "--audit-trials", "40")
    assert (status, out.startswith("own:MODEL on ")) == (0, True)
    again, _, _ = frontier("sound", *words, "--resume")
    assert again == 0
    assert json.loads((tmp_path / "out" / "frontier.json").read_text())["points"] == found["points"]
    status, _, err = frontier("sound", *words, "--resume", "--seed", "1")
    assert (status, "other settings" in err) == (2, True)


def test_too_little_noise_and_a_mean_that_is_not_reached_are_status_1(frontier):
    """Power: as in tests/frontier/test_run.py; the level is larger here."""
    status, out, _ = frontier("tenth", "--audit-trials", "600")
    assert (status, "epsilon = 1: REFUTED: at least " in out) == (1, True)
    status, out, _ = frontier("sound", "--audit-trials", "40", "--at-least", "0.99")
    assert (status, "at least 0.99: NOT MET" in out) == (1, True)


def test_a_claim_that_was_not_tested_is_status_3(frontier):
    status, out, err = frontier("sound", "--audit-trials", "10")
    assert (status, "epsilon = 1: not tested: " in out) == (3, True), err
    status, out, _ = frontier("sound", "--audit-trials", "10", "--at-least", "1")
    assert (status, "not tested" in out, "NOT MET" in out) == (1, True, True)


def test_two_processes_give_the_same_numbers(frontier):
    one, two = (
        json.loads(frontier("sound", "--audit-trials", "60", "--jobs", jobs, "--json")[1]) for jobs in ("1", "2")
    )
    assert {**one, "reproduce": ""} == {**two, "reproduce": ""}


@pytest.mark.parametrize(
    ("name", "words", "says"),
    [
        ("sound", ("--epsilons", "a"), "--epsilons 'a'"),
        ("sound", ("--at-least", "x"), "--at-least 'x'"),
        ("sound", ("--resume",), "--resume without --out"),
        ("nobody", (), "has no 'nobody'"),
        ("waits", ("--max-seconds-per-call", "0.2"), "the trainer own:waits ran longer than its limit of 0.2 s"),
        ("ignores", ("--audit-trials", "40"), "does not change with epsilon"),
    ],
)
def test_bad_input_is_one_line_and_status_2(frontier, name, words, says):
    status, out, err = frontier(name, *words)
    assert (status, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_a_trainer_that_python_cannot_break_into_is_ended_in_its_worker(frontier):
    status, out, err = frontier("hangs", "--jobs", "2", "--audit-trials", "20", "--max-seconds-per-call", "1")
    assert (status, out) == (2, "")
    assert "the trainer own:hangs ran longer than its limit of 1 s (--max-seconds-per-call)" in err.splitlines()[-1]


def test_a_trainer_that_exits_is_one_line_and_status_3(frontier, tmp_path):
    ran = forked.run([sys.executable, "-m", "dpverify", "frontier", "own:exits", *QUICK], cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr.count("\n") == 1
