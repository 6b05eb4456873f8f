"""Leaks that are rarer than what common events need are found by the second look, at a level of their own."""

from __future__ import annotations

import numpy as np
import pytest

import dpverify as dpv
from auditors.privacy.gate import run
from auditors.privacy.gate.auditor import GateAuditor
from auditors.privacy.gate.sought import Levels
from dpverify.core.verdict import Status
from dpverify.definitions.pure_dp import PureDP

DATA = [0.1, 0.9, 0.4, 0.7]
AUDITS, MOST = 36, 10


def leaking(rate):
    """A noisy sum beside a column that shows the true sum at this rate."""

    def column(data, size, rng):
        total = sum(data)
        shown = np.where(rng.random(size) < rate, total, 0.0)
        return np.stack([total + rng.laplace(size=size), shown], axis=1)

    return column


def audit(mechanism, **words):
    return dpv.audit(mechanism, **{"claim": "PureDP(epsilon=1)", "data": DATA, "bounds": (0, 1), **words})


def steps(result):
    return {step["step"]: step for step in result.evidence.statistics["steps"]}


@pytest.mark.parametrize("seed", range(3))
def test_a_second_column_that_shows_the_true_sum_once_in_two_hundred_calls_is_refuted(seed):
    result = audit(leaking(0.005), trials=200_000, rare=0.06, seed=seed)
    assert result.verdict is Status.REFUTED
    if result.evidence.statistics["step"] == "second event":
        assert steps(result)["second event"]["level"] == pytest.approx(Levels.of(1e-3, replayed=True).more)
        again = GateAuditor().recheck(PureDP(epsilon=1.0), result.evidence)
        assert again.bound == pytest.approx(result.evidence.bound, rel=1e-12)
        assert again.alpha == pytest.approx(1e-3)


def test_what_is_rarer_is_found_with_more_draws_and_not_with_few():
    few = audit(leaking(0.001), trials=40_000)
    assert few.verdict is Status.NOT_REFUTED
    assert any(note.startswith("left: ") and "may pass" in note for note in few.notes)
    assert audit(leaking(0.001), trials=400_000).verdict is Status.REFUTED


def test_a_text_that_holds_the_true_sum_once_in_a_hundred_calls_is_refuted():
    def text(data, rng):
        return f"error: {sum(data):.2g}" if rng.random() < 0.01 else sum(data) + rng.laplace()

    assert audit(text, trials=60_000).verdict is Status.REFUTED


def test_outputs_that_repeat_nothing_are_not_looked_at_again_where_nobody_asked():
    def plain(data, size, rng):
        return sum(data) + rng.laplace(size=size)

    assert "second look" not in steps(audit(plain, trials=100_000, rare=0.06))
    thorough = audit(plain, trials=100_000)
    assert steps(thorough)["second look"]["draws"] == 25_000
    assert thorough.evidence.statistics["rarest_by"][1] == pytest.approx(Levels.of(1e-3, replayed=True).more)


def test_levels_add_up_where_a_missed_goal_is_counted_again(monkeypatch):
    """The event was planned with too few draws: all that are left count one event more."""
    monkeypatch.setattr(run, "event_draws", lambda *_, **__: 1_000)
    result = audit(leaking(0.0), trials=20_000, detect=1.05)
    found = steps(result)
    assert found["second event"]["level"] == pytest.approx(Levels.of(1e-3, replayed=True).more)
    assert sum(step.get("level", 0.0) for step in found.values()) == pytest.approx(1e-3, rel=1e-12)
    assert "weak, not_refuted: " in repr(result)
    with pytest.raises(dpv.AuditError, match="was to detect"):
        result.check(require_power=True)
    assert result.check() is result


def test_the_share_of_the_draws_is_part_of_what_makes_an_audit_again():
    result = audit(leaking(0.0), seconds=None)
    assert "rare=0.06" in result.row.reproduce or "--rare 0.06" in result.row.reproduce
    with pytest.raises(dpv.InputError, match=r"rare = 0.7.*\[0, 0.5\]"):
        audit(leaking(0.0), rare=0.7)


@pytest.mark.ci
def test_a_true_claim_at_its_boundary_is_refuted_no_more_often_than_its_level():
    """False-alarm probability: under 1e-6 at a level of 0.05; a level of 0.36 is seen in four of five cases."""
    delta = 0.02  # the largest leak that the claim allows

    def refuted(seed):
        words = {"claim": f"ApproxDP(epsilon=1, delta={delta})", "confidence": 0.95, "seed": seed, "trials": 20_000}
        return dpv.audit(leaking(delta), DATA, DATA[:3], methods=["gate"], **words).verdict is Status.REFUTED

    count = 0
    for left in reversed(range(AUDITS)):
        count += refuted(AUDITS - 1 - left)
        if count + left <= MOST:
            break
    assert count <= MOST
