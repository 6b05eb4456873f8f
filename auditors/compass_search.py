"""A compass search in a box: one coordinate at a time; steps grow after a success and are halved after a failure.

Hooke and Jeeves, J. ACM 1961. Deterministic. It ends at a local maximum, so it serves to improve the best point of a
global search.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from dpverify.core.subjects import Float

FIRST_STEP = 0.1
"""As a fraction of the box."""


Moved = TypeVar("Moved")

HALVINGS = 12


def compass_search(
    look: Callable[[Float], float],
    start: Float,
    value: float,
    *,
    low: Float,
    high: Float,
    evaluations: int,
    least_step: float,
) -> None:
    """Evaluate points around `start` and move to each better one; `look` has to remember the best.

    Parameters
    ----------
    look : callable
        The value at a point; larger is better, and an infinite one ends the search.
    start, value : ndarray of shape (k,), float
        Starting point, and the value there.
    low, high : ndarray of shape (k,)
        The box.
    evaluations : int
        No round over the coordinates begins after this many evaluations.
    least_step : float
        The search ends when all steps are below this fraction of the box.
    """
    place, width, spent = start, high - low, 0
    steps = np.where(width > 0, FIRST_STEP, 0.0)
    while spent < evaluations and steps.max() > least_step and math.isfinite(value):
        for axis in np.flatnonzero(width > 0):
            for sign in (1.0, -1.0):
                trial = place.copy()
                trial[axis] = np.clip(trial[axis] + sign * steps[axis] * width[axis], low[axis], high[axis])
                if trial[axis] == place[axis]:
                    continue
                there = look(trial)
                spent += 1
                if there > value:
                    place, value = trial, there
                    steps[axis] *= 1.5
                    break
            else:
                steps[axis] *= 0.5


def furthest_while(moved: Callable[[float], Moved], holds: Callable[[Moved], bool]) -> Moved | None:
    """The point at the largest part of the path at which the condition holds; None where it holds nowhere.

    The whole path (1.0) is tried first. The start (0.0) is assumed to fulfil the condition and not tried.
    """
    kept: Moved | None = None
    near, far = 0.0, 1.0
    for step in range(HALVINGS):
        part = 1.0 if step == 0 else (near + far) / 2
        there = moved(part)
        if not holds(there):
            far = part
            continue
        near, kept = part, there
        if step == 0:
            break
    return kept
