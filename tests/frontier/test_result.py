import numpy as np
import pytest
from scipy import stats

from dpverify.frontier.result import (
    FrontierResult,
    audit_line,
    difference_line,
    differences,
    dominated,
    gate_line,
    gates,
    interval,
    points_of,
)

SAME = [0.80, 0.82, 0.81, 0.83]


def audits(*refuted, epsilons=(0.5, 1.0)):
    return {
        each: {
            "epsilon": each,
            "verdict": "refuted" if each in refuted else "not_refuted",
            "lower": 3.0 if each in refuted else 0.1,
            "ceiling": 5.0,
            "trials": 1000,
        }
        for each in epsilons
    }


def points(mine, theirs, found, *, larger=True, epsilons=(0.5, 1.0)):
    values = {"mine": mine, "theirs": theirs}
    rows = points_of({arm: dict(zip(epsilons, each, strict=True)) for arm, each in values.items()}, found, "mine")
    dominated(rows, larger=larger)
    return {(row["arm"], row["epsilon"]): row for row in rows}


def shifted(by):
    return [each + by for each in SAME]


def test_the_interval_is_students():
    found = interval(SAME)
    low, high = stats.t.interval(0.95, 3, loc=np.mean(SAME), scale=stats.sem(SAME))
    assert (found["mean"], found["low"], found["high"]) == pytest.approx((np.mean(SAME), low, high), abs=1e-14)


def test_a_point_is_dominated_by_what_is_better_and_costs_no_more():
    found = points([SAME, shifted(0.05)], [shifted(0.01), shifted(0.01)], audits())
    assert found["mine", 0.5]["dominated"] == ["theirs"]
    assert found["mine", 1.0]["dominated"] == []
    assert found["theirs", 1.0]["dominated"] == ["mine"]
    assert found["theirs", 0.5]["dominated"] == []  # what beats it costs more


def test_pairing_is_by_split():
    """The arms' bands overlap, but one is ahead on every split."""
    found = points([SAME, SAME], [shifted(0.002), shifted(0.002)], audits())
    assert found["mine", 0.5]["low"] < found["theirs", 0.5]["low"] < found["mine", 0.5]["high"]
    assert found["mine", 0.5]["dominated"] == ["theirs"]


def test_a_smaller_loss_is_better():
    found = points([SAME, SAME], [shifted(-0.01), shifted(-0.01)], audits(), larger=False)
    assert found["mine", 0.5]["dominated"] == ["theirs"]
    assert found["theirs", 0.5]["dominated"] == []


def test_a_refuted_claim_stands_at_its_bound_and_dominates_nothing():
    found = points([shifted(0.1), shifted(0.1)], [SAME, SAME], audits(0.5, 1.0))
    assert (found["mine", 0.5]["at"], found["mine", 0.5]["refuted"]) == (3.0, True)
    assert found["theirs", 1.0]["dominated"] == []
    cheap = points([shifted(0.1), SAME], [SAME, SAME], audits(0.5, epsilons=(0.5, 4.0)), epsilons=(0.5, 4.0))
    assert cheap["theirs", 4.0]["dominated"] == []  # mine costs 3 at least, and nobody knows how much
    better = points([SAME, SAME], [SAME, shifted(0.1)], audits(0.5, 1.0))
    assert better["mine", 0.5]["dominated"] == ["theirs"]  # theirs at 1 costs less than 3


def test_lines_say_what_is_decided_and_what_is_not():
    told = audits(0.5)
    assert audit_line(told[0.5]) == "epsilon = 0.5: REFUTED: at least 3, by 1,000 runs a side"
    assert "not refuted: at least 0.1; these runs could certify at most epsilon 5" in audit_line(told[1.0])
    weak = audit_line({**told[1.0], "verdict": "inconclusive", "ceiling": 0.7, "needed": 55})
    assert "not tested: these runs could certify at most epsilon 0.7, which is not above the claim" in weak
    rows = list(points([shifted(-0.01), SAME], [SAME, SAME], told).values())
    first, second = differences(rows, "mine", larger=True)
    assert "accuracy worse than that of theirs by 0.0100 to 0.0100" in difference_line(first, "accuracy")
    assert second["low"] <= 0 <= second["high"]
    assert "not told apart" in difference_line(second, "accuracy")


def test_a_gate_is_met_by_the_mean():
    rows = list(points([SAME, SAME], [SAME, SAME], audits()).values())
    low, high = gates(rows, "mine", {0.5: 0.814, 1.0: 0.9})
    assert (low["met"], low["sure"]) == (True, False)
    assert (high["met"], high["sure"]) == (False, True)
    assert "more --splits" in gate_line(low, "accuracy")
    assert "NOT MET, mean 0.8150" in gate_line(high, "accuracy")
    assert [each["at_least"] for each in gates(rows, "mine", {None: 0.7, 1.0: 0.9})] == [0.7, 0.9]
    found = {"audits": list(audits(0.5).values()), "gates": [low, high], "metric": "accuracy"}
    assert len(FrontierResult(found=found).failures) == 2
    compared = FrontierResult(found={**found, "differences": differences(rows, "mine", larger=True)}).lines()
    assert [line.endswith("; that price is refuted") for line in compared[2:4]] == [True, False]
