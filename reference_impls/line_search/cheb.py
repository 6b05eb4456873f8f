"""CHEB's decision which budget was too small, from the angle between two noisy gradients (BLSGD Algorithm 3).

Lines 5 to 10, with the moving average (7) and the thresholds (8); DISS Algorithm 5.3, (5.8), (5.9), has the same text.
The decision depends on released gradients only, so it is post-processing (ledger id BL-POST).

Figures 1(e) and 5.1(e) compare it with two rules that ignore the angle, of which the text says: "'no' means never
increase budget, 'must' means always increase budget regardless of angle measurement". Which budget is not said; here
"must" raises rho_grad, as DP-AGD does whenever its search fails. The second gradient is taken and averaged as before.

Angles are in degrees, as the paper's 90. The paper does not define the angle to a vector without a direction (zero, or
not finite); here it is 90 degrees.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reference_impls.line_search.adaptive_levels import Levels

Float = NDArray[np.float64]

Raising = Literal["adap", "no", "must"]
"""When CHEB raises a budget: as the angle says, never, always."""

RIGHT_ANGLE = 90.0
"""Where the mean angle starts (Algorithm 2, line 2)."""


def angle_between(first: Float, second: Float) -> float:
    """In [0, 180] degrees, of two vectors of one shape; to about 1e-14 also where they nearly line up."""
    units = []
    for vector in (first, second):
        largest = float(np.abs(vector).max(initial=0.0))
        if not (math.isfinite(largest) and largest > 0):
            return RIGHT_ANGLE
        scaled = vector / largest
        units.append(scaled / math.sqrt(float(scaled @ scaled)))
    # Kahan's form: the arc cosine loses half of its digits near 0 and 180
    apart, together = (float(np.linalg.norm(units[0] + sign * units[1])) for sign in (-1.0, 1.0))
    return math.degrees(2.0 * math.atan2(apart, together))


def mean_angle(before: float, angle: float, psi: float) -> float:
    """The moving average of angles, equation (7)."""
    return psi * before + (1.0 - psi) * angle


def enlarged(levels: Levels, angle: float, average: float, *, xi: float, phi_max: float, phi_min: float) -> Levels:
    """The levels with one budget raised by 1 + xi, or as they were: Algorithm 3, lines 6 to 10.

    `angle` is the angle between the two gradients, `average` the moving average. Line 7's first condition, a negative
    product, is an angle above 90 degrees.
    """
    if angle > RIGHT_ANGLE or angle > phi_max * average:
        return replace(levels, rho_grad=(1.0 + xi) * levels.rho_grad)
    if angle < phi_min * average:
        return replace(levels, budget_bt=(1.0 + xi) * levels.budget_bt)
    return levels


def raised(
    levels: Levels, raising: Raising, angle: float, average: float, *, xi: float, phi_max: float, phi_min: float
) -> Levels:
    """The levels after CHEB, by its own rule ("adap": :func:`enlarged`) or by one that ignores the angle."""
    if raising == "no":
        return levels
    if raising == "must":
        return replace(levels, rho_grad=(1.0 + xi) * levels.rho_grad)
    return enlarged(levels, angle, average, xi=xi, phi_max=phi_max, phi_min=phi_min)
