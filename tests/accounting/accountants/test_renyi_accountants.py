"""Accountants ``rdp``, ``rdp-classic`` and ``moments``: one curve, three readings."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dpverify.accounting.accountants.gdp import GdpAccountant
from dpverify.accounting.accountants.moments import LAST, MomentsAccountant
from dpverify.accounting.accountants.rdp import RdpAccountant
from dpverify.accounting.accountants.rdp_classic import ClassicRdpAccountant
from dpverify.accounting.order_search import tight_epsilon, tight_log_delta
from dpverify.accounting.steps.discrete import DiscreteStep
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.guarantees import ApproxStep, NoOpStep, PureStep
from dpverify.core.composition import Composition, Part
from dpverify.laws.discrete import DiscreteLaw

rdp, classic, moments = RdpAccountant(), ClassicRdpAccountant(), MomentsAccountant()
SEARCH = 1e-8  # what a search that ends at 1e-6 of log2(order - 1) may leave, relatively

mixed = st.lists(
    st.one_of(
        st.builds(GaussianStep, sigma=st.floats(0.3, 50)),
        st.builds(LaplaceStep, scale=st.floats(0.3, 50)),
        st.builds(PureStep, epsilon=st.floats(0.001, 3)),
    ),
    min_size=1,
    max_size=4,
)
counts = st.integers(1, 1000)
deltas = st.floats(1e-12, 0.5)


def composition(steps, count=1):
    return Composition(parts=tuple(Part(step=step, count=count) for step in steps))


@given(st.floats(0.05, 100), counts, deltas)
def test_the_classic_epsilon_of_gaussians_has_a_closed_form(sigma, count, delta):
    rho = count / (2 * sigma * sigma)
    assume(2**-19 < math.sqrt(-math.log(delta) / rho) < 2**19)
    cost = classic.compose(Composition.repeat(GaussianStep(sigma=sigma), count))
    closed = rho + 2 * math.sqrt(-rho * math.log(delta))
    assert cost.epsilon(delta).upper == pytest.approx(closed, rel=SEARCH)
    assert cost.epsilon(delta).upper >= closed
    assert cost.delta(closed).upper == pytest.approx(delta, rel=1e-6)


@given(mixed, counts, deltas, st.floats(0, 10))
@settings(max_examples=40, deadline=None)
def test_no_order_of_a_fine_grid_beats_the_search(steps, count, delta, epsilon):
    cost = rdp.compose(composition(steps, count))
    orders = 1 + 2.0 ** np.linspace(-19, 19, 2000)
    bounds = cost.curve(orders)
    assert cost.epsilon(delta).upper <= float(np.min(tight_epsilon(orders, bounds, delta))) * (1 + SEARCH)
    logs = float(np.min(tight_log_delta(orders, bounds, epsilon)))
    assert cost.delta(epsilon).upper <= max(math.exp(min(logs, 0.0)) * (1 + 1e-6), 5e-324)


@given(mixed, counts, deltas)
@settings(max_examples=40, deadline=None)
def test_moments_are_proposition_1_at_all_whole_orders(steps, count, delta):
    """ADADP Theorem 1 with lambda from 1 to 255, each one tried."""
    cost = moments.compose(composition(steps, count))
    lambdas = np.arange(1, LAST + 1)
    alphas = lambdas * cost.curve(lambdas + 1.0)
    epsilon = float(np.min((alphas - math.log(delta)) / lambdas))
    assert cost.epsilon(delta).upper == pytest.approx(epsilon, rel=1e-11)
    level = 0.7 * epsilon
    best = int(np.argmin(alphas - lambdas * level))
    expected = min(0.0, float(alphas[best] - lambdas[best] * level))
    assert math.log(cost.delta(level).upper) == pytest.approx(
        max(expected, math.log(5e-324)), abs=1e-11 * (1 + float(alphas[best] + lambdas[best] * level))
    )


@given(mixed, counts, deltas, st.floats(0, 10))
def test_tight_is_below_classic_is_below_moments(steps, count, delta, epsilon):
    costs = [accountant.compose(composition(steps, count)) for accountant in (rdp, classic, moments)]
    low, middle, high = (cost.epsilon(delta).upper for cost in costs)
    assert low <= middle * (1 + SEARCH) and middle <= high * (1 + SEARCH)
    low, middle, high = (cost.delta(epsilon).upper for cost in costs)
    assert low <= middle * (1 + 1e-6) and middle <= high * (1 + 1e-6)


weights = st.lists(st.integers(1, 9), min_size=3, max_size=3)


@given(st.lists(st.tuples(weights, weights), min_size=1, max_size=4), deltas, st.floats(0, 3))
def test_no_upper_bound_is_below_exact_composition_by_enumeration(laws, delta, epsilon):
    steps = [DiscreteStep(p=tuple(f"{a}/{sum(p)}" for a in p), q=tuple(f"{b}/{sum(q)}" for b in q)) for p, q in laws]
    joint = [
        np.array([math.prod(map(float, row)) for row in itertools.product(*side)])
        for side in (([step.p for step in steps]), ([step.q for step in steps]))
    ]
    p, q = (DiscreteLaw.from_probabilities(side / side.sum()) for side in joint)
    for accountant in (rdp, classic, moments):
        cost = accountant.compose(Composition.of(*steps))
        for pair in (p.against(q), q.against(p)):
            assert pair.delta(epsilon).lower <= cost.delta(epsilon).upper
            assert pair.delta(cost.epsilon(delta).upper).lower <= delta
            assert accountant is moments or pair.delta(cost.epsilon(0).upper).lower <= 1e-15


@given(st.floats(0.05, 100), counts, deltas, st.floats(0, 20))
def test_no_upper_bound_is_below_the_exact_gaussian(sigma, count, delta, epsilon):
    gaussians = Composition.repeat(GaussianStep(sigma=sigma), count)
    exact = GdpAccountant().compose(gaussians)
    for accountant in (rdp, classic, moments):
        cost = accountant.compose(gaussians)
        assert cost.epsilon(delta).upper >= exact.epsilon(delta).lower
        assert cost.delta(epsilon).upper >= exact.delta(epsilon).lower


def test_pure_steps_use_order_infinity():
    pure = Composition.of(PureStep(epsilon=0.5), LaplaceStep(scale=4))
    for accountant in (rdp, classic):
        bracket = accountant.compose(pure).epsilon(0)
        assert (bracket.upper, bracket.note) == (0.75, "order infinity: the sum of the pure bounds")
        assert accountant.compose(pure).delta(0.75).upper == 0
    assert moments.compose(pure).epsilon(0).upper == math.inf
    assert moments.compose(pure).delta(0.75).upper > 0
    one = rdp.compose(Composition.of(PureStep(epsilon=1)))  # randomised response is its own worst case
    (pair,) = PureStep(epsilon=1).laws()
    for level in (0.0, 0.3, 0.9):
        assert one.delta(level).upper == pytest.approx(pair.delta(level).value, rel=1e-9)


def test_one_gaussian_step_is_never_pure():
    mixed = Composition.of(PureStep(epsilon=0.5), GaussianStep(sigma=1))
    for accountant in (rdp, classic, moments):
        bracket = accountant.compose(mixed).epsilon(0)
        assert bracket.upper == math.inf and "delta = 0" in bracket.note


def test_the_order_that_won_is_said():
    cost = rdp.compose(Composition.of(GaussianStep(sigma=1)))
    assert cost.epsilon(1e-5).note == "order 5.43185"
    assert cost.delta(0).note == "total variation"
    assert moments.compose(Composition.of(GaussianStep(sigma=1))).epsilon(1e-5).note == "order 6"


def test_nothing_costs_nothing_even_at_delta_0():
    for accountant in (rdp, classic, moments):
        for nothing in (Composition(), Composition.of(NoOpStep())):
            assert accountant.compose(nothing).epsilon(0).upper == accountant.compose(nothing).delta(0).upper == 0


def test_little_is_not_nothing():
    """Squares and deltas underflow; the bounds do not turn into 0."""
    for step in (GaussianStep(sigma=1e200), LaplaceStep(scale=1e200), PureStep(epsilon=1e-200)):
        cost = rdp.compose(Composition.of(step))
        assert cost.delta(0).upper > 1e-201
        assert cost.epsilon(0).upper > 0
    assert rdp.compose(Composition.of(GaussianStep(sigma=1))).delta(1e4).upper > 0


def test_an_overflow_is_infinite_with_a_reason():
    loud = Composition.repeat(GaussianStep(sigma=1e-150), 10**10)
    for accountant in (rdp, classic, moments):
        assert accountant.compose(loud).epsilon(1e-5).upper == math.inf
        assert "no finite bound" in accountant.compose(loud).epsilon(1e-5).note
        assert accountant.compose(loud).delta(1.0).upper == 1


def test_steps_without_a_curve_are_refused():
    assert rdp.refuses(Composition.of(ApproxStep(epsilon=1, delta=1e-9))) == (
        "approx(epsilon=1, delta=1e-09) does not offer `renyi`"
    )
