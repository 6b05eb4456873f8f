"""Log-space arithmetic and directed rounding, which keep a bound on its side.

A bound that is correct in exact arithmetic may be wrong by an ulp in floating point. `down` and `up` move a result by a
stated number of units in the last place, so that "never above" stays true. The caller chooses the number, since it
depends on the operations before.

Limits: this is no interval arithmetic. It covers errors of a few ulps, not cancellation. It has nothing to do with
decimal rounding.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.core.errors import InputError

FloatArray = NDArray[np.float64]


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
    size = np.where(np.isfinite(value), np.abs(value), 0.0)
    unit = np.spacing(np.minimum(size, np.nextafter(np.finfo(np.float64).max, 0.0)))
    with np.errstate(over="ignore"):  # above the largest double an infinity is correct
        return np.asarray(np.where(np.isfinite(value), value + signed_ulps * unit, value))


def log1mexp(x: ArrayLike) -> FloatArray:
    """ln(1 - e^x) for x <= 0, without cancellation at either end.

    Returns
    -------
    ndarray of float64
        The shape of `x`; minus infinity at 0.

    Raises
    ------
    InputError
        When some x is positive or nan.

    Notes
    -----
    Error of a few ulps, to either side. Source: Mächler, "Accurately computing log(1 - exp(-|a|))" (2012).
    """
    value = np.asarray(x, dtype=np.float64)
    if not np.all(value <= 0.0):
        raise InputError(f"log1mexp of {np.max(value)!r}", allowed="x <= 0", remedy="pass the log of a probability")
    with np.errstate(divide="ignore"):
        near_zero = np.log(-np.expm1(np.maximum(value, -math.log(2.0))))
    far = np.log1p(-np.exp(np.minimum(value, -math.log(2.0))))
    return np.asarray(np.where(value > -math.log(2.0), near_zero, far))
