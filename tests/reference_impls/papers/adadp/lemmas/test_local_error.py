"""AD-EXTRAP: the flow by a solver, the orders of the errors, and factors that fall."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate

from dpverify.core.verdict import Status, judge
from dpverify.laws.balls import working_precision
from reference_impls.papers.adadp.lemmas.local_error import FAMILIES, LocalError


@pytest.mark.parametrize("family", FAMILIES)
def test_the_flow_is_the_flow(family: str) -> None:
    one = LocalError(family=family, step=0.3, curvature=1.7, start=1.2)
    with working_precision():
        start, end = float(one._start()), float(one._flow())

    def slope(_: float, theta: Any) -> Any:
        t = theta[0]
        return [-1.7 * {"quadratic": t, "cubic": t * t, "kink": max(t, 1.0)}[family]]

    solved = integrate.solve_ivp(slope, (0, 0.3), [start], rtol=1e-11, atol=1e-12, max_step=1e-3)
    assert end == pytest.approx(solved.y[0, -1], abs=1e-7)


def test_twice_the_difference_is_of_the_third_order_and_once_of_the_second(examined) -> None:
    steps = np.array([0.1, 0.05, 0.025])
    for family, factor, order in (("quadratic", 2.0, 3), ("cubic", 2.0, 3), ("quadratic", 1.0, 2), ("kink", 2.0, 2)):
        off = [LocalError(step=float(step), family=family, factor=factor).truth().value for step in steps]
        assert np.log2(off[1] / off[2]) == pytest.approx(order, abs=0.15), family
    assert judge(examined("AD-EXTRAP.printed")) is Status.REFUTED
    assert judge(examined("AD-EXTRAP.twice", factor=1.9)) is Status.REFUTED
    assert judge(examined("AD-EXTRAP.cubic", factor=1.9)) is Status.REFUTED
