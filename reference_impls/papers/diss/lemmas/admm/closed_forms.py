"""AM-XZ: (4.8) and (4.10) of DISS are the minimisers that they are said to be, in exact arithmetic.

The approximated Lagrangian (4.7) is a quadratic in x of curvature rho + 1 / eta, so a point at which its slope is 0 is
its one minimiser; L of (4.3) is convex in z, and z is a minimiser if and only if y + rho (x - z) is a subgradient of
l1 |z|. Both are statements about one coordinate. The formulas, in arrays and in the kernels' scalars, are evaluated in
floats; the slope at their result is computed in fractions. What is allowed is eight roundings of every term.

(4.8) prints the gradient at x: it is the batch's at x^k, or there would be no closed form. (4.7) prints the linear term
as g.x and not g.(x - x^k), which moves no minimiser.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np

from dpverify.core.rules import NonNegative, OneOf, Positive
from reference_impls.admm.updates import primal, primal_of, split, split_of
from reference_impls.papers.equal_up_to_rounding import UNIT, EqualUpToRounding, exact, sizes

VARIABLES = ("x", "z")
ROUNDINGS = 8
"""Of each term: the four that are added up, the divisor's, and the quotient's."""


@dataclass(frozen=True, kw_only=True)
class ClosedForm(EqualUpToRounding):
    """Subject ``admm-closed-form``: the slope that is left at a minimiser, over what rounding may leave.

    Attributes
    ----------
    variable : "x" or "z"
        Which.
    gradient, x, y, z : float
        The coordinate's slope and state; for ``z``, `x` is the new one and `z` is not used.
    eta, rho, l1 : float
        Learning rate > 0, penalty > 0, lambda >= 0.
    """

    variable: Annotated[str, OneOf(VARIABLES)] = "x"
    gradient: float = 0.5
    x: float = 0.1
    y: float = 0.01
    z: float = 0.1
    eta: Positive = 1.0
    rho: Positive = 0.25
    l1: NonNegative = 0.0001

    def minimisers(self) -> tuple[float, float]:
        """By the arrays' formula, and by the kernels'."""
        g, x, y, z = (np.array([number]) for number in (self.gradient, self.x, self.y, self.z))
        if self.variable == "x":
            found = primal(g, x, y, z, self.eta, self.rho)
            return float(found[0]), primal_of(self.gradient, self.x, self.y, self.z, self.eta, self.rho)
        return float(split(x, y, self.rho, self.l1)[0]), float(split_of(self.x, self.y, self.rho, self.l1))

    def sides(self) -> tuple[Fraction, Fraction]:
        """The worse of the two formulas."""
        sides = [(self._x if self.variable == "x" else self._z)(Fraction(new)) for new in self.minimisers()]
        return max(sides, key=lambda side: side[0] / side[1])

    def _x(self, new: Fraction) -> tuple[Fraction, Fraction]:
        """The slope of (4.7) at `new`."""
        g, x, y, z, eta, rho = exact((self.gradient, self.x, self.y, self.z, self.eta, self.rho))
        left = g + y + rho * (new - z) + (new - x) / eta
        return abs(left), ROUNDINGS * UNIT * sizes(g, y, rho * new, rho * z, new / eta, x / eta)

    def _z(self, new: Fraction) -> tuple[Fraction, Fraction]:
        """How far y + rho (x - z) is from the subgradients of l1 |z| at `new`."""
        x, y, rho, l1 = exact((self.x, self.y, self.rho, self.l1))
        slope = y + rho * (x - new)
        left = max(abs(slope) - l1, Fraction(0)) if new == 0 else abs(slope - (l1 if new > 0 else -l1))
        return left, ROUNDINGS * UNIT * sizes(y, rho * x, rho * new, l1)
