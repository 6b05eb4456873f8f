"""Coordinate search: one coordinate at a time, steps halved where neither way is better (compass search).

Compiled whole where the function is a jitted kernel, so that a step costs what the kernel costs; the same numbers
either way. Needs no derivative and stands no noise: the function must answer the same each time. Limits: finds a local
maximum, from where it starts. Hooke and Jeeves 1961; convergence in Kolda, Lewis and Torczon, SIAM Review 45 (2003).
Not to be confused with coordinate descent by exact minimisation along each axis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float

FIRST_STEP, LEAST_STEP = 0.25, 1e-6
"""Steps, as shares of the box: the first, and the one at which the search ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BestPoint:
    """The end of a coordinate search: the place, shape (k,), its value, and how often the function was asked."""

    place: Float
    value: float
    evaluations: int


def coordinate_search(
    function: Callable[[Float], float],
    bounds: ArrayLike,
    *,
    start: ArrayLike | None = None,
    evaluations: int = 1000,
    least_step: float = LEAST_STEP,
) -> BestPoint:
    """The highest place found in a box.

    Parameters
    ----------
    function : callable or numba kernel
        ``f(vector) -> number`` on float64 vectors of shape (k,); NaN counts as lowest.
    bounds : array_like
        Shape (k, 2): low and high, finite.
    start : array_like or None
        Shape (k,), clipped into the box; None for its middle.
    evaluations : int
        The most times that the function is asked, at least 1.
    least_step : float
        Share of the box.

    Raises
    ------
    InputError
        For a box or a start of another shape, or empty ranges.
    """
    box = np.array(bounds, dtype=np.float64)
    if box.ndim != 2 or box.shape[1:] != (2,) or not len(box) or not np.all(np.isfinite(box) & (box[:, :1] <= box)):
        raise InputError(f"bounds of shape {box.shape}", allowed="finite low <= high, shape (k, 2)")
    middle = box[:, 0] + 0.5 * (box[:, 1] - box[:, 0])
    first = middle if start is None else np.array(start, dtype=np.float64)
    if first.shape != middle.shape:
        raise InputError(f"a start of shape {first.shape}", allowed=f"shape {middle.shape}")
    if evaluations < 1:
        raise InputError(f"evaluations = {evaluations}", allowed="an integer >= 1")
    walk: Any = _jitted() if hasattr(function, "py_func") else _walk
    place, value, spent = walk(
        function, box[:, 0].copy(), box[:, 1].copy(), np.clip(first, box[:, 0], box[:, 1]), evaluations, least_step
    )
    return BestPoint(place=place, value=float(value), evaluations=int(spent))


@cache
def _jitted() -> Any:
    from numba import njit

    return njit(nogil=True)(_walk)


def _walk(
    function: Any, low: Float, high: Float, start: Float, evaluations: int, least_step: float
) -> tuple[Float, float, int]:
    place, steps = start.copy(), np.full(start.size, FIRST_STEP)
    for axis in range(start.size):
        if high[axis] <= low[axis]:
            steps[axis] = 0.0
    value, spent = function(place), 1
    if value != value:
        value = -np.inf
    while spent < evaluations and steps.max() > least_step:
        for axis in range(start.size):
            better = False
            for sign in (1.0, -1.0):
                trial = place.copy()
                moved = place[axis] + sign * steps[axis] * (high[axis] - low[axis])
                trial[axis] = min(max(moved, low[axis]), high[axis])
                if trial[axis] == place[axis] or spent >= evaluations:
                    continue
                reached = function(trial)
                spent += 1
                if reached > value:
                    place, value, better = trial, reached, True
                    break
            steps[axis] = min(steps[axis] * (1.5 if better else 0.5), 1.0)
    return place, value, spent
