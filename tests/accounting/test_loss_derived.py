"""A Poisson sample's loss against the mixture of normal laws that it is, and both laws exchanged."""

import math

import numpy as np
import pytest

from dpverify.accounting.loss_derived import ReversedLoss, SampledLoss
from dpverify.accounting.loss_finite import FiniteLoss
from dpverify.accounting.loss_gaussian import GaussianLoss, GaussianMixtureLoss

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
