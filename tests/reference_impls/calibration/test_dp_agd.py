"""DP-AGD's price is that of its zCDP filter, of which a line is known and nothing more."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from dpverify.accounting.accountants.gdp import GdpAccountant
from dpverify.accounting.accountants.pld import PldAccountant
from dpverify.utility.calibration import calibrated
from dpverify.utility.calibration_family import Asked
from reference_impls.calibration.dp_agd import DpAgdFamily
from reference_impls.optimizers.dp_agd import DpAgd


def converted(rho: float, delta: float) -> float:
    """The least epsilon of rho-zCDP by Renyi orders (Canonne, Kamath, Steinke 2020, Proposition 12), by its formula."""

    def at(log_excess: float) -> float:
        order = 1 + math.exp(log_excess)
        return rho * order + (math.log(1 / delta) + (order - 1) * math.log1p(-1 / order) - math.log(order)) / (
            order - 1
        )

    grid = np.linspace(-6, 12, 400)
    start = min(grid, key=at)
    return float(minimize_scalar(at, bounds=(start - 0.1, start + 0.1), method="bounded", options={"xatol": 1e-12}).fun)


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("epsilon", [0.05, 0.8])
def test_its_noise_is_that_of_the_line(epsilon: float, relation: str) -> None:
    found = calibrated(DpAgd(epsilon=epsilon, delta=1e-8), epsilon=epsilon, delta=1e-8, relation=relation, rows=45_211)
    rho = found.algorithm.rho * (4 if relation == "replace" else 1)
    assert 0.998 * epsilon <= converted(rho, 1e-8) <= epsilon


def test_no_accountant_takes_it_for_gaussian_noise() -> None:
    asked = Asked(epsilon=1.0, delta=1e-6, relation="add-remove", rows=1000)
    (cost,) = DpAgdFamily().priced(DpAgd(epsilon=1.0, delta=1e-6), asked)
    assert PldAccountant().refuses(cost) and GdpAccountant().refuses(cost)
