"""Two-sided tests of noise whose scale is claimed, exact for independent Gaussian numbers.

Results: a sum of squares of n standard normal numbers is chi-squared with n degrees of freedom; a sample of n numbers
lies further than sqrt(log(2 / p) / (2 n)) from its distribution function with probability p at most (Massart 1990); the
correlation of two independent series of n centred normal numbers has a square with the law Beta(1/2, (n - 1) / 2).

Assumptions: the numbers are independent and of one scale. Limits: other deviations are not bounded by these tests.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from dpverify.core.subjects import Float
from dpverify.stats.power import POWER


def scale_p_value(squares: Float, count: int) -> Float:
    """Two-sided p-values of sums of squares, each of `count` numbers that are standard normal as claimed."""
    below = special.gammainc(count / 2, np.asarray(squares) / 2)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(below, 1.0 - below)))


def detectable_scales(count: int, level: float) -> tuple[float, float]:
    """The largest scale below the claimed one, and the least above, that are seen with 80 % power, as multiples of it.

    Parameters
    ----------
    count : int
        Numbers that are squared and added.
    level : float
        Error probability of the two-sided test.
    """
    half = count / 2
    low, high = special.gammaincinv(half, level / 2), special.gammainccinv(half, level / 2)
    return (
        math.sqrt(low / special.gammaincinv(half, POWER)),
        math.sqrt(high / special.gammaincinv(half, 1.0 - POWER)),
    )


def law_p_value(values: Float) -> tuple[float, float]:
    """(largest distance from the normal distribution function, an upper bound on its p-value)."""
    ordered = special.ndtr(np.sort(values))
    steps = np.arange(values.size + 1) / values.size
    distance = float(max(np.max(steps[1:] - ordered), np.max(ordered - steps[:-1])))
    return distance, min(1.0, 2.0 * math.exp(-2.0 * values.size * distance**2))


def correlation_p_value(correlation: Float, count: int) -> Float:
    """Two-sided p-values of correlations of series of `count` centred normal numbers."""
    rest = np.clip(1.0 - np.square(correlation), 0.0, 1.0)
    return np.asarray(special.betainc((count - 1) / 2, 0.5, rest))
