"""Masses of normal noise against scipy, a mixture's against its loss inverted by bisection; misses are counted."""

import numpy as np
import pytest
from scipy.stats import norm

from dpverify.accounting.loss_gaussian import GaussianLoss, GaussianMixtureLoss

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
