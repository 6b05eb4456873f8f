"""Rényi divergences that a claim allows: the orders that may be measured, and the largest divergence at each.

Results: an RDP or zCDP claim states them directly. Pure epsilon-DP is attained by randomised response, which dominates
every such pair (Kairouz, Oh, Viswanath, arXiv 1311.0776, Theorem 2.1), so D_a is at most its divergence there: below
min(epsilon, a epsilon^2 / 2). mu-GDP is attained by the Gaussian pair: D_a <= a mu^2 / 2 (Dong, Roth, Su 2019,
Corollary B.6). They are used in the valid direction only: a larger divergence refutes, and inverted it bounds epsilon
or mu from below. Approximate DP bounds no divergence: an event of probability delta may have any ratio.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit

from dpverify.core.measure import Measure
from dpverify.core.subjects import PrivacyGuarantee
from dpverify.stats.renyi import binary_renyi
from dpverify.stats.rounding import down, up

ORDERS = (1.25, 1.5, 2.0, 3.0, 4.0, 8.0, 16.0, 32.0)
"""Orders that are tried where the claim names none."""

ULPS = 64
"""Relative amount by which allowed divergences are raised and inverted bounds are lowered."""

BISECTIONS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """One order with the largest divergence that the claim allows there.

    Attributes
    ----------
    measure : Measure
        The claim's measure, in whose units the bound is reported.
    via : "renyi", "epsilon" or "mu"
        How a divergence is converted to that measure.
    """

    order: float
    allowed: float
    measure: Measure
    via: Literal["renyi", "epsilon", "mu"]

    def value(self, divergence: float) -> float:
        """The smallest value of the measure that allows this divergence; rounded down."""
        if self.via == "renyi" or not 0.0 < divergence < math.inf:
            return divergence
        if self.via == "mu":
            return float(down(math.sqrt(2.0 * divergence / self.order), ULPS))
        low, high = 0.0, max(1.0, 2.0 * divergence)
        while pure_divergence(high, self.order) < divergence:
            high *= 2.0
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            if pure_divergence(middle, self.order) < divergence:
                low = middle
            else:
                high = middle
        return float(down(low, ULPS))


def pure_divergence(epsilon: float, order: float) -> float:
    """The largest Renyi divergence between two epsilon-indistinguishable laws: that of randomised response."""
    return float(binary_renyi(np.array(expit(epsilon)), np.array(expit(-epsilon)), order))


def aims(guarantee: PrivacyGuarantee) -> tuple[Aim, ...]:
    """All divergences of finite order that the claim bounds; empty when it bounds none."""
    found: list[Aim] = []
    for measure in guarantee.measures():
        if measure.kind == "renyi" and math.isfinite(measure.argument):
            found.append(Aim(order=measure.argument, allowed=measure.claimed, measure=measure, via="renyi"))
        elif measure.kind == "mu":
            found += [
                Aim(order=order, allowed=float(up(order * measure.claimed**2 / 2.0, ULPS)), measure=measure, via="mu")
                for order in ORDERS
            ]
        elif measure.kind == "renyi" or (measure.kind == "epsilon" and measure.argument == 0.0):  # order inf is pure DP
            found += [
                Aim(
                    order=order,
                    allowed=float(up(pure_divergence(measure.claimed, order), ULPS)),
                    measure=measure,
                    via="epsilon",
                )
                for order in ORDERS
            ]
    return tuple(found)
