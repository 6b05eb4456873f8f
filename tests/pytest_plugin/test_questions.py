"""What a test asks decides what is kept of it, what is pooled, and what is printed."""

from __future__ import annotations

import os
import sys

import pytest

from tests import forked

TEST = """
import os
import numpy as np

def count(data, size, rng):
    return sum(data) + rng.laplace(size=size)

def test_it(dp_audit):
    dp_audit(count, claim=f"PureDP(epsilon={os.environ['EPS']})", data=[1.0, 0.0, 1.0], bounds=(0.0, 1.0))
"""


@pytest.fixture
def session(tmp_path):
    def run(*options, test=TEST, **variables):
        (tmp_path / "test_mine.py").write_text(test)
        command = [sys.executable, "-m", "pytest", "-q", "--dp-seconds", "1", *options]
        done = forked.run(command, cwd=tmp_path, env=os.environ | variables)
        return done.returncode, done.stdout + done.stderr

    return run


def test_a_refutation_of_one_claim_is_none_of_another(session):
    status, out = session(EPS="0.3")
    assert status == 1 and "PureDP(epsilon=0.3) of count is refuted" in out
    status, out = session(EPS="2")
    assert status == 0, out
    status, out = session(EPS="0.3")
    assert status == 1, out


def test_evidence_is_pooled_over_seeds_and_kept_apart_by_claim(session, tmp_path):
    for seed, sessions in (("1", 1), ("2", 2), ("3", 3)):
        status, out = session("--dp-evidence", "ev", "--dp-seed", seed, EPS="2")
        assert status == 0 and f"evidence of {sessions} sessions" in out, out
    assert len([*(tmp_path / "ev").glob("*.json")]) == 1
    status, out = session("--dp-evidence", "ev", "--dp-seed", "4", EPS="0.3")
    assert status == 1 and "is refuted" in out, out


def asking(words):
    data = "data=[1.0, 0.0, 1.0], bounds=(0.0, 1.0)"
    return TEST[: TEST.index("def test_it")] + (
        f"def test_it(dp_audit):\n    dp_audit(count, claim='PureDP(epsilon=2)', {data}, {words})\n"
    )


def test_the_total_counts_what_a_test_spends(session):
    status, out = session(test=asking("false_alarm_rate=0.01"))
    assert status == 0 and "with probability at most 0.01" in out, out


@pytest.mark.parametrize("words", ["confidence=None", "false_alarm_rate=None", "seconds=None", "isolate=None"])
def test_none_is_not_given(session, words):
    status, out = session(test=asking(words))
    assert status == 0 and "with probability at most 1e-09" in out, out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("false_alarm_rate='x'", "false_alarm_rate = 'x'; allowed: a number"),
        ("false_alarm_rate=0", r"false_alarm_rate = 0; allowed: a number in (0, 1)"),
        ("seconds='3'", "seconds = '3'; allowed: a number"),
        ("confidence=0.9, false_alarm_rate=0.1", "confidence beside false_alarm_rate"),
    ],
)
def test_bad_words_are_one_line(session, words, said):
    status, out = session(test=asking(words))
    assert status == 1 and f"dpverify: {said}" in out and "Traceback" not in out, out


def test_a_claim_and_data_may_come_by_place(session):
    test = TEST[: TEST.index("def test_it")] + (
        "def test_it(dp_audit):\n    dp_audit(count, 'PureDP(epsilon=2)', [1.0, 0.0, 1.0], bounds=(0.0, 1.0))\n"
    )
    assert session(test=test)[0] == 0


def test_a_mechanism_that_ends_its_process_fails_its_test(session):
    test = "import os\n\ndef ends(data, rng):\n    os._exit(0)\n\n" + (
        "def test_it(dp_audit):\n    dp_audit(ends, claim='PureDP(epsilon=2)', data=[1.0], isolate=None)\n"
    )
    status, out = session(test=test)
    assert status == 1 and "1 failed" in out, out


def test_the_older_name_of_seconds_works_where_warnings_are_errors(session, tmp_path):
    ini = "[pytest]\nfilterwarnings = error\ndp_max_seconds = 30\n"
    (tmp_path / "pytest.ini").write_text(ini)
    command = [sys.executable, "-m", "pytest", "-q"]
    (tmp_path / "test_mine.py").write_text(asking("seed=1"))
    done = forked.run(command, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "dp_max_seconds is called dp_seconds now" in done.stdout
    (tmp_path / "pytest.ini").write_text(ini + "dp_seconds = 2\n")
    done = forked.run(command, cwd=tmp_path)
    assert done.returncode == 4 and "dp_max_seconds beside dp_seconds" in done.stderr


def test_a_kept_refutation_is_none_of_an_entry_that_is_known_to_be_broken(tmp_path):
    (tmp_path / "mine.py").write_text(TEST[: TEST.index("def test_it")])
    entry = '[[audit]]\nmechanism = "mine:count"\nclaim = "PureDP(epsilon=0.3)"\ndata = [1.0, 0.0]\nbounds = [0, 1]\n'
    command = [sys.executable, "-m", "pytest", "-q", "--dp-seconds", "1", "dpverify.toml"]
    (tmp_path / "dpverify.toml").write_text(entry)
    assert forked.run(command, cwd=tmp_path).returncode == 1
    (tmp_path / "dpverify.toml").write_text(f'{entry}expect = "broken"\n')
    done = forked.run(command, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
