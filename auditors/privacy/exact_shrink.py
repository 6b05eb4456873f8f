"""Shrinking a witness: fewer entries, then rounder numbers, as long as the claim is still exceeded there.

Smaller sizes are tried upwards from 1, each from the worst coordinates found so far and polished again; the first that
exceeds the claim is the smallest *found*, which is no proof that none is smaller. Where a subject refuses data of
another size and one integer parameter of the claim equals the size, that parameter follows it; the witness says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from auditors.privacy.exact_points import Examiner, Found, Point, resized
from auditors.privacy.exact_search import Spot, evolved, polished
from dpverify.core.protocols import Float, Pair, Task

_SIZES = sorted({*range(1, 9), *(round(10 * 1.26**k) for k in range(28))})
_POLISH = 150  # evaluations a size, at effort 1
_LISTED = 24
_HALVINGS = 5
_DECIMALS = (0, 1, 2, 3, 4, 6, 8)
_KEPT = 1e-3  # share of the excess that a rounder witness may lose


def smallest(task: Task, examiner: Examiner, spot: Spot) -> Found | None:
    """The worst at the smallest size that exceeds the claim; None when no smaller size than the claim's own did."""
    sizes = [size for size in _SIZES if size < task.claim.space.size]
    vector, failed = spot.vector, 0
    for number, size in enumerate(sizes):
        task.progress(f"shrinking to size {size}", 0.8 + 0.15 * number / len(sizes))
        found, vector = _worst(task, examiner, size, vector)
        if found is None:
            continue
        if found.excess > 0:
            return _between(task, examiner, failed, size, found, vector)
        failed = size
    return None


def _between(task: Task, examiner: Examiner, failed: int, size: int, found: Found, vector: Float | None) -> Found:
    """By halving, a smaller size than `size` above `failed` that still exceeds the claim."""
    for _ in range(_HALVINGS):
        middle = (failed + size) // 2
        if middle <= failed:
            break
        closer, moved = _worst(task, examiner, middle, vector)
        if closer is not None and closer.excess > 0:
            size, found, vector = middle, closer, moved
        else:
            failed = middle
    return found


def _worst(task: Task, examiner: Examiner, size: int, vector: Float | None) -> tuple[Found | None, Float | None]:
    """The worst of one size, listed or around `vector` (None: the subject takes no such data), and where to go on."""
    small = Examiner(task=task)
    box = resized(task, size, listed=_LISTED)
    if box is None:
        return None, vector
    settings = box.settings()[0] if box.names else {}
    best = max(
        (small.examine(Point(pair=pair, parameters={**box.fixed, **settings})) for pair in box.listed),
        key=lambda found: found.ratio,
    )
    if vector is not None and box.continuous:
        evaluations = max(40, round(_POLISH * task.effort))
        start: Float | None = vector
        if vector.size != len(box.bounds):  # too small for as many blocks: these coordinates mean something else here
            start = evolved(small, box, evaluations, rng=task.stream("search", size)).vector
        if start is not None:
            spot = polished(small, box, start, evaluations)
            best = max(best, spot.found, key=lambda found: found.ratio)
            vector = spot.vector if vector.size == len(box.bounds) else vector
    examiner.evaluations += small.evaluations
    return best, vector


def rounded(task: Task, examiner: Examiner, found: Found) -> Found:
    """The same witness in rounder numbers, if it stays neighbouring, inside the range, and nearly as bad."""
    least = found.excess * (1 - _KEPT)
    for decimals in _DECIMALS:
        point = _round(task, found.point, decimals)
        if point is None:
            continue
        for each in examiner.all(point):
            same = each.measure == found.measure and each.reverse == found.reverse
            if same and each.excess > 0 and each.excess >= least:
                return each
    return found


def _round(task: Task, point: Point, decimals: int) -> Point | None:
    """`point` with entries, moves and searched parameters rounded; None when that is no pair of the claim's."""
    d0, d1 = point.pair.d0, point.pair.d1
    if not (_is_vector(d0) and _is_vector(d1) and d0.shape == d1.shape):
        return None
    space = task.claim.space
    base = np.round(d0, decimals)
    moved = base + np.round(d1 - d0, decimals)
    if min(base.min(), moved.min()) < space.low or max(base.max(), moved.max()) > space.high:
        return None
    if task.neighbors.check(base, moved) is not None:
        return None
    parameters = {name: _rounded(task, name, value, decimals) for name, value in point.parameters.items()}
    return Point(pair=Pair(d0=base, d1=moved, label=point.pair.label), parameters=parameters)


def _rounded(task: Task, name: str, value: Any, decimals: int) -> Any:
    """A searched parameter to `decimals` + 1 significant digits, inside its box; any other as it is."""
    boxes: Mapping[str, tuple[float, float]] = task.claim.space.parameters
    if name not in boxes or value == 0:
        return value
    digits = decimals - math.floor(math.log10(abs(value)))
    return min(max(round(value, digits), boxes[name][0]), boxes[name][1])


def _is_vector(dataset: Any) -> bool:
    return isinstance(dataset, np.ndarray) and dataset.ndim == 1 and dataset.dtype == np.float64
