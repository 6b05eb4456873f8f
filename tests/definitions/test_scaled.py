"""Guarantees that can be scaled: every claimed number of the headline times the factor, and weaker for a larger one."""

import numpy as np
import pytest

from dpverify.core.subjects import Scalable
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import PureDP
from dpverify.definitions.rdp import RDP, ZCDP

EXAMPLES = [PureDP(epsilon=0.5), GDP(mu=0.7), ZCDP(rho=0.3), RDP(orders=(2.0, 8.0), epsilons=(0.5, 2.0))]


@pytest.mark.parametrize("guarantee", EXAMPLES, ids=lambda guarantee: guarantee.text())
@pytest.mark.parametrize("factor", [0.25, 1.0, 3.0])
def test_scaled(guarantee, factor):
    assert isinstance(guarantee, Scalable)
    scaled = guarantee.scaled(factor)
    assert type(scaled) is type(guarantee)
    assert scaled.measures()[0].claimed == pytest.approx(factor * guarantee.measures()[0].claimed)
    grid = np.linspace(0.01, 0.99, 25)
    weaker, stronger = (scaled, guarantee) if factor >= 1 else (guarantee, scaled)
    assert np.all(weaker.tradeoff(grid) <= stronger.tradeoff(grid) + 1e-12)
