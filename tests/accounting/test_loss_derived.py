"""A Poisson sample's loss against the mixture of normal laws that it is, and both laws exchanged."""

import math

import numpy as np
import pytest
from scipy.stats import laplace

from dpverify.accounting.loss_sources import FiniteLoss, GaussianLoss, GaussianMixtureLoss, LaplaceLoss
from dpverify.accounting.privacy_loss import ReversedLoss, SampledLoss

T = np.linspace(-1.5, 1.5, 7)


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


@pytest.mark.parametrize("rate", [0.25, 0.9])
def test_a_sample_of_laplace_noise_is_the_mixture_of_two_laplace_laws(rate):
    """Noise at 0 is P, noise at 1.2 is Q: the loss of (1 - rate) Q + rate P, cell by cell of the outcome y.

    The base's loss is 1.2 - 2 y between 0 and 1.2, so cells of y are cells of the loss, run through the other way.
    """
    sampled, (near, far) = SampledLoss(base=LaplaceLoss(shift=1.2), rate=rate), (laplace(loc=at) for at in (0, 1.2))
    y = np.linspace(1.1, 0.1, 6)
    edges = np.concatenate(([1.2], y, [0.0]))
    q, p = (-np.diff(law.cdf(edges)) for law in (far, near))
    found = sampled.masses(np.log1p(rate * (near.pdf(y) / far.pdf(y) - 1)))
    assert found.q == pytest.approx(q, rel=1e-12)
    assert found.p == pytest.approx((1 - rate) * q + rate * p, rel=1e-12)
    atoms = sampled.atoms()
    beyond = np.array([[law.sf(1.2), law.cdf(0.0)] for law in (far, near)])  # the loss is least beyond 1.2
    assert atoms.p == pytest.approx((1 - rate) * beyond[0] + rate * beyond[1], rel=1e-14)
    assert atoms.loss == pytest.approx(np.log(1 - rate + rate * beyond[1] / beyond[0]), abs=1e-14)
    assert sampled.bounds() == pytest.approx(tuple(atoms.loss), abs=1e-14)


def test_atoms_by_hand():
    """Three quarters and a quarter, against the same the other way round; sampled at one quarter."""
    base = FiniteLoss(log_p=np.log([0.75, 0.25]), log_q=np.log([0.25, 0.75]), error=0.0)
    sampled = SampledLoss(base=base, rate=0.25)
    assert sampled.atoms().p == pytest.approx([0.375, 0.625], rel=1e-15)
    assert sampled.atoms().loss == pytest.approx([math.log(3 / 2), math.log(5 / 6)], rel=1e-14)
    back = ReversedLoss(base=sampled)
    assert back.atoms().p == pytest.approx([0.25, 0.75], rel=1e-15)
    assert back.atoms().loss == pytest.approx([math.log(2 / 3), math.log(6 / 5)], rel=1e-14)
    assert back.bounds() == (-sampled.bounds()[1], -sampled.bounds()[0])
