"""Means beside committed ones: the test's size and power, what is not tested, and lines of 80 columns."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from dpverify.ledger.utility_records import read_experiment
from dpverify.reporting.means_beside import LEVEL, beside_lines, means_beside


def kept(rows, *, metric="accuracy", profile="full", **more):
    """A record, from rows by arm: each is a curve at one place."""
    curves = {}
    for arm, row in rows.items():
        half = 0.0
        if len(row) > 1:
            half = float(stats.t.isf(0.025, len(row) - 1) * np.std(row, ddof=1) / np.sqrt(len(row)))
        mean = float(np.mean(row))
        curves[arm] = {metric: [[0.5, *(float(f"{each:.6g}") for each in (mean, mean - half, mean + half))]]}
    count = len(next(iter(rows.values())))
    return {"name": "x", "profile": profile, "repetitions": count, "curves": {"d": curves}, **more}


def draws(seed, count, mean=0.8):
    return (mean + 0.01 * np.random.default_rng(seed).standard_normal(count)).tolist()


def agreeing(found):
    return [each["agrees"] for each in found["means"]]


@pytest.mark.parametrize("few", [2, 3, 20])
def test_means_of_the_same_agree_and_others_do_not(few):
    """Of ten means that are the same, some is said to differ in 5 % of measurements."""
    alarms = 0
    for seed in range(100):
        here = kept({f"a{place}": draws((seed, place, 1), few) for place in range(10)})
        there = kept({f"a{place}": draws((seed, place, 2), 20) for place in range(10)})
        found = means_beside(here, there)
        assert (found["tested"], found["repetitions"]) == (10, [few, 20])
        alarms += not all(agreeing(found))
    assert alarms <= 17  # 5 in a hundred on average; more than 17 has probability below 1e-5
    far = means_beside(kept({"a": draws(1, few, 0.85)}), kept({"a": draws(2, 20)}))
    assert agreeing(far) == [False] and far["means"][0]["within"] < 0.05


def test_the_first_repetitions_of_the_same_seed_are_no_evidence_of_more():
    row = draws(3, 20)
    assert agreeing(means_beside(kept({"a": row[:2]}), kept({"a": row}))) == [True]


def test_numbers_without_spread_are_the_same_or_differ():
    for other, same in ((0.5, True), (0.5000001, True), (0.5001, False)):
        assert agreeing(means_beside(kept({"a": [0.5]}), kept({"a": [other]}))) == [same]
        assert agreeing(means_beside(kept({"a": [0.5] * 3}), kept({"a": [other] * 9}))) == [same]


def test_running_times_are_not_tested():
    found = means_beside(kept({"a": [1.0, 2.0]}, metric="seconds"), kept({"a": [8.0, 9.0]}, metric="seconds"))
    assert agreeing(found) == [None] and found["tested"] == 0


def test_lines():
    here = kept({"a": draws(1, 2), "b" * 50: draws(2, 2, 0.7)}, profile="quick", effort={"rows": 9, "places": [1, 2]})
    there = kept({"a": draws(3, 20), "b" * 50: draws(4, 20)}, effort={"rows": 0, "places": [2, 2]})
    here["settings"] = {"a": {"d": {"0.5": {"eta": 1}}}}
    found = means_beside(here, there)
    assert json.loads(json.dumps(found)) == found
    lines = list(beside_lines(found, cut="at most 9 records of either part, " * 4, every=True))
    assert max(map(len, lines)) <= 80
    assert lines[0] == "x: means here (quick, n = 2) and committed (full, n = 20)"
    assert "other means are to be expected" in " ".join(" ".join(lines).split())
    assert [line.split()[-1] for line in lines if " 0.5 " in line] == ["*", "differs"]
    assert lines[-1] == f"  1 of 2 means agree (t test; false-alarm probability {LEVEL:g} for all of them)"
    short = list(beside_lines(found, cut="", every=False))
    assert sum(" 0.5 " in line for line in short) == 1
    alike = means_beside({**here, "effort": there["effort"]}, there)
    assert "expected" not in " ".join(beside_lines(alike, cut="cut", every=True))


def test_nothing_to_compare():
    found = means_beside(kept({"a": [1.0]}), kept({"b": [1.0]}))
    assert list(beside_lines(found, cut="", every=True))[-1].endswith("no number here has a committed one beside it")


@pytest.mark.parametrize("name", ["blsgd-fig-3", "adpsgd-fig-1", "rsgd-fig-3", "diss-fig-6-2"])
def test_a_committed_record_agrees_with_itself(name):
    record = read_experiment(name)
    found = means_beside(record, record)
    assert found["alike"] and not [each for each in found["means"] if each["agrees"] is False]
    assert max(map(len, beside_lines(found, cut="", every=True))) <= 80
