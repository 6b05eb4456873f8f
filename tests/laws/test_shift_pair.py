from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import LawPair
from dpverify.laws.density import GaussianLaw

shifts = st.floats(1e-3, 30.0)


def pair_of(p, q, scales=1.0):
    pair = GaussianLaw(locations=p, scales=scales).against(GaussianLaw(locations=q, scales=scales))
    assert isinstance(pair, LawPair)
    return pair


def measure(kind, argument=math.nan) -> Measure:
    return Measure(kind=kind, argument=argument, claimed=1.0)


# Golden values of the Gaussian mechanism at delta = 1e-5.
@pytest.mark.parametrize(("mu", "epsilon"), [(0.5, 1.993091), (1.0, 4.377178), (2.0, 9.997256)])
def test_golden_epsilons(mu, epsilon):
    assert pair_of(0.0, mu).epsilon(1e-5).value == pytest.approx(epsilon, abs=1e-6)


def test_the_euclidean_distance_decides():
    pair = pair_of([0.0, 1.0, 2.0], [3.0, 1.0, 6.0], [1.0, 5.0, 1.0])
    assert pair.mu().value == pytest.approx(5.0, rel=1e-15)
    found = pair.prove(measure("renyi", 3.0))
    assert found is not None
    assert (found.value, found.error, found.proved) == (37.5, 0.0, True)
    with pytest.raises(AssertionError):  # the L1 distance would give 73.5
        assert found.value == 3 * 7**2 / 2


def test_nothing_moved_is_perfectly_private_and_anything_moved_is_not_purely():
    still, moved = pair_of([1.0, 2.0], [1.0, 2.0]), pair_of(0.0, 1e-9)
    assert still.epsilon(0.0).value == still.delta(0.0).value == still.renyi(5.0).value == 0.0
    assert still.prove(measure("epsilon", 0.0)).value == 0.0
    assert still.prove(measure("delta", 0.0)).upper == 0.0
    assert still.prove(measure("epsilon", 1e-9)).upper == 0.0
    assert still.delta(-1.0).value == pytest.approx(1 - math.exp(-1))
    assert moved.epsilon(0.0).value == moved.renyi(math.inf).value == math.inf
    assert moved.prove(measure("epsilon", 0.0)).value == math.inf
    np.testing.assert_allclose(still.tradeoff([0.0, 0.3, 1.0]), [1.0, 0.7, 0.0])


@pytest.mark.parametrize("mu", [1e-6, 0.01, 0.7, 4.0, 40.0])
@pytest.mark.parametrize("epsilon", [-3.0, 0.0, 1e-3, 0.5, 6.0, 30.0, 900.0])
def test_delta_agrees_with_balls_within_its_error(mu, epsilon):
    pair = pair_of(0.0, mu)
    found, proof = pair.delta(epsilon), pair.prove(measure("delta", epsilon))
    assert proof is not None
    assert proof.error <= 1e-15 * max(1.0, proof.value)
    assert abs(found.value - proof.value) <= found.error + proof.error


@settings(max_examples=40, deadline=None)
@given(shifts, st.sampled_from([1e-200, 1e-12, 1e-5, 0.1, 0.7]))
def test_epsilon_is_enclosed_by_its_proof_and_inverts_delta(mu, delta):
    pair = pair_of(0.0, mu)
    found, proof = pair.epsilon(delta), pair.prove(measure("epsilon", delta))
    assert proof is not None
    assert proof.proved
    assert abs(found.value - proof.value) <= found.error + proof.error
    assert proof.error < 1e-9
    above = pair.prove(measure("delta", proof.upper))
    assert above.lower <= delta


def test_the_curve_is_that_of_the_best_threshold():
    grid = np.linspace(0, 1, 21)
    found = pair_of(0.0, 1.3).tradeoff(grid)
    np.testing.assert_allclose(found, norm.sf(norm.ppf(grid) + 1.3), atol=1e-15)


def test_renyi_agrees_with_scipy():
    total = quad(lambda x: norm.pdf(x) ** 2.5 * norm.pdf(x, 0.8) ** -1.5, -20, 20)[0]
    assert pair_of(0.0, 0.8).renyi(2.5).value == pytest.approx(math.log(total) / 1.5, rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(shifts)
def test_tradeoff_and_delta_are_conjugates(mu):
    pair, grid = pair_of(0.0, mu), np.array([0.01, 0.2, 0.6])
    # Every tangent lies below the curve; near alpha the steepest is at epsilon = mu z - mu^2 / 2, z the quantile.
    for alpha, beta in zip(grid, pair.tradeoff(grid), strict=True):
        epsilon = min(mu * float(norm.isf(alpha)) - mu * mu / 2, 600.0)
        assert 1 - pair.delta(epsilon).value - math.exp(epsilon) * alpha <= beta + 1e-9
    epsilon = 0.3
    alphas = np.linspace(0, 1, 2001)
    gaps = 1 - pair.tradeoff(alphas) - math.exp(epsilon) * alphas
    assert float(np.max(gaps)) <= pair.delta(epsilon).upper + 1e-12


def test_swapping_changes_nothing_and_mu_is_proved():
    pair = pair_of([0.0, 1.0], [1.0, 3.0], 2.0)
    assert pair.swap().delta(0.4) == pair.delta(0.4)
    found = pair.prove(measure("mu"))
    assert found is not None
    assert found.lower <= math.sqrt(5) / 2 <= found.upper
    assert pair.prove(measure("sensitivity")) is None


@pytest.mark.parametrize(
    ("kind", "argument"), [("epsilon", 2.0), ("delta", math.nan), ("renyi", 0.5), ("tradeoff", -0.1)]
)
def test_arguments_outside_their_range_are_refused(kind, argument):
    with pytest.raises(InputError):
        getattr(pair_of(0.0, 1.0), kind)(argument)
