"""Numbers that meet conditions: found by lines through points that meet the first of them, and halving on each line.

A window that two comparisons leave open is met at its ends, however narrow it is; chance would miss it. What is
compared is followed to its least and largest value, too: a parabola may fall below a number between two points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

HALVINGS = 90

MOST_COORDINATES = 24
"""Numbers of a point that are moved, one after another."""

TOGETHER = -1

MOST_ROUNDS = 60

MOST_BASES = 3
"""Points that the search goes on from, of those that meet equally many conditions."""

MOST_EDGES = 8

STEPS = np.concatenate([-np.geomspace(1e12, 1e-9, 22), np.geomspace(1e-9, 1e12, 22)])

MOST_PEAKS = 4

NARROW = 1e-12
"""Relative: so near the values beside a peak differ by no digit from its own."""

Asked = Callable[[Any, int], tuple[Any, Any]]
"""Of points (n, d) and a number m: which conditions each point meets (n, k), and by how much what condition m compares
differs (n,). Conditions after m may be left out at points that do not meet all before."""


def solve(asked: Asked, starts: Any, special: Sequence[float], moved: Sequence[int]) -> Any:
    """A point that meets all conditions, or None where none was found. `moved`: the coordinates that may change.

    Each is moved alone, after all of them together (`TOGETHER`), as multiples of what they are.
    """
    points = np.asarray(starts, dtype=float)
    met, _ = asked(points, 0)
    for _ in range(MOST_ROUNDS):
        first = _prefix(met)
        m = int(first.max())
        if m == met.shape[1]:
            return points[int(first.argmax())]
        found = next(
            (
                each
                for peaks in (False, True)
                for base in points[first == m][:MOST_BASES]
                for at in (*([TOGETHER] if len(moved) > 1 else []), *moved[:MOST_COORDINATES])
                if (each := _on_line(asked, base, at, m, special, peaks=peaks)) is not None
            ),
            None,
        )
        if found is None:
            return None
        points, (met, _) = found, asked(found, m + 1)
    return None


def edges(asked: Asked, bases: Any, special: Sequence[float], moved: Sequence[int]) -> Any:
    """Points beside each other of which one meets the first condition and the other does not, as far as found."""
    for base in np.asarray(bases, dtype=float):
        for at in moved[:MOST_COORDINATES]:
            grid = _grid(base[at], special)
            met, _ = asked(_moved(base, at, grid), 0)
            places = np.flatnonzero((met[1:, 0] != met[:-1, 0]) & np.isfinite(grid[1:]) & np.isfinite(grid[:-1]))
            if len(places):
                low, high, like_low = grid[places], grid[places + 1], met[places, 0]
                for _ in range(HALVINGS):
                    half = low + (high - low) / 2
                    on_low = asked(_moved(base, at, half), 0)[0][:, 0] == like_low
                    low, high = np.where(on_low, half, low), np.where(on_low, high, half)
                return _moved(base, at, np.concatenate([low, high])[:MOST_EDGES])
    return np.zeros((0, np.shape(bases)[1]))


def middle(asked: Asked, point: Any, at: int, conditions: int) -> Any:
    """The point, with one coordinate in the middle of where all conditions are met: rounding does not leave it."""
    if not conditions or not np.isfinite(point[at]):
        return point
    ends = []
    for sign in (-1.0, 1.0):
        inside, outside = 0.0, None
        for step in np.geomspace(1e-15, 1.0, 31) * max(1.0, abs(point[at])):
            met, _ = asked(_moved(point, at, [point[at] + sign * step]), conditions - 1)
            if not met.all():
                outside = step
                break
            inside = step
        for _ in range(30 if outside is not None else 0):
            half = (inside + outside) / 2  # type: ignore[operator]
            met, _ = asked(_moved(point, at, [point[at] + sign * half]), conditions - 1)
            inside, outside = (half, outside) if met.all() else (inside, half)
        ends.append(point[at] + sign * inside)
    centre = _moved(point, at, [(ends[0] + ends[1]) / 2])
    return centre[0] if asked(centre, conditions - 1)[0].all() else point


def _on_line(asked: Asked, base: Any, at: int, m: int, special: Sequence[float], *, peaks: bool) -> Any:
    """Points on the line of one coordinate that meet the conditions up to m."""
    start = 1.0 if at == TOGETHER else base[at]
    grid = _grid(start, special)
    if peaks:
        grid = _peaks(asked, base, at, m, grid)
        if not len(grid):
            return None
    line = _moved(base, at, grid)
    met, sign = asked(line, m)
    better = line[_prefix(met) > m]
    if len(better):
        return better
    changes = (met[1:, m] != met[:-1, m]) | ((sign[1:] > 0) != (sign[:-1] > 0)) | ((sign[1:] < 0) != (sign[:-1] < 0))
    places = np.flatnonzero(changes & np.isfinite(grid[1:]) & np.isfinite(grid[:-1]))
    if not len(places):
        return None
    low, high = grid[places], grid[places + 1]
    like_low, sign_low = met[places, m], sign[places]
    for _ in range(HALVINGS):
        half = low + (high - low) / 2
        here, sign_here = asked(_moved(base, at, half), m)
        better = _moved(base, at, half)[_prefix(here) > m]
        if len(better):
            return better
        on_low = (here[:, m] == like_low) & ((sign_here > 0) == (sign_low > 0)) & ((sign_here < 0) == (sign_low < 0))
        low, high = np.where(on_low, half, low), np.where(on_low, high, half)
        if bool((np.nextafter(low, high) >= high).all()):
            break
    ends = _moved(base, at, np.concatenate([low, high]))
    met, _ = asked(ends, m)
    better = ends[_prefix(met) > m]
    return better if len(better) else None


def _peaks(asked: Asked, base: Any, at: int, m: int, grid: Any) -> Any:
    """Places of a line at which what condition m compares differs less, or more, than on both sides, with these."""
    grid = grid[np.isfinite(grid)]
    found = asked(_moved(base, at, grid), m)[1]
    if bool((found == np.rint(found)).all()):  # a count has steps, and no peaks between them
        return grid[:0]
    places, signs = [], []
    for up in (1.0, -1.0):
        here = up * found
        least = np.flatnonzero((here[1:-1] <= here[:-2]) & (here[1:-1] < here[2:]))[:MOST_PEAKS] + 1
        places.append(least)
        signs.append(np.full(len(least), up))
    place, sign = np.concatenate(places), np.concatenate(signs)
    low, high = grid[place - 1], grid[place + 1]
    ends = [low, high]
    for _ in range(HALVINGS if len(place) else 0):
        if bool((high - low <= NARROW * np.maximum(np.maximum(np.abs(low), np.abs(high)), NARROW)).all()):
            break
        a, b = low + (high - low) / 3, high - (high - low) / 3
        left = sign * asked(_moved(base, at, a), m)[1] < sign * asked(_moved(base, at, b), m)[1]
        low, high = np.where(left, low, a), np.where(left, b, high)
    return np.unique(np.concatenate([*ends, low, low + (high - low) / 2, high]))


def _grid(start: float, special: Sequence[float]) -> Any:
    start = start if np.isfinite(start) else 0.0
    return np.unique(np.concatenate([[start], start + STEPS, STEPS, [math.nan, math.inf, -math.inf], special]))


def _prefix(met: Any) -> Any:
    """Count the first conditions that each point meets."""
    return np.cumprod(met, axis=1, dtype=np.int64).sum(axis=1)


def _moved(base: Any, at: int, values: Any) -> Any:
    line = np.repeat(np.asarray(base, dtype=float)[None, :], len(values), axis=0)
    if at == TOGETHER:
        with np.errstate(all="ignore"):
            return line * np.asarray(values)[:, None]
    line[:, at] = values
    return line
