"""Epsilons of printed tables, computed again: one step's curve at whole orders, T of them, one conversion.

Three curves for one noise multiplier on a sample of ratio q: ``tight`` (Poisson, Mironov, Talwar, Zhang 2019),
``poisson`` (BLSGD Lemma 4 as printed) and ``without-replacement`` (DISS Lemma 2.3 as printed), each with the
``classic`` conversion (Proposition 1) or the ``tight`` one. For ``tight`` at whole orders Lemma 4's sum with the factor
1 instead of 3 is exact, and that is what its balls evaluate. Not to be confused with an accountant's best real order:
the tables' programs searched a list of whole ones.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Literal

import flint
import numpy as np

from dpverify.accounting.order_search import classic_epsilon, tight_epsilon
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.accounting.steps.printed_samples import PoissonPrintedStep, WithoutReplacementStep
from dpverify.core.subjects import Float
from reference_impls.papers.accounting.lemmas.amplification_balls import (
    gaussian_ball,
    poisson_ball,
    without_replacement_ball,
)

Lemma = Literal["tight", "poisson", "without-replacement"]
Conversion = Literal["classic", "tight"]
LEMMAS: tuple[Lemma, ...] = ("tight", "poisson", "without-replacement")
CONVERSIONS: tuple[Conversion, ...] = ("classic", "tight")
_CONVERTED = {"classic": classic_epsilon, "tight": tight_epsilon}


@functools.lru_cache(maxsize=4096)
def curve(lemma: Lemma, q: float, sigma: float, last: int) -> Float:
    """One step's Renyi bounds at the orders 2 .. last, shape (last - 1,), read-only."""
    orders = np.arange(2.0, last + 1)
    if lemma == "tight":
        found = PoissonGaussianStep(q=q, sigma=sigma).renyi(orders)
    elif lemma == "poisson":
        found = PoissonPrintedStep(q=q, step=GaussianStep(sigma=sigma)).printed(orders)
    else:
        found = WithoutReplacementStep(q=q, step=GaussianStep(sigma=sigma)).printed(orders)
    found.flags.writeable = False
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How an epsilon is computed.

    Attributes
    ----------
    lemma, conversion : str
        Of `LEMMAS` and `CONVERSIONS`.
    delta : float
        In (0, 1).
    last : int
        The orders are 2 .. last.
    """

    lemma: Lemma
    conversion: Conversion
    delta: float
    last: int = 256

    def epsilon(self, q: float, sigma: float, steps: int) -> float:
        """The least over all orders."""
        return float(self.by_order(q, sigma, steps).min())

    def by_order(self, q: float, sigma: float, steps: int) -> Float:
        """At each order 2 .. last."""
        orders = np.arange(2.0, self.last + 1)
        bounds = steps * curve(self.lemma, q, sigma, self.last)
        return _CONVERTED[self.conversion](orders, bounds, self.delta)

    def ball(self, q: flint.arb, sigma: float, steps: int) -> flint.arb:
        """The same in balls, with the sampling ratio as exact as the caller has it."""
        found: flint.arb | None = None
        delta = flint.arb(self.delta)
        epsilon = gaussian_ball(GaussianStep(sigma=sigma))
        for order in range(2, self.last + 1):
            if self.lemma == "without-replacement":
                bound = without_replacement_ball(q, epsilon, order)
            else:
                bound = poisson_ball(q, epsilon, order, factor=1 if self.lemma == "tight" else 3)
            value = steps * bound - delta.log() / (order - 1)
            if self.conversion == "tight":
                value += (1 - 1 / flint.arb(order)).log() - flint.arb(order).log() / (order - 1)
                value = value.max(flint.arb(0))
            found = value if found is None else found.min(value)
        assert found is not None
        return found


def within(printed: float, computed: float, tolerance: float) -> bool:
    """Whether a computed value is the printed one up to `tolerance`, rounding of the comparison aside."""
    return math.fabs(printed - computed) <= tolerance * (1 + 1e-9)
