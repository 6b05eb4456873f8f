"""AM-LHAT: is the approximated Lagrangian (4.7) of DISS an approximation of (4.3)?

A first-order expansion around x^k has the value of the function there. (4.7) prints ``<grad f(x^k), x>`` where the
expansion has ``<grad f(x^k), x - x^k>``, so at x^k it is off by ``<grad f(x^k), x^k>``. That is a constant in x: the
minimiser (4.8) does not move, and neither does the algorithm.

Two coordinates; both Lagrangians in doubles at x = x^k, their difference in fractions, over sixteen roundings of every
term.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Positive
from reference_impls.papers.diss.lemmas.admm.lagrangian import augmented, linearised
from reference_impls.papers.equal_up_to_rounding import UNIT, EqualUpToRounding

ROUNDINGS = 16


@dataclass(frozen=True, kw_only=True)
class Expansion(EqualUpToRounding):
    """Subject ``admm-expansion``: the distance of the two at x^k, over what rounding may do.

    Attributes
    ----------
    moved : bool
        Whether the linear term is taken from x^k, as an expansion has it.
    value, first, second : float
        f(x^k) and its gradient.
    x_1, x_2 : float
        x^k; z and y are half of it and its opposite.
    rho, eta : float
        Penalty and learning rate, > 0.
    """

    moved: bool = False
    value: float = 0.7
    first: float = 0.5
    second: float = -0.25
    x_1: float = 0.1
    x_2: float = -0.2
    rho: Positive = 0.25
    eta: Positive = 1.0

    def sides(self) -> tuple[Fraction, Fraction]:
        """Both at x = x^k, lambda = 0.0001."""
        x, slope = np.array([self.x_1, self.x_2]), np.array([self.first, self.second])
        z, y = 0.5 * x, -x
        value = self.value - float(np.einsum("j,j->", slope, x)) if self.moved else self.value
        near = linearised(value, slope, x, x, z, y, eta=self.eta, rho=self.rho, l1=0.0001)
        true = augmented(self.value, x, z, y, rho=self.rho, l1=0.0001)
        terms = abs(self.value) + 1.0 + float(np.abs(slope * x).sum() + (1.0 + self.rho) * np.square(x).sum())
        return abs(Fraction(near) - Fraction(true)), ROUNDINGS * UNIT * Fraction(terms)


def shown() -> Shown:
    """The numbers shown beside the remark on AM-LHAT."""
    printed, moved = Expansion(), Expansion(moved=True)
    gaps = [float(each.sides()[0]) for each in (printed, moved)]
    product = abs(printed.first * printed.x_1 + printed.second * printed.x_2)
    numbers = (
        ("distance at x^k, as printed", gaps[0]),
        ("<grad f(x^k), x^k>", product),
        ("distance with x - x^k", gaps[1]),
    )
    return Shown(numbers=numbers, holds=abs(gaps[0] - product) < 1e-12 and gaps[1] < 1e-12 < gaps[0])
