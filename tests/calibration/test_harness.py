"""The harness: its arithmetic, the same tally for any workers, and that it sees what is wrong with wrong auditors.

False alarms: each tally of a valid auditor fails with probability below 1e-8 (the harness's own); at the rates stated,
so does a sabotaged one pass unseen.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.event.auditor import EventAuditor
from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.definitions.pure_dp import PureDP
from tests.calibration.boundaries import Boundary, boundaries
from tests.calibration.harness import exceedances, refusal, truth, verdict
from tests.calibration.plain import Plain
from tests.calibration.sabotage import BestOf, EitherSide, NoSplit, NoSplitLoss, Says

ALPHA, TRIALS, REPETITIONS = 0.2, 500, 1000


@pytest.fixture(scope="module")
def named() -> dict[str, Boundary]:
    return {boundary.name: boundary for boundary in boundaries()}


def test_the_test_is_the_binomial_tail():
    assert verdict(20, 100, 0.2).tail == pytest.approx(stats.binom.sf(19, 100, 0.2))
    assert not verdict(43, 100, 0.2).fails  # 2.2e-7
    assert verdict(47, 100, 0.2).fails  # 3e-9
    assert not verdict(0, 100, 0.2).fails
    low, high = verdict(20, 100, 0.2).interval
    assert low == pytest.approx(stats.beta.ppf(5e-4, 20, 81), rel=1e-5)
    assert high == pytest.approx(stats.beta.ppf(1 - 5e-4, 21, 80), rel=1e-5)
    assert "20 of 100" in verdict(20, 100, 0.2).text()


def test_claims_are_equalities(named):
    """The law's own value of each claimed number is that number, up to rounding or the width of the PLD's bracket."""
    for boundary in named.values():
        for measure in boundary.guarantee.measures():
            assert truth(boundary, measure) == pytest.approx(measure.claimed, rel=1e-8, abs=1e-12)
            assert truth(boundary, measure) <= measure.claimed * (1 + 1e-9) + 1e-12


def test_samples_follow_their_law(named):
    """Where a claimed delta is attained, the share of draws beyond it is the law's: 6 standard errors, 2e-9 each."""
    draws, rng = 200_000, np.random.default_rng(5)
    boundary = named["sampled-gaussian"]
    drawn = [boundary.subject.sample([place], draws, rng=rng) for place in (1.0, 0.0)]
    delta = boundary.guarantee.claimed_delta
    best = max(
        (np.mean(drawn[0] > t) - np.exp(0.5) * np.mean(drawn[1] > t) for t in np.linspace(0.5, 3, 26)),
    )
    assert best == pytest.approx(delta, abs=6 * np.exp(0.5) / np.sqrt(draws))


def test_a_truth_is_the_laws_and_no_claim(named):
    """At an epsilon where pure DP promises more than Laplace noise shows, the truth is Laplace's."""
    measure = Measure(kind="delta", argument=0.0, claimed=0.9)
    assert truth(named["laplace"], measure) == pytest.approx(-np.expm1(-0.5))


def test_the_tally_is_the_same_for_any_workers(named):
    one, two = (
        exceedances(Plain(), named["die"], alpha=ALPHA, trials=TRIALS, repetitions=60, jobs=jobs) for jobs in (1, 2)
    )
    assert (one.count, one.refuted) == (two.count, two.refuted)
    other = exceedances(Plain(), named["die"], alpha=ALPHA, trials=TRIALS, repetitions=60, seed=one.seed + 1)
    assert other.seed == one.seed + 1


@pytest.mark.parametrize(("auditor", "fails"), [(Plain(), False), (Plain(split=False), True)])
def test_a_tally_that_is_settled_has_the_answer_of_the_whole(named, auditor, fails):
    asked = {"alpha": ALPHA, "trials": TRIALS, "repetitions": 100}
    whole, settled = (exceedances(auditor, named["die"], **asked, settle=each) for each in (False, True))
    assert whole.fails == settled.fails == fails
    assert (whole.made, settled.repetitions) == (None, 100)
    assert settled.count <= settled.made < 80
    assert f"{settled.count} of the first {settled.made} of 100 audits exceed" in settled.text()


def test_what_an_auditor_refuses_is_no_tally(named):
    auditor = EventAuditor()
    assert refusal(auditor, named["response"], alpha=1e-9, trials=10) is not None
    with pytest.raises(InputError, match="event on response"):
        exceedances(auditor, named["response"], alpha=1e-9, trials=10, repetitions=1)


def test_a_valid_auditor_passes(named):
    """And spends its alpha: of 1000 audits at 0.2 fewer than 120 would have probability 1e-9 at a rate of 0.19."""
    tally = exceedances(Plain(), named["die"], alpha=ALPHA, trials=TRIALS, repetitions=REPETITIONS)
    assert not tally.fails, tally.text()
    assert tally.count >= 120


@pytest.mark.ci
@pytest.mark.parametrize("auditor", [Plain(split=False), BestOf(inside=Plain(), times=4), EitherSide(inside=Plain())])
def test_sabotage_is_seen(named, auditor):
    """Rates of 1, 0.59 and 0.36 instead of 0.2."""
    tally = exceedances(auditor, named["die"], alpha=ALPHA, trials=TRIALS, repetitions=REPETITIONS, settle=True)
    assert tally.fails, tally.text()


@pytest.mark.parametrize(("shown", "count"), [(0.5, 20), (0.0, 0)])
def test_a_bound_between_the_truth_and_the_claim_is_counted_though_it_refutes_nothing(named, shown, count):
    """A fair die's truth is 0; of the claim epsilon = 1 a wrong auditor says 0.5 each time, a right one 0."""
    generous = replace(named["die"], name="generous", guarantee=PureDP(epsilon=1.0))
    tally = exceedances(Says(bound=shown), generous, alpha=ALPHA, trials=TRIALS, repetitions=20)
    assert (tally.count, tally.refuted) == (count, 0)
    assert tally.fails == (count > 0)


@pytest.mark.parametrize(("shown", "count"), [(0.0, 0), (1.0, 0), (1.001, 20)])
def test_a_bound_within_the_family_is_counted_where_it_is_above_the_true_member(named, shown, count):
    auditor = Says(bound=0.0, family=shown)
    tally = exceedances(auditor, named["laplace"], alpha=ALPHA, trials=TRIALS, repetitions=20)
    assert (tally.count, tally.refuted) == (count, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("auditor", "name", "trials", "alpha", "repetitions"),
    [
        (NoSplit(), "die", 400, 0.05, 200),
        (NoSplitLoss(), "recorded", 100, 0.2, 120),
        (BestOf(inside=EventAuditor()), "response", 100, 0.2, 75),
        (EitherSide(inside=EventAuditor()), "response", 2000, 0.2, 500),
    ],
)
def test_sabotage_of_an_auditor_of_the_project_is_seen(named, auditor, name, trials, alpha, repetitions):
    """Rates of 0.23, 0.57, 0.66 and 0.34."""
    tally = exceedances(auditor, named[name], alpha=alpha, trials=trials, repetitions=repetitions, jobs=2)
    assert tally.fails, tally.text()
