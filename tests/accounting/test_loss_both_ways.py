"""The dominating pair of a profile: its profile is the base's at epsilon >= 0, in both directions."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.loss_both_ways import BothWaysLoss
from dpverify.accounting.loss_derived import SampledLoss
from dpverify.accounting.loss_gaussian import GaussianLoss
from dpverify.accounting.steps.fixed_size_gaussian import FixedSizeGaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition


@pytest.mark.parametrize(("mu", "rate"), [(1.0, 0.01), (0.3, 0.5), (4.0, 0.9)])
def test_it_is_a_pair_of_laws_symmetric(mu: float, rate: float) -> None:
    loss = BothWaysLoss(base=SampledLoss(base=GaussianLoss(mu=mu), rate=rate))
    at = np.linspace(-3.0, 3.0, 61)
    found, atoms = loss.masses(at), loss.atoms()
    assert found is not None
    assert found.p.sum() + atoms.p.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.allclose(found.p, found.q[::-1], atol=1e-15)
    assert 0 < atoms.p[0] < 1
    base = loss.base.masses(np.array([0.0, 1.0]))
    assert base is not None
    assert found.p[at.searchsorted(1.0) + 1 :].sum() == pytest.approx(base.p[-1], rel=1e-9)


@pytest.mark.parametrize(("q", "sigma"), [(0.01, 1.0), (0.3, 2.0)])
def test_one_step_has_the_profile_of_the_mixture(q: float, sigma: float) -> None:
    """Of (1 - q) N(0) + q N(1) against N(0), the larger direction of the Poisson sample's pair."""
    ours = compose(Composition.of(FixedSizeGaussianStep(q=q, sigma=sigma, sensitivity=1.0)))
    mixture = compose(Composition.of(PoissonGaussianStep(q=q, sigma=sigma)))
    for epsilon in (0.0, 0.1, 0.4):
        low, high = ours.delta(epsilon), mixture.delta(epsilon)
        assert low.upper >= high.lower * (1 - 1e-9)
        assert low.lower <= high.upper * (1 + 1e-9) + 1e-12


def test_a_composition_costs_no_less_than_the_mixtures() -> None:
    """Which some neighbours attain, in either order."""
    for count in (2, 50):
        ours = compose(Composition.repeat(FixedSizeGaussianStep(q=0.05, sigma=1.0, sensitivity=1.0), count))
        attained = compose(Composition.repeat(PoissonGaussianStep(q=0.05, sigma=1.0), count))
        assert ours.epsilon(1e-5).upper >= attained.epsilon(1e-5).lower
