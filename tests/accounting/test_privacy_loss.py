"""Masses of each family against scipy, its atoms by hand, and a mixture's against quadrature-free normal laws."""

import math

import numpy as np
import pytest
from scipy.stats import laplace, norm

from dpverify.accounting.privacy_loss import (
    FiniteLoss,
    GaussianLoss,
    GaussianMixtureLoss,
    LaplaceLoss,
    ReversedLoss,
    SampledLoss,
)

T = np.linspace(-1.5, 1.5, 7)


def mixed_points(thresholds, weights, shifts):
    """Where the mixture's loss passes each threshold, by bisection."""
    low, high = np.full(thresholds.shape, -40.0), np.full(thresholds.shape, 45.0)
    for _ in range(200):
        middle = (low + high) / 2
        ratio = sum(w * np.exp(s * (middle - s / 2)) for w, s in zip(weights, shifts, strict=True))
        small = np.log(ratio) < thresholds
        low, high = np.where(small, middle, low), np.where(small, high, middle)
    return (low + high) / 2


@pytest.mark.parametrize("mu", [0.3, 1.0, 5.0])
def test_gaussian(mu):
    found = GaussianLoss(mu=mu).masses(T)
    ends = np.concatenate(([-np.inf], T, [np.inf]))
    assert found.p == pytest.approx(np.diff(norm.cdf(ends, mu * mu / 2, mu)), abs=1e-15)
    assert found.q == pytest.approx(np.diff(norm.cdf(ends, -mu * mu / 2, mu)), abs=1e-15)


def test_laplace():
    law = LaplaceLoss(shift=1.2)
    found, atoms = law.masses(T), law.atoms()
    # y in (0, 1.2) is where the loss moves: L = 1.2 - 2 y for P = Laplace at 0, Q at 1.2.
    y = np.clip((1.2 - np.concatenate(([-np.inf], T, [np.inf]))) / 2, 0, 1.2)
    assert found.p == pytest.approx(-np.diff(laplace.cdf(y)), abs=1e-15)
    assert found.q == pytest.approx(-np.diff(laplace.cdf(y, 1.2)), abs=1e-15)
    assert atoms.loss.tolist() == [-1.2, 1.2]
    assert atoms.p == pytest.approx([math.exp(-1.2) / 2, 0.5])


def test_finite():
    law = FiniteLoss(log_p=np.log([0.5, 0.5]), log_q=np.array([0.0, -np.inf]), error=0.0)
    assert law.atoms().loss.tolist() == [math.log(0.5), math.inf]
    assert law.masses(T) is None
    assert law.bounds()[1] == math.inf


@pytest.mark.parametrize("rate", [0.01, 0.5])
def test_a_sample_is_a_mixture(rate):
    """The same law by two routes: a Poisson sample of normal noise, and two normal laws."""
    sampled = SampledLoss(base=GaussianLoss(mu=1.0), rate=rate)
    mixed = GaussianMixtureLoss(weights=np.array([1 - rate, rate]), shifts=np.array([0.0, 1.0]))
    one, other = sampled.masses(T), mixed.masses(T)
    assert one.p == pytest.approx(other.p, abs=1e-13)
    assert one.q == pytest.approx(other.q, abs=1e-13)
    back = ReversedLoss(base=sampled).masses(T)
    assert back.p == pytest.approx(one.q[::-1], abs=1e-15)
    assert sampled.bounds()[0] == pytest.approx(math.log1p(-rate))


@pytest.mark.parametrize(
    ("weights", "shifts"), [((0.99, 0.01), (0.0, 1.0)), ((0.5, 0.3, 0.2), (0.1, 2.0, 6.0)), ((0.5, 0.5), (0.01, 20.0))]
)
def test_a_mixture_within_its_error(weights, shifts):
    law = GaussianMixtureLoss(weights=np.array(weights), shifts=np.array(shifts))
    found, points = law.masses(T), mixed_points(T, weights, shifts)
    above = np.cumsum(found.p[::-1])[::-1][1:]
    truth = sum(w * norm.sf(points, s) for w, s in zip(weights, shifts, strict=True))
    assert np.all(np.abs(above - truth) <= found.p_error + 1e-14)
    assert np.all(found.p_error < 1e-9)


def test_a_missed_threshold_is_counted(monkeypatch):
    """Points moved by hand: the errors hold all that lies in the wrong cell, also where the density rises."""
    law = GaussianMixtureLoss(weights=np.array([0.5, 0.5]), shifts=np.array([0.5, 3.0]))
    truth, right = law.masses(T), law._points(T)
    for moved in (-0.05, 0.05):
        monkeypatch.setattr(GaussianMixtureLoss, "_points", lambda self, _, moved=moved: right + moved)
        found = law.masses(T)
        for a, b, error in ((found.p, truth.p, found.p_error), (found.q, truth.q, found.q_error)):
            assert np.all(np.abs(np.cumsum(a - b)[:-1]) <= error)
