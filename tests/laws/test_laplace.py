from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import laplace

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import LawPair
from dpverify.laws.density import LaplaceLaw

shifts = st.floats(1e-8, 50.0)


def pair_of(p, q, scales=1.0):
    pair = LaplaceLaw(locations=p, scales=scales).against(LaplaceLaw(locations=q, scales=scales))
    assert isinstance(pair, LawPair)
    return pair


def measure(kind, argument) -> Measure:
    return Measure(kind=kind, argument=argument, claimed=1.0)


def test_pure_epsilon_is_proved_exactly_in_any_dimension():
    found = pair_of([0.0, 1.0, 2.0], [1.0, 1.0, 1.5], [1.0, 7.0, 0.25]).prove(measure("epsilon", 0.0))
    assert found is not None
    assert (found.value, found.error, found.proved) == (3.0, 0.0, True)


def test_a_scale_too_small_by_one_rounding_is_not_mistaken_for_the_claim():
    scale = math.nextafter(2.0, 0.0)
    found = pair_of(0.0, 1.0, scale).prove(measure("epsilon", 0.0))
    assert found is not None
    assert Fraction(found.lower) <= 1 / Fraction(scale) <= Fraction(found.upper)
    assert found.upper > 0.5


@pytest.mark.parametrize("shift", [0.25, 1.0, 4.0])
@pytest.mark.parametrize("epsilon", [-9.0, -1.0, 0.0, 0.2, 0.9, 3.0, 5.0])
def test_delta_agrees_with_the_event_that_reaches_it(shift, epsilon):
    cut = min(max((shift - epsilon) / 2, 0.0), shift) if epsilon < shift else -math.inf
    cut = math.inf if epsilon < -shift else cut
    truth = laplace.cdf(cut) - math.exp(epsilon) * laplace.cdf(cut - shift)
    found = pair_of(0.0, shift).delta(epsilon)
    assert abs(found.value - max(truth, 0.0)) <= found.error + 1e-15


@settings(max_examples=40, deadline=None)
@given(shifts, st.floats(1e-9, 0.9))
def test_epsilon_inverts_delta(shift, delta):
    pair = pair_of(0.0, shift)
    found = pair.epsilon(delta)
    assert pair.delta(found.upper).lower <= delta
    if found.value > 0:
        assert pair.delta(found.lower).upper >= delta


@pytest.mark.parametrize("shift", [0.3, 2.0, 900.0])
def test_the_curve_is_the_neyman_pearson_one(shift):
    grid = np.concatenate(([0.0], np.logspace(-300, -1, 40), np.linspace(0.1, 1, 19)))
    found = pair_of(0.0, shift).tradeoff(grid)
    # Reject "Q = Laplace(shift)" when x is below the alpha-quantile of Q.
    np.testing.assert_allclose(found, laplace.sf(laplace.ppf(grid) + shift), atol=1e-14)
    assert pair_of(0.0, 0.0).tradeoff(0.3) == pytest.approx(0.7)


@pytest.mark.parametrize("order", [1.0, 1.000001, 1.2, 2.0, 17.0, 1000.0])
@pytest.mark.parametrize("shift", [1e-6, 0.1, 1.0, 30.0])
def test_floats_agree_with_balls(order, shift):
    pair = pair_of([0.0, 5.0], [shift, 4.0])
    found, proof = pair.renyi(order), pair.prove(measure("renyi", order))
    assert proof is not None
    assert abs(found.value - proof.value) <= found.error + proof.error


def test_renyi_agrees_with_scipy():
    order, shift = 3.5, 1.2
    total = quad(
        lambda x: laplace.pdf(x) ** order * laplace.pdf(x, shift) ** (1 - order), -60, 60, points=[0, shift], limit=200
    )[0]
    assert pair_of(0.0, shift).renyi(order).value == pytest.approx(math.log(total) / (order - 1), rel=1e-10)


@settings(max_examples=40, deadline=None)
@given(shifts, st.sampled_from([("epsilon", 0.0), ("epsilon", 1e-5), ("epsilon", 1.0), ("delta", 0.0), ("delta", 0.7)]))
def test_the_proof_encloses_the_float_value(shift, asked):
    pair = pair_of(0.0, shift)
    found, proof = getattr(pair, asked[0])(asked[1]), pair.prove(measure(*asked))
    assert proof is not None
    assert abs(found.value - proof.value) <= found.error + proof.error


@settings(max_examples=30, deadline=None)
@given(shifts)
def test_renyi_rises_to_the_pure_epsilon(shift):
    pair = pair_of(0.0, shift)
    found = [pair.renyi(order) for order in (1.0, 1.01, 2.0, 64.0, 1e6, math.inf)]
    for lower, upper in itertools.pairwise(found):
        assert lower.value <= upper.value + lower.error + upper.error
    assert found[-1] == pair.epsilon(0.0)


def test_the_pair_is_symmetric_and_the_l2_distance_is_caught():
    pair = pair_of([0.0, 0.0], [3.0, 4.0])
    assert pair.swap().epsilon(0.0) == pair.epsilon(0.0)
    assert pair.epsilon(0.0).value == 7.0
    with pytest.raises(AssertionError):
        assert pair.epsilon(0.0).value == 5.0


def test_two_shifted_coordinates_are_not_guessed_at_delta_above_zero():
    pair = pair_of([0.0, 0.0], [1.0, 1.0])
    for call in (lambda: pair.delta(0.1), lambda: pair.epsilon(0.1), lambda: pair.tradeoff(0.1)):
        with pytest.raises(UnsupportedError, match="2 shifted"):
            call()
    assert pair.prove(measure("delta", 0.1)) is None
    assert pair.prove(measure("epsilon", 0.1)) is None
    assert pair.prove(measure("mu", math.nan)) is None


@pytest.mark.parametrize(
    ("kind", "argument"), [("epsilon", -1.0), ("delta", math.nan), ("renyi", 0.0), ("tradeoff", 2.0)]
)
def test_arguments_outside_their_range_are_refused(kind, argument):
    with pytest.raises(InputError):
        getattr(pair_of(0.0, 1.0), kind)(argument)
