"""Renyi orders: which orders a curve is evaluated at.

A curve takes finite real orders above 1; some lemmas hold at whole orders only. Order infinity is not asked of a curve:
it is the pure bound (``pure_epsilon``). Not to be confused with the moments accountant's lambda, the order minus 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float


def real_orders(orders: ArrayLike) -> Float:
    """Orders as an array of the shape given (a number: shape (1,)); InputError unless all are finite and above 1."""
    array = np.atleast_1d(np.asarray(orders, dtype=np.float64))
    outside = ~((array > 1) & np.isfinite(array))
    if np.any(outside):
        raise InputError(
            f"order {array[outside].flat[0]}",
            allowed="finite orders > 1",
            remedy="order infinity is the pure bound; order 1 is the limit of small orders",
        )
    return array


def whole_orders(orders: ArrayLike, *, lemma: str, least: int = 2) -> Float:
    """Whole orders >= `least` as an array; InputError that names the `lemma` for any other."""
    array = real_orders(orders)
    outside = (array != np.round(array)) | (array < least)
    if np.any(outside):
        raise InputError(f"order {array[outside].flat[0]} in {lemma}", allowed=f"whole orders >= {least}")
    return array
