"""AM-XZ: the slopes by hand, and formulas with a term wrong that fall."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.verdict import Status
from reference_impls.papers.diss.lemmas.admm.closed_forms import ClosedForm
from reference_impls.papers.diss.lemmas.admm.lagrangian import augmented, linearised
from tests.reference_impls.rows import status


def test_nothing_but_rounding_is_left_where_numbers_are_dyadic() -> None:
    """All sums are exact there: the slope is 0, and so is the claim's truth."""
    at = ClosedForm(gradient=0.5, x=1.0, y=-0.25, z=2.0, eta=1.0, rho=1.0)
    assert at.minimisers() == (1.375, 1.375)
    assert at.sides()[0] == 0
    z = ClosedForm(variable="z", x=1.0, y=0.5, rho=2.0, l1=0.5)
    assert z.minimisers() == (1.0, 1.0)
    assert z.sides()[0] == 0
    assert ClosedForm(variable="z", x=0.125, y=0.0, rho=2.0, l1=0.5).minimisers() == (0.0, 0.0)


@pytest.mark.parametrize("variable", ["x", "z"])
def test_the_slope_is_that_of_the_lagrangian(variable: str) -> None:
    """By central differences of (4.7) and (4.3) at a point that is no minimiser."""
    at = ClosedForm(variable=variable, gradient=0.3, x=0.7, y=-0.2, z=0.4, eta=0.6, rho=1.3, l1=0.1)
    point, step = 0.9, 1e-6
    x, y, z = (np.array([each]) for each in (at.x, at.y, at.z))

    def value(new: float) -> float:
        there = np.array([new])
        if variable == "x":
            return linearised(0.0, np.array([at.gradient]), x, there, z, y, eta=at.eta, rho=at.rho, l1=at.l1)
        return augmented(0.0, x, there, y, rho=at.rho, l1=at.l1)

    slope = (value(point + step) - value(point - step)) / (2 * step)
    found = (at._x if variable == "x" else at._z)(Fraction(point))[0]
    assert float(found) == pytest.approx(abs(slope), rel=1e-8)


@dataclass(frozen=True, kw_only=True)
class Wrong(ClosedForm):
    """(4.8) without the penalty on z, (4.10) without rho under lambda."""

    def minimisers(self) -> tuple[float, float]:
        if self.variable == "x":
            new = (-self.gradient - self.y + self.x / self.eta) / (self.rho + 1 / self.eta)
        else:
            new = float(np.sign(self.x + self.y / self.rho) * max(abs(self.x + self.y / self.rho) - self.l1, 0.0))
        return new, new


@pytest.mark.parametrize("variable", ["x", "z"])
def test_verdicts(variable: str) -> None:
    assert status(f"AM-XZ.{variable}", "lemma") is Status.NOT_REFUTED
    assert status(f"AM-XZ.{variable}", "lemma", subject=Wrong) is Status.REFUTED


@pytest.mark.parametrize("bad", [{"variable": "y"}, {"rho": 0.0}, {"eta": -1.0}, {"l1": -0.1}])
def test_bad_numbers(bad: dict[str, float]) -> None:
    with pytest.raises(InputError):
        ClosedForm(**bad)  # type: ignore[arg-type]  # wrong on purpose
