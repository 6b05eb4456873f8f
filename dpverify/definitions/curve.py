"""What every curve shares: its arguments, products with e^epsilon that do not overflow, and negative epsilons.

For a pair (P, Q) of output distributions and an event S, alpha = Q(S) is the false-positive rate and
beta = 1 - P(S) the false-negative rate; f(alpha) is the least beta allowed, and
delta(epsilon) = sup_S P(S) - e^epsilon Q(S) = sup_alpha 1 - f(alpha) - e^epsilon alpha.
`reverse` swaps P and Q, which inverts f (Dong, Roth, Su 2019, arXiv 1905.02383, sections 2.1 and 2.3).
Not to be confused with the other convention in use, where f is written of (Q, P): ours is that of ``LawPair``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float

_HALF = 700.0  # e^700 is finite, and e^700 * e^700 times the least positive float exceeds 1


def rates(alpha: ArrayLike) -> Float:
    """False-positive rates as an array of any shape; InputError unless all lie in [0, 1]."""
    array = np.asarray(alpha, dtype=np.float64)
    outside = ~((array >= 0) & (array <= 1))
    if np.any(outside):
        raise InputError(f"a false-positive rate of {array[outside].flat[0]}", allowed="0 <= alpha <= 1")
    return array


def levels(epsilon: ArrayLike) -> Float:
    """Epsilons (nats; negative ones and +-inf too) as an array of any shape; InputError for nan."""
    array = np.asarray(epsilon, dtype=np.float64)
    if np.any(np.isnan(array)):
        raise InputError("epsilon = nan", allowed="numbers")
    return array


def times_exp(factor: ArrayLike, exponent: ArrayLike) -> Float:
    """factor * e^exponent for factors in [0, 1], with 0 * e^inf = 0; where it exceeds 1 it may be any number > 1."""
    half = np.exp(np.minimum(np.asarray(exponent, dtype=np.float64) / 2, _HALF))
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.asarray(factor) * half * half, dtype=np.float64)


def symmetric_profile(epsilon: ArrayLike, upper: Callable[[Float], Float]) -> Float:
    """delta(epsilon) at any epsilon, from `upper` for epsilons >= 0 (1-D), where (P, Q) and (Q, P) are bounded alike.

    delta(-epsilon) = 1 - e^-epsilon + e^-epsilon delta(epsilon) of the swapped pair (take complements of events).
    """
    array = levels(epsilon)
    above = upper(np.abs(array).ravel()).reshape(array.shape)
    below = np.exp(-np.abs(array))
    return np.asarray(np.where(array >= 0, above, 1 - below + below * above), dtype=np.float64)
