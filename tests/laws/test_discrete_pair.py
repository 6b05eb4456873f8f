"""Pairs of given discrete laws: closed forms, edges, the direction, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import ndtr, ndtri

from dpverify.core.errors import InputError
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.subjects import LawPair
from dpverify.laws.discrete import DiscretePair

# Closed forms.


def test_randomised_response_has_its_closed_forms(close, pair_of):
    e = 1.3
    p = [math.exp(e) / (1 + math.exp(e)), 1 / (1 + math.exp(e))]
    pair = pair_of(p, p[::-1])
    assert isinstance(pair, LawPair)
    assert close(pair.epsilon(0.0), e, 1e-15)
    assert close(pair.delta(0.0), p[0] - p[1], 1e-15)
    assert close(pair.epsilon(0.1), math.log((p[0] - 0.1) / p[1]), 1e-14)
    assert close(pair.renyi(2.0), math.log(p[0] ** 2 / p[1] + p[1] ** 2 / p[0]), 1e-14)
    assert close(pair.renyi(1.0), (p[0] - p[1]) * e, 1e-15)
    assert close(pair.mu(), 2 * ndtri(p[0]), 1e-14)
    np.testing.assert_allclose(pair.tradeoff([0.0, p[1], 1.0]), [1.0, p[1], 0.0], rtol=1e-15)


def test_differing_supports_are_infinite_without_nan_or_warning(close, pair_of):
    pair = pair_of([0.5, 0.5, 0.0], [0.0, 0.5, 0.5])
    assert pair.epsilon(0.0) == Enclosed(value=math.inf)
    assert pair.epsilon(0.25).value == math.inf
    assert pair.epsilon(0.75).value == 0.0
    assert pair.renyi(2.0).value == math.inf
    assert pair.renyi(1.0).value == math.inf
    assert pair.renyi(math.inf).value == math.inf
    assert pair.mu().value == math.inf
    assert close(pair.delta(math.inf), 0.5)
    assert close(pair.delta(50.0), 0.5)
    np.testing.assert_allclose(pair.tradeoff([0.0, 0.25, 0.5, 1.0]), [0.5, 0.25, 0.0, 0.0], atol=1e-15)


def test_a_delta_at_the_edge_of_an_impossible_outcome_admits_that_it_cannot_tell(pair_of):
    for delta in (math.nextafter(0.5, 0.0), 0.5, math.nextafter(0.5, 1.0)):
        found = pair_of([0.5, 0.5, 0.0], [0.0, 0.5, 0.5]).epsilon(delta)
        assert found.value == 0.0
        assert found.upper == math.inf


def test_one_sided_support(close, pair_of):
    pair = pair_of([0.5, 0.5], [0.25, 0.75])
    inside = pair_of([1.0, 0.0], [0.25, 0.75])
    assert close(inside.renyi(3.0), math.log(4.0), 1e-15)
    assert close(inside.renyi(1.0), math.log(4.0), 1e-15)
    assert inside.swap().renyi(1.0).value == math.inf
    assert inside.mu().value == math.inf
    assert pair.delta(-math.inf).value == 1.0


def test_outcomes_impossible_under_both_do_not_matter(pair_of):
    with_nothing = pair_of([0.5, 0.5, 0.0], [0.25, 0.75, 0.0])
    without = pair_of([0.5, 0.5], [0.25, 0.75])
    for measure in ("epsilon", "delta"):
        assert getattr(with_nothing, measure)(0.1) == getattr(without, measure)(0.1)


def test_equal_laws_are_indistinguishable(pair_of):
    pair = pair_of([0.3, 0.7], [0.3, 0.7])
    assert pair.epsilon(0.0).value == 0.0
    assert pair.epsilon(1e-6).value == 0.0
    assert pair.delta(0.0).value == 0.0
    assert pair.renyi(5.0).value == 0.0
    assert pair.mu().value < 1e-15
    np.testing.assert_allclose(pair.tradeoff([0.0, 0.2, 1.0]), [1.0, 0.8, 0.0], atol=1e-15)


@pytest.mark.parametrize("tiny", [1e-300, 1e-320])
def test_extreme_probabilities(close, pair_of, tiny):
    pair = pair_of([tiny, 1.0], [2 * tiny, 1.0])
    back = pair.swap()
    assert close(back.epsilon(0.0), math.log(2.0), 1e-15 if tiny == 1e-300 else 1e-3)
    assert pair.epsilon(0.0).value == 0.0
    far = DiscretePair(log_p=np.array([-5.0, math.log1p(-math.exp(-5))]), log_q=np.array([-2000.0, 0.0]))
    assert close(far.epsilon(0.0), 1995.0)
    assert close(far.epsilon(1e-3), math.log(math.exp(-5) - 1e-3) + 2000, 1e-12)
    assert close(far.renyi(3.0), (3 * -5.0 + 2 * 2000.0) / 2, 1e-12)
    assert close(far.delta(1990.0), math.exp(-5) * (1 - math.exp(-5)), 1e-15)
    assert far.tradeoff(0.0) == pytest.approx(1.0)


def test_no_gaussian_curve_above_the_claimed_mu_is_needed(pair_of):
    rng = np.random.default_rng(3)
    p, q = rng.dirichlet(np.ones(30), size=2)
    pair, grid = pair_of(p, q), np.linspace(0.001, 0.999, 999)
    mu = pair.mu().value
    assert np.all(pair.tradeoff(grid) >= ndtr(-ndtri(grid) - mu) - 1e-12)
    assert np.any(pair.tradeoff(np.linspace(0, 1, 4001)[1:-1]) < ndtr(-ndtri(np.linspace(0, 1, 4001)[1:-1]) - 0.9 * mu))


# An independent library: a linear program for the trade-off.


@pytest.mark.parametrize("alpha", [0.0, 0.05, 0.3, 0.9])
def test_tradeoff_agrees_with_a_linear_program(pair_of, alpha):
    rng = np.random.default_rng(11)
    p, q = rng.dirichlet(np.full(20, 0.5), size=2)
    solved = linprog(p * -1, A_ub=[q], b_ub=[alpha], bounds=(0, 1))
    assert pair_of(p, q).tradeoff(alpha) == pytest.approx(1 + solved.fun, abs=1e-9)


# Direction, arguments, speed.


def check_direction(pair: LawPair) -> None:
    """P = (1/2, 1/2, 0), Q = (1/4, 1/4, 1/2): finite one way, infinite the other."""
    assert pair.epsilon(0.0).value == pytest.approx(math.log(2))
    assert pair.delta(math.log(2)).value == pytest.approx(0.0, abs=1e-14)
    assert pair.renyi(2.0).value == pytest.approx(math.log(2))
    assert pair.swap().epsilon(0.0).value == math.inf
    np.testing.assert_allclose(pair.tradeoff([0.25, 0.5]), [0.5, 0.0], atol=1e-15)


def test_the_direction_is_of_p_from_q_and_a_swapped_pair_is_caught(pair_of):
    pair = pair_of([0.5, 0.5, 0.0], [0.25, 0.25, 0.5])
    check_direction(pair)
    with pytest.raises(AssertionError):
        check_direction(pair.swap())


@pytest.mark.parametrize(
    ("kind", "argument"), [("epsilon", -0.1), ("epsilon", 1.1), ("delta", math.nan), ("renyi", 0.5), ("tradeoff", 1.5)]
)
def test_arguments_outside_their_range_are_refused(pair_of, kind, argument):
    with pytest.raises(InputError):
        getattr(pair_of([0.5, 0.5], [0.4, 0.6]), kind)(argument)


def test_no_proof_without_enclosures(pair_of):
    assert pair_of([0.5, 0.5], [0.4, 0.6]).prove(Measure(kind="epsilon", argument=0.0, claimed=1.0)) is None
