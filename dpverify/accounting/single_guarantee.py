"""Implications of one guarantee (epsilon_0, delta_0) at other epsilons and deltas: its profile and the inverse.

Result: (epsilon_0, delta_0)-DP implies (t, delta)-DP for delta = delta_0 + (1 - delta_0) (e^epsilon_0 - e^t) /
(1 + e^epsilon_0), 0 <= t <= epsilon_0, and no less (Kairouz, Oh, Viswanath 2015: randomised response with delta_0
attains it). Sides: rounded up by `ROUNDING`. Not to be confused with a conversion from Renyi DP, which uses more orders
than infinity.
"""

from __future__ import annotations

import math

from dpverify.definitions.approx_dp import corner_profile

ROUNDING = 1e-14
"""Relative slack that is added to results which are not the guarantee's own numbers."""


def corner_delta(corner: tuple[float, float], epsilon: float) -> float:
    """Smallest delta at `epsilon` >= 0 that (epsilon_0, delta_0) implies; 1 when epsilon_0 is infinite."""
    claimed, delta = corner
    if epsilon >= claimed:
        return min(delta, 1.0)
    if math.isinf(claimed) or delta >= 1:
        return 1.0
    return min(1.0, float(corner_profile(epsilon, claimed, delta)) * (1 + ROUNDING))


def corner_epsilon(corner: tuple[float, float], delta: float) -> float:
    """Smallest epsilon >= 0 at `delta` in [0, 1) that (epsilon_0, delta_0) implies; +inf when delta < delta_0."""
    claimed, least = corner
    if delta < least:
        return math.inf
    if delta == least or math.isinf(claimed) or claimed == 0:
        return claimed
    # e^t = e^epsilon_0 - x (1 + e^epsilon_0), x the share of delta beyond delta_0
    share = (delta - least) / (1 - least) * (1 + math.exp(-claimed)) * (1 - ROUNDING)
    if share >= 1:
        return 0.0
    return min(claimed, max(0.0, claimed + math.log1p(-share) + ROUNDING * (claimed + 1)))
