"""Shortened audits: the evidence of whole ones, but for what is only told beside it; and nothing is left behind."""

from __future__ import annotations

import functools
import math
from dataclasses import fields

import pytest

from dpverify.core.plugins import registry
from dpverify.runner.record import plain
from tests.calibration.boundaries import boundaries
from tests.calibration.harness import boundary_task, refusal, statistical_auditors
from tests.calibration.shortened import REPLACED, TOLD, shortened

pytestmark = pytest.mark.ci

ALPHA, TRIALS, FEW = 0.2, 1000, 100
TOLD_BESIDE = {"detectable", "ceiling", "seconds", "picture"}
IN_STATISTICS = {"family", "detectable_rests_on", "seen_through_bins", "steps", "vacuous"}


def same(evidence):
    told = {
        field.name: plain(getattr(evidence, field.name)) for field in fields(evidence) if field.name not in TOLD_BESIDE
    }
    told["statistics"] = {name: value for name, value in told["statistics"].items() if name not in IN_STATISTICS}
    return told


def examined(auditor):
    """Two boundaries with claims of different kinds, or the one that there is; heavy ones last."""
    fits = [one for one in boundaries() if refusal(auditor, one, alpha=ALPHA, trials=TRIALS) is None]
    kinds = {type(one.guarantee): one for one in sorted(fits, key=lambda one: one.light)}
    return list(kinds.values())[-2:]


@functools.cache
def looked_at_whole(auditor, place):
    """The task of the boundary of this name and its evidence, neither shortened."""
    (boundary,) = (one for one in boundaries() if one.name == place)
    trials = TRIALS if boundary.most is None else FEW
    task = boundary_task(auditor, boundary, alpha=ALPHA, trials=trials)
    return task, auditor.audit(task)


@pytest.mark.parametrize("auditor", statistical_auditors(registry()), ids=lambda auditor: auditor.name)
def test_the_evidence_is_the_same(auditor):
    """Twice, so that the second shortened audit meets what the first one left to be remembered."""
    for boundary in examined(auditor):
        task, evidence = looked_at_whole(auditor, boundary.name)
        whole = same(evidence)
        with shortened():
            assert same(auditor.audit(task)) == whole
            assert same(auditor.audit(task)) == whole


def test_nothing_is_left_behind():
    def now():
        return [getattr(owner, name) for owner, name in TOLD] + [owner.__dict__[name] for owner, name, _ in REPLACED]

    before = now()
    with shortened():
        assert not any(held is usual for held, usual in zip(now(), before, strict=True))
    assert now() == before


def test_the_family_is_asked_whether_its_truth_is_refuted():
    """The level-curve bound is below the claim's epsilon unless its true sigma is refuted: so either way."""
    (traces,) = [one for one in boundaries() if one.name == "traces"]
    auditor = registry().auditors.get("transcript")
    task, evidence = looked_at_whole(auditor, traces.name)
    whole = evidence.statistics["family"]["epsilon"]
    with shortened():
        asked = auditor.audit(task).statistics["family"]["epsilon"]
    assert asked == (math.inf if whole > traces.guarantee.bracket().upper else 0.0)
