"""The gate's bound from its record alone, whichever step decided; broken records are found out."""

from __future__ import annotations

from copy import deepcopy
from functools import cache

import pytest

import dpverify as dpv
from auditors.privacy.gate.auditor import GateAuditor
from dpverify.core.evidence import ContradictionError, Evidence, LackingError
from dpverify.core.verdict import Status
from dpverify.definitions.pure_dp import PureDP

CLAIM = PureDP(epsilon=1.0)


def half_the_noise(data, rng):
    return sum(data) + rng.laplace(scale=0.5)


def no_noise(data, rng):
    return float(sum(data))


@cache
def evidence(function) -> Evidence:
    found = dpv.audit(function, claim="PureDP(epsilon=1)", data=[0.0, 1.0, 0.3], trials=40_000, seed=3)
    assert found.verdict is Status.REFUTED
    return found.evidence


def changed(found: Evidence, *names: str, value: object) -> Evidence:
    statistics = deepcopy(dict(found.statistics))
    inside = statistics
    for name in names[:-1]:
        inside = inside[name]
    inside[names[-1]] = value
    return Evidence(**{name: getattr(found, name) for name in Evidence.__slots__} | {"statistics": statistics})


@pytest.mark.parametrize(("function", "rests_on"), [(half_the_noise, "laws"), (no_noise, "counts")])
def test_a_replay_that_decided_is_computed_again(function, rests_on):
    found = evidence(function)
    assert found.statistics["step"] == "replay" and rests_on in found.statistics
    again = GateAuditor().recheck(CLAIM, found)
    assert again.bound == pytest.approx(found.bound, rel=1e-12) and again.trials == found.trials
    assert again.alpha == pytest.approx(1 - found.confidence, rel=1e-9)


def test_a_record_that_says_more_than_its_runs_is_found_out():
    counted, by_law = evidence(no_noise), evidence(half_the_noise)
    fewer = changed(counted, "counts", "k2", value=40)
    assert GateAuditor().recheck(CLAIM, fewer).bound < counted.bound
    likelier = changed(by_law, "laws", "q", value=0.3)
    assert GateAuditor().recheck(CLAIM, likelier).bound < by_law.bound


def test_steps_that_spend_more_than_the_whole_contradict_it():
    found = evidence(no_noise)
    with pytest.raises(ContradictionError):
        GateAuditor().recheck(CLAIM, changed(found, "level", value=1e-13))
    with pytest.raises(ContradictionError):
        GateAuditor().recheck(CLAIM, changed(found, "counts", "alpha", value=0.5))


def test_only_records_of_version_1_may_lack_the_level_of_the_whole():
    found = evidence(no_noise)
    with pytest.raises(LackingError):
        GateAuditor().recheck(CLAIM, changed(found, "level", value=None))
    older = Evidence(**{name: getattr(found, name) for name in Evidence.__slots__} | {"version": "1+replay-2"})
    assert GateAuditor().recheck(CLAIM, older).alpha == found.statistics["steps"][0]["level"]


def test_a_replay_without_fresh_runs_has_nothing_to_count():
    found = evidence(no_noise)
    with pytest.raises(LackingError):
        GateAuditor().recheck(CLAIM, changed(found, "counts", value=None))


@pytest.mark.parametrize("function", [half_the_noise, no_noise])
def test_the_picture_of_a_replay_shows_where_the_rates_lie(function):
    box, point = (evidence(function).picture[name] for name in ("rectangle", "point"))
    assert box["fpr_low"] <= point["fpr"] <= box["fpr_high"] and box["fnr_low"] <= point["fnr"] <= box["fnr_high"]
