"""Bounds of one event: closed forms, both readings of a region, and exact false-alarm probabilities by enumeration."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from auditors.privacy.event_bounds import CURVE, SHARES, Goal, Mirrored, measure_lower, tightness, value
from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.definitions.gdp import GDP
from dpverify.definitions.level_curve import Tradeoff
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP, ZCDP
from dpverify.stats.intervals import LARGEST_TRIALS
from dpverify.stats.joint import JointRegion, excess_lower

EPSILON = Measure(kind="epsilon", argument=0.0, claimed=1.0)
CLAIMS = [
    PureDP(epsilon=0.5),
    ApproxDP(epsilon=0.5, delta=0.05),
    GDP(mu=0.7),
    RDP(order=3.0, epsilon=0.6),
    Tradeoff(alphas=(0, 0.1, 1), betas=(1, 0.7, 0)),
]


def region(k1, k2, n=1000, alpha=0.01, share=0.5):
    return JointRegion(k1=k1, n1=n, k2=k2, n2=n, alpha=alpha, share=share)


def test_values_have_closed_forms():
    p, q = np.array([0.4, 0.9, 0.2]), np.array([0.1, 0.8, 0.3])
    assert value(EPSILON, p, q) == pytest.approx([math.log(4), math.log(2), 0.0])
    assert value(EPSILON, p, q, mirrored=False) == pytest.approx([math.log(4), math.log(9 / 8), 0.0])
    approximate = Measure(kind="epsilon", argument=0.1, claimed=1.0)
    assert value(approximate, p, q) == pytest.approx([math.log(3), 0.0, 0.0])
    delta = Measure(kind="delta", argument=math.log(2), claimed=0.1)
    assert value(delta, p, q) == pytest.approx([0.2, 0.0, 0.0])
    mu = Measure(kind="mu", claimed=1.0)
    assert value(mu, p, q)[0] == pytest.approx(stats.norm.ppf(0.4) - stats.norm.ppf(0.1))
    renyi = Measure(kind="renyi", argument=2.0, claimed=1.0)
    forward = math.log(0.4**2 / 0.1 + 0.6**2 / 0.9)
    backward = math.log(0.1**2 / 0.4 + 0.9**2 / 0.6)
    assert value(renyi, p, q)[0] == pytest.approx(max(forward, backward))
    assert value(EPSILON, np.array(0.5), np.array(0.0)) == math.inf


def test_tightness_of_a_claim_of_zero():
    nothing = Measure(kind="epsilon", argument=0.0, claimed=0.0)
    assert tightness(nothing, [0.0, 0.2]).tolist() == [0.0, 1.2]
    assert tightness(EPSILON, [0.5]).tolist() == [0.5]


def test_a_mirrored_region_is_that_of_the_complement_with_sides_swapped():
    mirrored, direct = Mirrored(region=region(900, 700)), region(300, 100)
    assert measure_lower(mirrored, EPSILON) == pytest.approx(measure_lower(direct, EPSILON), rel=2e-3)
    assert measure_lower(mirrored, EPSILON) == measure_lower(region(900, 700), EPSILON)
    p, q = mirrored.corners()
    assert np.any((p <= 0.3) & (q >= 0.1)), "the estimate lies in the region"
    assert mirrored.alpha == 0.01


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.text())
@given(k1=st.integers(0, 300), k2=st.integers(0, 300), direction=st.integers(0, 1))
@settings(max_examples=25, deadline=None)
def test_bound_and_excess_never_disagree(claim, k1, k2, direction):
    finding = Goal(guarantee=claim).finding(region(k1, k2, n=300), direction)
    assert (finding.excess > 0) == (finding.bound > finding.measure.claimed)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.text())
def test_points_on_the_claimed_curve_are_never_exceeded(claim):
    """An event as likely as the claim allows: the region around its expected counts must reach into what is allowed."""
    goal = Goal(guarantee=claim)
    for direction in (0, 1):
        for q in (0.01, 0.1, 0.3, 0.6):
            p = float(goal.allowed(direction)(np.array([q]))[0])
            assert goal.finding(region(math.floor(p * 1000), math.ceil(q * 1000)), direction).excess <= 0


def test_a_violation_between_the_measures_is_reported_as_a_delta():
    """The claimed curve swapped: no measure of it is direction-aware, so the tangent that shows it is found."""
    curve = Tradeoff(alphas=(0, 0.1, 1), betas=(1, 0.7, 0))
    finding = Goal(guarantee=curve).finding(region(30_000, 10_000, n=100_000), 1)
    assert finding.measure.kind == "delta"
    assert finding.bound > finding.measure.claimed
    assert finding.measure.claimed == pytest.approx(float(curve.delta(finding.measure.argument, reverse=True)))
    assert Goal(guarantee=curve).finding(region(30_000, 10_000, n=100_000), 0).excess <= 0


def test_gain_orders_events_as_their_bounds_do():
    goal = Goal(guarantee=PureDP(epsilon=1.0))
    p, q = np.array([[0.3, 0.5, 0.2, 0.9]] * 4), np.array([[0.1, 0.4, 0.2, 0.85]] * 4)
    gain = goal.gain(p, q, corner=(p, q))
    assert gain.shape == (4, 4)
    assert gain[0] == pytest.approx([math.log(3) + 0.5, math.log(1.25), 0.0, math.log(0.9 / 0.85)])


def test_ceiling_and_estimate():
    goal = Goal(guarantee=PureDP(epsilon=1.0))
    assert goal.ceiling(1000, alpha=0.05, share=0.5) == measure_lower(region(1000, 0, alpha=0.05), EPSILON)
    assert goal.estimate(300, 1000, 100, 1000) == pytest.approx(math.log(3))
    assert math.isfinite(goal.estimate(300, 1000, 0, 1000))


def test_required_trials_are_the_fewest_that_refute():
    goal = Goal(guarantee=PureDP(epsilon=6.0))
    goal.require(10_000, alpha=1e-3, least=100)
    with pytest.raises(InputError) as caught:
        goal.require(1000, alpha=1e-3, least=100)
    needed = int(str(caught.value).split("at least ")[1].split()[0])
    for share in (0.1, 0.5):
        least = JointRegion(k1=needed - 1, n1=needed - 1, k2=0, n2=needed - 1, alpha=1e-3, share=share)
        assert goal.finding(least, 0).excess <= 0
    goal.require(needed, alpha=1e-3, least=100)
    with pytest.raises(InputError, match="use an exact method"):
        Goal(guarantee=PureDP(epsilon=50.0)).require(1000, alpha=1e-3, least=100)


def test_allowed_is_the_complement_of_the_tradeoff_never_below_it():
    for claim in CLAIMS:
        for direction in (0, 1):
            exact = 1 - claim.tradeoff(CURVE, reverse=bool(direction))
            allowed = Goal(guarantee=claim).allowed(direction)(CURVE)
            assert np.all(allowed >= np.minimum(exact, 1.0))
            assert np.all(allowed <= exact + 1e-15)


def false_alarms(goal, p, q, n, alpha):
    """Exact probability that counts of Bin(n, p) and Bin(n, q) refute, by enumeration (refuting is monotone)."""
    total, edge = 0.0, -1
    first, second = stats.binom(n, p), stats.binom(n, q)
    for k1 in range(n + 1):
        while edge < n and goal.finding(region(k1, edge + 1, n=n, alpha=alpha), 0).excess > 0:
            edge += 1
        total += first.pmf(k1) * second.cdf(edge) if edge >= 0 else 0.0
    return total


def test_false_alarms_stay_below_alpha_and_ignoring_the_second_direction_is_caught():
    """Two fair coins under a claim of epsilon 0. One direction, fixed in advance, keeps alpha; an auditor that looks at
    both directions after counting and spends alpha on each refutes twice as often, which is more than alpha."""
    goal, alpha = Goal(guarantee=PureDP(epsilon=0.0)), 0.5
    one = false_alarms(goal, 0.5, 0.5, 24, alpha)
    assert one <= alpha
    both = 2 * one  # the two events exclude each other and are equally likely
    assert both > alpha
    assert 2 * false_alarms(goal, 0.5, 0.5, 24, alpha / 2) <= alpha


@pytest.mark.parametrize("q", [0.05, 0.3])
def test_false_alarms_at_the_boundary_of_pure_dp(q):
    goal = Goal(guarantee=PureDP(epsilon=1.0))
    p = float(goal.allowed(0)(np.array([q]))[0])
    assert 0.0 < false_alarms(goal, p, q, 20, 0.1) <= 0.1


def test_more_trials_than_the_largest_number_are_refused_with_that_number():
    with pytest.raises(InputError, match=f"at most {LARGEST_TRIALS}"):
        Goal(guarantee=PureDP(epsilon=1.0)).require(10 * LARGEST_TRIALS, alpha=1e-3, least=100)
    Goal(guarantee=PureDP(epsilon=1.0)).require(LARGEST_TRIALS, alpha=1e-3, least=100)


def test_a_claim_next_to_nothing_is_exceeded_without_a_warning():
    """Warnings are errors in tests."""
    goal = Goal(guarantee=ZCDP(rho=1e-320))
    assert tightness(goal.headline, [0.0, 0.5]).tolist() == [0.0, math.inf]
    assert goal.finding(region(900, 100), 0).excess > 0


def some_counts(number):
    """Counts and a level: rare and frequent events, equal and unequal ones."""
    rng = np.random.default_rng(12)
    for _ in range(number):
        trials, q = int(rng.choice([50, 300, 20_000])), float(rng.choice([0.004, 0.1, 0.5]))
        rates = min(1.0, q * rng.uniform(0.8, 4.0)), q
        yield (*map(int, rng.binomial(trials, rates)), trials, float(rng.choice([0.05, 1e-5])))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: type(claim).__name__)
def test_shares_that_cannot_be_the_best_are_left_early_and_it_is_the_best_all_the_same(claim):
    goal = Goal(guarantee=claim)
    for k1, k2, trials, alpha in some_counts(12):
        whole = [region(k1, k2, trials, alpha, share) for share in SHARES]
        bounds = [measure_lower(each, goal.headline) for each in whole]
        curves = [excess_lower(each, goal.allowed(0)) for each in whole]
        for gain, values in ((2.0, bounds), (1.2, curves)):
            found = goal.best_share(k1, k2, trials, alpha=alpha, direction=0, gain=gain)
            assert found == SHARES[values.index(max(values))]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: type(claim).__name__)
def test_what_refutes_is_told_without_the_whole_finding(claim):
    goal = Goal(guarantee=claim)
    told = []
    for k1, k2, trials, alpha in some_counts(40):
        told.append(goal.refutes(region(k1, k2, trials, alpha), 1))
        assert told[-1] == (goal.finding(region(k1, k2, trials, alpha), 1).excess > 0)
    assert 3 < sum(told) < 37
