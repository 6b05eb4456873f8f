"""Where the search for the noise of many sampled steps begins: the central limit of their privacy losses.

Basis: T steps whose losses have second moments chi_t^2 come near the pair N(0, 1), N(mu, 1) with mu^2 = sum chi_t^2
(Bu, Dong, Long, Su 2020). It bounds nothing, and is not used as a bound: a good first guess saves costs that are dear.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.optimize import brentq

from dpverify.definitions.gdp import GDP

_WIDEST = (-12.0, 25.0)  # log of the noise, and of mu
_LARGEST = 500.0


def moved_chi_square(noise: float) -> float:
    """Return the chi-square of N(1, noise^2) against N(0, noise^2)."""
    return math.expm1(min(1.0 / (noise * noise), _LARGEST))


def both_sides_chi_square(noise: float) -> float:
    """Return the chi-square of the difference of N(1, noise^2) and N(-1, noise^2) against N(0, noise^2)."""
    square = min(1.0 / (noise * noise), _LARGEST)
    return 2.0 * (math.exp(square) - math.exp(-square))


def limit_start(mu_square: Callable[[float], float], *, epsilon: float, delta: float) -> float:
    """The noise at which `mu_square` of it is that of the Gaussian pair with (epsilon, delta)."""
    wanted = _gaussian_mu(epsilon, delta) ** 2
    low, high = _WIDEST

    def excess(at: float) -> float:
        return math.log(max(mu_square(math.exp(at)), 1e-300)) - math.log(wanted)

    if excess(low) <= 0:
        return math.exp(low)
    return math.exp(float(brentq(excess, low, high, xtol=1e-3))) if excess(high) < 0 else math.exp(high)


def _gaussian_mu(epsilon: float, delta: float) -> float:
    def excess(at: float) -> float:
        return math.log(max(float(GDP(mu=math.exp(at)).delta(epsilon)), 1e-300)) - math.log(delta)

    return math.exp(float(brentq(excess, -_WIDEST[1], math.log(_LARGEST), xtol=1e-4)))
