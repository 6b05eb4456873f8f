"""The expectation auditor: limits whose answer is known, calibration at the boundary, power, and what it refuses."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import stats

from auditors.utility.expectation import ExpectationAuditor, _counted, planned
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import AuditError, InputError
from dpverify.core.evidence import Evidence
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.numbers import Numbers
from dpverify.definitions.number_bounds import Expectation, UpperBound
from dpverify.sampling.streams import stream
from dpverify.stats.variational import BEARABLE, mean_lower
from tests.calibration.subjects import Runs

FALSE_ALARM = 1e-8
AUDITS = 200


@dataclass(frozen=True, kw_only=True)
class Constant:
    """Always the same number."""

    value: float = 2.0
    low: float = 0.0
    draws: int = 1000

    def statistic(self, size, *, rng):
        return np.full(size, self.value)


def task(subject, *, bound=1.0, alpha=0.05, trials=2000, repetition=0, **space) -> Task:
    return Task(
        claim=Claim(
            id="mean",
            guarantee=Expectation(bound=bound),
            relation="numbers",
            subject="s",
            source=Source(paper="toy", locus="1"),
            parameters={"eta": 0.5},
            space=SearchSpace(**space),
        ),
        build=lambda **_searched: subject,
        neighbors=Numbers(),
        alpha=alpha,
        trials=trials,
        stream=lambda *names: stream(0, "expectation", repetition, *names),
    )


def audit(subject, **settings) -> Evidence:
    return ExpectationAuditor().audit(task(subject, **settings))


def refuted(subject, **settings) -> int:
    found = (audit(subject, repetition=place, **settings) for place in range(AUDITS))
    return sum(judge(evidence) is Status.REFUTED for evidence in found)


def test_a_constant_beyond_the_claim_is_refuted_and_its_bound_is_the_limit_of_a_sure_event():
    """n numbers at the top of [0, 2] and the largest bet that m bears, 0.999 / m: n log(1 + 0.999 (2 - m) / m) = L."""
    evidence = audit(Constant(), alpha=0.01)
    assert judge(evidence) is Status.REFUTED
    odds = math.expm1(math.log(100) / evidence.trials) / BEARABLE
    assert evidence.bound == pytest.approx(2.0 / (1.0 + odds), rel=1e-9)
    assert evidence.bound < 2.0 == evidence.estimate
    assert evidence.witness == {"parameters": {"eta": 0.5}}


def test_a_constant_at_the_claim_and_one_at_the_least_are_not_refuted():
    assert judge(audit(Constant(value=1.0))) is Status.NOT_REFUTED
    assert audit(Constant(value=0.0)).bound == 0.0


def test_rounding_to_steps_keeps_the_mean_and_cuts_what_lies_beyond():
    steps, numbers = np.array([0.0, 1.0, 3.0]), np.repeat([0.25, 1.0, 2.5, 9.0], 100_000)
    counts = _counted(steps, numbers, stream(0, "steps"))
    # Cut means 0.25 + 1 + 2.5 + 3, over four; its standard error is below 0.002, six of which fail one time in 10^9.
    assert counts.sum() == numbers.size
    assert float(steps @ counts) / numbers.size == pytest.approx(6.75 / 4, abs=0.012)
    assert counts[0] == pytest.approx(75_000, abs=6 * 140)


@pytest.mark.parametrize("rare", [1.0, 0.3, 0.01])
def test_a_mean_at_the_boundary_is_refuted_no_more_often_than_alpha(rare):
    count = refuted(Runs(rare=rare), alpha=0.2, trials=400)
    assert stats.binom.sf(count - 1, AUDITS, 0.2) > FALSE_ALARM


def test_a_normal_limit_would_fail_where_the_mean_is_rare_and_a_bet_that_looks_at_its_own_draws_too(monkeypatch):
    """What the calibration above can see: a limit 20 % of a standard error too high is refuted far too often."""
    monkeypatch.setattr(
        "auditors.utility.expectation.mean_lower", lambda bets, counts, log_level: float(bets.values @ counts) / 400
    )
    count = refuted(Runs(), alpha=0.2, trials=400)
    assert stats.binom.sf(count - 1, AUDITS, 0.2) < FALSE_ALARM


@pytest.mark.parametrize("rare", [1.0, 0.1])
def test_what_it_calls_detectable_is_refuted_four_times_in_five(rare):
    """At the printed mean, over fresh audits: at 80 % exactly, less than two thirds of 200 has probability 6e-6."""
    detectable = float(np.median([audit(Runs(rare=rare), repetition=place).detectable for place in range(20)]))
    assert 1.0 < detectable < (1.1 if rare == 1.0 else 1.4)
    count = refuted(Runs(rare=rare, power=1.0 / detectable))
    assert count >= 2 * AUDITS / 3


def test_the_limit_is_close_to_the_normal_one():
    evidence = audit(Runs(draws=100_000), trials=100_000, alpha=1e-3)
    standard = stats.norm.isf(1e-3) / math.sqrt(100_000)
    assert 1.0 - 1.35 * standard < evidence.bound + (1.0 - evidence.estimate) < 1.0 - standard


def test_trials_are_no_more_than_a_second_of_the_subject_and_grow_with_effort():
    subject = Runs(draws=500)
    assert audit(subject).trials == 500
    assert ExpectationAuditor().audit(replace(task(subject), effort=3.0)).trials == 1500
    with pytest.raises(InputError, match="draws of a statistic"):
        audit(subject, trials=99)


@pytest.mark.parametrize("value", [-0.5, math.nan, math.inf])
def test_a_statistic_that_is_none_or_below_its_least_is_an_error(value):
    with pytest.raises(AuditError):
        audit(Constant(value=value))


def test_it_refuses_other_claims_boxes_and_subjects_without_a_statistic():
    auditor, whole = ExpectationAuditor(), task(Runs())
    assert auditor.refuses(whole) is None
    assert "none about a mean" in str(
        auditor.refuses(replace(whole, claim=replace(whole.claim, guarantee=UpperBound())))
    )
    assert "boxes" in str(auditor.refuses(task(Runs(), parameters={"eta": (0.1, 1.0)})))
    assert "no statistic" in str(auditor.refuses(task(object())))


def test_any_bet_is_valid_and_the_planned_one_is_nearly_the_best():
    rng = stream(0, "bets")
    numbers = np.linspace(0.0, 1.0, 11)
    counts = rng.multinomial(5000, np.full(11, 1 / 11))
    variance, level = float(np.var(numbers)), math.log(1000)
    plan = planned(numbers, variance, 5000, level)
    own = mean_lower(plan, counts, log_level=level)
    others = [mean_lower(replace(plan, bet=plan.bet * f), counts, log_level=level) for f in (0.25, 0.5, 0.8, 1.25, 4)]
    standard = math.sqrt(variance / 5000)
    assert own > max(others) - 0.05 * standard
