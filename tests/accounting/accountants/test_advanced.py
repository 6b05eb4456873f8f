from __future__ import annotations

import itertools
import math

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.accounting.accountants.advanced import AdvancedAccountant
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.guarantees import ApproxStep, PureStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.laws.balls import working_precision

advanced = AdvancedAccountant()


def printed(bounds, prime):
    """Lemma 2.2 symbol by symbol: (epsilon, delta)."""
    epsilon = math.sqrt(sum(2 * e**2 * math.log(1 / prime) for e, _ in bounds)) + sum(
        e * (math.exp(e) - 1) / (math.exp(e) + 1) for e, _ in bounds
    )
    return epsilon, 1 - math.prod(1 - d for _, d in bounds) + prime


def exact_delta(bounds, epsilon):
    """Hockey-stick divergence of the product of the dominating pairs, by enumeration of all 4^k outcomes."""
    laws = []
    for e, d in bounds:
        likely, unlikely = (1 - d) / (1 + math.exp(-e)), (1 - d) / (1 + math.exp(e))
        laws.append([(d, 0.0), (likely, unlikely), (unlikely, likely), (0.0, d)])
    total = 0.0
    for outcome in itertools.product(*laws):
        p, q = (math.prod(side) for side in zip(*outcome, strict=True))
        total += max(p - math.exp(epsilon) * q, 0.0)
    return total


pairs = st.lists(st.tuples(st.floats(0.01, 0.99), st.floats(1e-9, 0.05)), min_size=1, max_size=5)


@given(pairs, st.floats(1e-9, 0.4))
def test_the_lemma_as_printed(bounds, prime):
    cost = advanced.compose(Composition.of(*(ApproxStep(epsilon=e, delta=d) for e, d in bounds)))
    epsilon, delta = printed(bounds, prime)
    assert cost.epsilon(delta).upper == pytest.approx(epsilon, rel=1e-6)  # delta' is a difference of deltas
    assert cost.delta(epsilon).upper == pytest.approx(delta, rel=1e-6)


@given(pairs, st.floats(0.3, 0.9), st.floats(2, 9))
def test_no_result_is_below_the_lemma_in_balls(bounds, delta, level):
    cost = advanced.compose(Composition.of(*(ApproxStep(epsilon=e, delta=d) for e, d in bounds)))
    with working_precision():
        squares = sum(flint.arb(e) ** 2 for e, _ in bounds)
        drift = sum(flint.arb(e) * (flint.arb(e) / 2).tanh() for e, _ in bounds)
        spent = 1 - math.prod((1 - flint.arb(d) for _, d in bounds), start=flint.arb(1))
        left = flint.arb(delta) - spent
        assert flint.arb(cost.epsilon(delta).upper) >= (-2 * left.log() * squares).sqrt() + drift
        if flint.arb(level) > drift:
            rest = (-((level - drift) ** 2) / (2 * squares)).exp()
            assert flint.arb(cost.delta(level).upper) >= (spent + rest).min(flint.arb(1))


def test_a_single_sum_is_rounded_up_by_itself():
    """The lemma's sums, one after the other: what spends nothing else shows the rounding of each."""
    for count in (1, 3, 7, 1000, 12345):
        cost = advanced.compose(Composition.repeat(ApproxStep(epsilon=0.1, delta=1e-3), count))
        with working_precision():
            e, d = flint.arb(0.1), flint.arb(1e-3)
            assert flint.arb(cost.squares) >= count * e**2
            assert flint.arb(cost.drift) >= count * e * (e / 2).tanh()
            assert flint.arb(cost.spent) >= 1 - (1 - d) ** count


@given(pairs, st.floats(0.06, 0.9))
def test_it_is_never_below_the_exact_composition(bounds, delta):
    cost = advanced.compose(Composition.of(*(ApproxStep(epsilon=e, delta=d) for e, d in bounds)))
    epsilon = cost.epsilon(delta).upper
    if math.isfinite(epsilon):
        assert exact_delta(bounds, epsilon) <= delta + 1e-14
    for level in (0.5, 1.5):
        assert exact_delta(bounds, level) <= cost.delta(level).upper + 1e-14


@given(pairs, st.floats(0.2, 0.9))
def test_delta_and_epsilon_invert(bounds, delta):
    cost = advanced.compose(Composition.of(*(ApproxStep(epsilon=e, delta=d) for e, d in bounds)))
    epsilon = cost.epsilon(delta).upper
    if math.isfinite(epsilon):
        assert cost.delta(epsilon).upper == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize("step", [PureStep(epsilon=1), LaplaceStep(scale=0.5), ApproxStep(epsilon=1.5, delta=0.01)])
def test_epsilons_outside_the_condition_are_refused_with_the_reason(step):
    composition = Composition.of(PureStep(epsilon=0.5), step)
    assert "Lemma 2.2 asks for both below 1" in advanced.refuses(composition)
    with pytest.raises(InputError, match=r"Lemma 2\.2"):
        advanced.compose(composition)


def test_a_curve_is_refused_too():
    assert "no single" in advanced.refuses(Composition.of(GaussianStep(sigma=10)))


def test_extremes():
    cost = advanced.compose(Composition.repeat(ApproxStep(epsilon=0.1, delta=1e-7), 50))
    assert cost.epsilon(0).upper == cost.epsilon(4e-6).upper == math.inf
    assert "spend" in cost.epsilon(0).note
    assert cost.delta(0).upper == 1
    pure = advanced.compose(Composition.repeat(PureStep(epsilon=0.1), 50))
    assert pure.epsilon(0).upper == math.inf
    assert 0 < pure.delta(1e6).upper <= 5e-324
    nothing = advanced.compose(Composition.repeat(ApproxStep(epsilon=0, delta=0.01), 2))
    assert nothing.epsilon(0.02).upper == 0
    assert nothing.delta(0).upper == pytest.approx(0.0199)
