"""Directed rounding, which keeps a bound on its side.

A bound that is correct in exact arithmetic may be wrong by an ulp in floating point. `down` and `up` move a result by a
stated number of units in the last place, so that "never above" stays true. The caller chooses the number, since it
depends on the operations before.

Limits: this is no interval arithmetic. It covers errors of a few ulps, not cancellation. It has nothing to do with
decimal rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

_LARGEST = np.nextafter(np.finfo(np.float64).max, 0.0)
"""A number above it has the unit of this one; so has an infinity, which stays what it is."""


def down(x: ArrayLike, ulps: int) -> FloatArray:
    """Move towards minus infinity by at least `ulps` units in the last place.

    Parameters
    ----------
    x : array_like of float
        Any shape; infinities and nan are returned unchanged.
    ulps : int
        How many units, at least 0.

    Returns
    -------
    ndarray of float64
        The shape of `x` (0-d for a scalar), nowhere above `x` minus `ulps` of its units.
    """
    return _nudged(x, -ulps)


def up(x: ArrayLike, ulps: int) -> FloatArray:
    """Move towards plus infinity by at least `ulps` units in the last place; see `down`."""
    return _nudged(x, ulps)


def _nudged(x: ArrayLike, signed_ulps: int) -> FloatArray:
    value = np.asarray(x, dtype=np.float64)
    unit = np.spacing(np.minimum(np.abs(value), _LARGEST))
    with np.errstate(over="ignore"):  # above the largest double an infinity is correct
        return np.asarray(value + signed_ulps * unit)
