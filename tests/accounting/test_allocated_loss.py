"""The mean of likelihood ratios: bounds beside quadrature, enumeration and draws; one place or no loss is the step."""

from __future__ import annotations

import itertools
import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from dpverify.accounting.accountants.pld import ComposedLosses
from dpverify.accounting.allocated_loss import mean_ratio
from dpverify.accounting.loss_sources import FiniteLoss, GaussianLoss, LaplaceLoss
from dpverify.accounting.privacy_loss import BetweenLoss, ReversedLoss, lower_of
from dpverify.core.errors import UnsupportedError


def delta(loss, epsilon, count=1):
    return ComposedLosses(by_direction=(((loss, count),),)).delta(epsilon)


def pair_of_places(mu, level):
    """E(Z_1 + Z_2 - 2 level)_+ / 2 of two lognormal ratios: one in closed form, the other by quadrature."""

    def inner(u):
        need = 2 * level - math.exp(mu * u - mu * mu / 2)
        if need <= 0:
            return (1 - need) * norm.pdf(u)
        at = (mu * mu / 2 - math.log(need)) / mu
        return (norm.cdf(at) - need * norm.cdf(at - mu)) * norm.pdf(u)

    top = (math.log(2 * level) + mu * mu / 2) / mu
    ends = [-12.0, 0.0, top - 1, top - 0.1, top, top + 0.1, top + 1, top + 14, 14.0]
    return sum(quad(inner, a, b, limit=300, epsabs=0, epsrel=1e-9)[0] for a, b in pairwise(sorted(ends))) / 2


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0, 5.0])
@pytest.mark.parametrize("sigma", [1.0, 2.5])
def test_two_places_by_quadrature(sigma, epsilon):
    over, back = mean_ratio(GaussianLoss(mu=1 / sigma), 2)
    exact, found = pair_of_places(1 / sigma, math.exp(epsilon)), delta(over, epsilon)
    assert found.lower <= exact * (1 + 1e-8) and exact <= found.upper * (1 + 1e-8)
    assert found.upper - found.lower <= 0.05 * exact + 1e-14
    # E(1 - x M)_+ = 1 - x + x E(M - 1 / x)_+
    exact = 1 - math.exp(epsilon) + math.exp(epsilon) * pair_of_places(1 / sigma, math.exp(-epsilon))
    found = delta(back, epsilon)
    assert found.lower - 1e-7 <= exact <= found.upper + 1e-7


@pytest.mark.parametrize("count", [2, 3, 5])
def test_finite_laws_by_enumeration(count):
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    over, back = mean_ratio(FiniteLoss(log_p=np.log(p), log_q=np.log(q), error=1e-15), count)
    places = list(itertools.product(range(3), repeat=count))
    under = np.array([math.prod(q[i] for i in place) for place in places])
    mean = np.array([sum(p[i] / q[i] for i in place) / count for place in places])
    for epsilon in (0.0, 0.1, 0.3, 0.6, 0.85):
        for loss, exact in (
            (over, float(np.sum(under * np.maximum(mean - math.exp(epsilon), 0)))),
            (back, float(np.sum(under * np.maximum(1 - math.exp(epsilon) * mean, 0)))),
        ):
            found = delta(loss, epsilon)
            assert found.lower - 1e-12 <= exact <= found.upper + 1e-12
            assert found.upper - found.lower <= 0.01 * exact + 1e-3


def test_two_epochs_by_enumeration():
    """The lower law is one of a pair: it holds in compositions, too."""
    p, q = np.array([0.6, 0.4]), np.array([0.4, 0.6])
    loss = mean_ratio(FiniteLoss(log_p=np.log(p), log_q=np.log(q), error=1e-15), 3)[0]
    places = list(itertools.product(range(2), repeat=3))
    under = np.array([math.prod(q[i] for i in place) for place in places])
    mean = np.array([sum(p[i] / q[i] for i in place) / 3 for place in places])
    both = np.multiply.outer(under, under), np.multiply.outer(mean, mean)
    for epsilon in (0.0, 0.2, 0.5):
        exact = float(np.sum(both[0] * np.maximum(both[1] - math.exp(epsilon), 0)))
        found = delta(loss, epsilon, 2)
        assert found.lower - 1e-12 <= exact <= found.upper + 1e-12


@pytest.mark.parametrize(
    ("loss", "draw"),
    [
        (GaussianLoss(mu=1.0), lambda rng, size: np.exp(rng.normal(size=size) - 0.5)),
        (LaplaceLoss(shift=1.0), lambda rng, size: np.exp(np.abs(y := rng.laplace(size=size)) - np.abs(y - 1))),
    ],
)
def test_draws(loss, draw):
    """Forty places: the mean of a million draws lies within the bracket, up to six standard errors."""
    mean = sum(draw(np.random.default_rng(i), 1_000_000) for i in range(40)) / 40
    over, back = mean_ratio(loss, 40)
    for epsilon in (0.05, 0.2, 0.4):
        for one, values in (
            (over, np.maximum(mean - math.exp(epsilon), 0)),
            (back, np.maximum(1 - math.exp(epsilon) * mean, 0)),
        ):
            found, room = delta(one, epsilon), 6 * float(np.std(values)) / 1e3
            assert found.lower - room <= float(np.mean(values)) <= found.upper + room


def test_one_place_and_no_loss_are_the_step():
    loss = GaussianLoss(mu=0.5)
    assert mean_ratio(loss, 1) == (loss, ReversedLoss(base=loss))
    still = GaussianLoss(mu=0.0)
    assert mean_ratio(still, 7)[0] is still


def test_bounds_are_those_of_a_step():
    over, back = mean_ratio(LaplaceLoss(shift=0.7), 4)
    assert over.bounds() == back.bounds() == (-0.7, 0.7)
    assert mean_ratio(GaussianLoss(mu=1.0), 4)[0].bounds() == (-math.inf, math.inf)


def test_losses_that_cannot_be_added_are_refused():
    with pytest.raises(UnsupportedError, match="at most 300"):
        mean_ratio(GaussianLoss(mu=30.0), 2)
    caught = FiniteLoss(log_p=np.log([0.1, 0.9]), log_q=np.array([-np.inf, 0.0]), error=0.0)
    with pytest.raises(UnsupportedError, match="infinite"):
        mean_ratio(caught, 2)


def test_the_lower_law_of_what_is_made_from_one_between_two():
    over = mean_ratio(GaussianLoss(mu=1.0), 4)[0]
    assert isinstance(over, BetweenLoss)
    made = lower_of(ReversedLoss(base=over))
    assert isinstance(made, ReversedLoss) and made.base is over.lower
    plain = ReversedLoss(base=GaussianLoss(mu=1.0))
    assert lower_of(plain) is plain


def test_what_is_cut_off_costs_infinitely_much_above_and_nothing_below():
    over = mean_ratio(GaussianLoss(mu=1.0), 3)[0]
    assert isinstance(over, BetweenLoss)
    infinite = float(over.upper.atoms().p[-1])
    assert 0 < infinite < 1e-90
    found = ComposedLosses(by_direction=(((over, 1),),)).epsilon(1e-150)
    assert found.upper == math.inf
    assert found.lower < math.inf
