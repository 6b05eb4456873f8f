"""The best order of a Gaussian composition by hand, and order infinity."""

import math

import pytest

from dpverify.accounting.renyi_composed import classic_cost, tight_cost
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.pure import PureStep
from dpverify.core.composition import Composition


@pytest.mark.parametrize(("sigma", "count", "delta"), [(1.0, 1, 1e-5), (8.5, 100, 1e-9), (0.5, 7, 0.01)])
def test_the_classic_conversion_at_its_best_order(sigma, count, delta):
    rho = count / (2 * sigma**2)  # tau = alpha rho: the least of it is rho + 2 sqrt(rho log(1/delta))
    closed = rho + 2 * math.sqrt(rho * -math.log(delta))
    steps = Composition.repeat(GaussianStep(sigma=sigma), count)
    assert classic_cost(steps).epsilon(delta).upper == pytest.approx(closed, rel=1e-9)
    assert tight_cost(steps).epsilon(delta).upper < closed
    assert classic_cost(steps).delta(closed).upper == pytest.approx(delta, rel=1e-6)


def test_order_infinity():
    steps = Composition.repeat(PureStep(epsilon=0.5), 3)
    assert tight_cost(steps).epsilon(0.0).upper == classic_cost(steps).epsilon(0.0).upper == 1.5
    assert tight_cost(steps).delta(1.5).upper == 0
    assert tight_cost(Composition.repeat(GaussianStep(sigma=1.0), 1)).epsilon(0.0).upper == math.inf
    assert classic_cost(steps, infinity=False).epsilon(0.0).upper == math.inf
    assert classic_cost(Composition(), infinity=False).epsilon(1e-5).upper == 0
