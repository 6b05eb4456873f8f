"""Searches the sizes of a claim one after another, and the claim's stated parameters before all others.

Each size gets the same share of the effort, and also starts from the worst coordinates of the previous size, since most
mechanisms leak at least as much on more data. The result is the worst point *found* at each size. Where claimed numbers
are proportional to a searched parameter, ratios use the number claimed at each point.

A witness is shrunk: fewer entries, then rounder numbers, as long as the claim is still exceeded there. Smaller sizes
are tried upwards from 1 (for a claim for several sizes, from the largest one that holds), each from the worst
coordinates so far, polished again. Bisection finds the first size that exceeds the claim: the smallest *found*; a
smaller one may exist. If a subject refuses data of another size, and one integer parameter of the claim equals the
size, that parameter is changed with it; the witness says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from auditors.privacy.exact.json_values import summary
from auditors.privacy.exact.points import Examiner, Found, Point, resized
from auditors.privacy.exact.search import BestPoint, compass_polish, evolved_point, search
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim
from dpverify.core.errors import AuditError
from dpverify.core.subjects import Float, Pair

_SIZES = sorted({*range(1, 9), *(round(10 * 1.26**k) for k in range(28))})
_POLISH = 150  # evaluations for each size, at effort 1
_LISTED = 24
_HALVINGS = 5
_DECIMALS = (0, 1, 2, 3, 4, 6, 8)
_KEPT = 1e-3  # fraction of the excess that a rounder witness may lose


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeSearch:
    """The search at one size.

    It has the task restricted to that size, the best point, the worst result, and the worst result of each measure that
    exceeds the claim.
    """

    task: Task
    spot: BestPoint
    found: Found
    witnesses: tuple[Found, ...] = ()

    @property
    def size(self) -> int:
        """The data sets' size."""
        return self.task.claim.space.size


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeSearches:
    """The searches by increasing size; `own` is the one at the claim's stated parameters, if others are searched."""

    legs: tuple[SizeSearch, ...]
    own: SizeSearch | None = None

    @property
    def worst(self) -> SizeSearch:
        """The search with the largest ratio."""
        return max([*self.legs, *([self.own] if self.own else [])], key=lambda leg: leg.found.ratio)

    def first(self) -> tuple[SizeSearch, int]:
        """The search of the smallest size that exceeds the claim, and the largest smaller size that does not (0: none).

        It is the worst search where only the claim's stated parameters, or none, exceed the claim.
        """
        held = 0
        for leg in self.legs:
            if leg.found.excess > 0:
                return leg, held
            held = leg.size
        return self.worst, 0

    def shrunk(self, examiner: Examiner) -> tuple[dict[int, tuple[Found, ...]], dict[int, float]]:
        """Witnesses at sizes up to the smallest one found, and the largest ratio at each smaller size without one.

        A claim for several sizes is shrunk from the worst point of each group of measures, since the smallest witness
        and the provable one may have other shapes than the worst.
        """
        leg, above = self.first()
        starts = [leg.spot, *(replace(leg.spot, vector=vector) for vector in leg.spot.groups if self.several)]
        exceeding = {leg.size: leg.witnesses} if self.several else {}
        held: dict[int, float] = {}
        for spot in starts:
            found = smallest(leg.task, examiner, spot, above=above)
            for size, witnessed in found.exceeding.items():
                exceeding[size] = exceeding.get(size, ()) + witnessed
            for size, ratio in found.held.items():
                held[size] = max(ratio, held.get(size, 0.0))
        least = min(exceeding, default=leg.size)
        held |= {each.size: each.found.ratio for each in self.legs}
        return exceeding, {size: ratio for size, ratio in held.items() if size < least}

    @property
    def several(self) -> bool:
        """Whether the claim covers more than its stated parameters and size."""
        return self.own is not None or len(self.legs) > 1

    def statistics(self, size: int) -> dict[str, Any]:
        """The largest ratio at the claim's stated parameters and `size`, and at each size if there are several."""
        own = self.own or next((leg for leg in self.legs if leg.size == size), None)
        found: dict[str, Any] = {"own": summary(own.found) if own else None}
        return {**found, "by_size": [summary(leg.found) for leg in self.legs]} if self.several else found


def search_sizes(task: Task, examiner: Examiner) -> SizeSearches:
    """Search at the claim's stated parameters, then at each size with all parameters.

    AuditError when there is no pair, or the subject refuses data of one of the sizes.
    """
    space = task.claim.space
    if not space.sizes and not space.parameters:
        spot = search(task, examiner)
        return SizeSearches(legs=(SizeSearch(task=task, spot=spot, found=spot.found),))
    own, sizes = None, space.sizes or (space.size,)
    legs: list[SizeSearch] = []
    places = len(sizes) + bool(space.parameters)
    task = replace(task, effort=task.effort / places)
    if space.parameters:
        there = _place(task, "own parameters", share=(0, places), claim=replace(task.claim, space=space.stated()))
        own = _leg(there, examiner)
    for number, size in enumerate(sizes):
        fixed = _following(task, size)
        claim = replace(task.claim, space=space.at(size), parameters={**task.claim.parameters, **fixed})
        there = _place(task, f"size {size}", share=(number + bool(own), places), claim=claim)
        legs.append(_leg(there, examiner, fixed=fixed, starts=legs[-1].spot.groups if legs else ()))
    return SizeSearches(legs=tuple(legs), own=own)


def _leg(
    task: Task, examiner: Examiner, *, fixed: Mapping[str, Any] = MappingProxyType({}), starts: Sequence[Float] = ()
) -> SizeSearch:
    there = Examiner(task=task)
    spot = search(task, there, fixed=fixed, starts=starts)
    examiner.join(there)
    return SizeSearch(task=task, spot=spot, found=there.worst, witnesses=witnesses(there))


def _following(task: Task, size: int) -> Mapping[str, Any]:
    """Parameters with which the subject accepts data of this size."""
    if size == task.claim.space.size:
        return {}
    box = resized(task, size, listed=1)
    if box is None:
        raise AuditError(f"the claim is for data of size {size}, of which the subject takes none, or there is no pair")
    return box.fixed


def _place(task: Task, name: str, *, share: tuple[int, int], claim: Claim) -> Task:
    """The task of one of several searches, with separate streams and a part of the progress."""
    done, places = share
    return replace(
        task,
        claim=claim,
        stream=lambda *names: task.stream(name, *names),
        progress=lambda message, part: task.progress(f"{name}: {message}", 0.8 * (done + part) / places),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrunk:
    """Result of the search at smaller sizes."""

    exceeding: Mapping[int, tuple[Found, ...]]
    """The witnesses at each size, by increasing size: the worst of each measure that exceeds the claim there, the worst
    of all first."""
    held: Mapping[int, float]
    """The largest ratio at each size that was tried and does not exceed the claim."""


def smallest(task: Task, examiner: Examiner, spot: BestPoint, *, above: int = 0) -> Shrunk:
    """Search witnesses of sizes between `above`, where none was found, and the claim's size."""
    size, failed, vector = task.claim.space.size, above, spot.vector
    exceeding: dict[int, tuple[Found, ...]] = {}
    held: dict[int, float] = {}
    sizes = [each for each in _SIZES if above < each < size]
    for number, smaller in enumerate(sizes):
        task.progress(f"shrinking to size {smaller}", 0.8 + 0.15 * number / len(sizes))
        small, vector = _worst(task, examiner, smaller, vector)
        if small is None:
            continue
        if small.worst.excess > 0:
            size, exceeding[smaller] = smaller, witnesses(small)
            break
        failed, held[smaller] = smaller, small.worst.ratio
    for _ in range(_HALVINGS if exceeding or above > 0 else 0):
        middle = (failed + size) // 2
        if middle <= failed:
            break
        small, moved = _worst(task, examiner, middle, vector)
        if small is not None and small.worst.excess > 0:
            size, exceeding[middle], vector = middle, witnesses(small), moved
            continue
        failed = middle
        if small is not None:
            held[middle] = small.worst.ratio
    return Shrunk(exceeding=dict(sorted(exceeding.items())), held=held)


def witnesses(examiner: Examiner) -> tuple[Found, ...]:
    """The worst of each measure that exceeds the claim, the worst of all first."""
    found = sorted(examiner.best.values(), key=lambda each: -each.ratio)
    return tuple(each for each in found if each.excess > 0)


def _worst(task: Task, examiner: Examiner, size: int, vector: Float | None) -> tuple[Examiner | None, Float | None]:
    """The worst result at one size, among listed pairs and around `vector`, and the coordinates for the next size.

    None where the subject refuses data of that size.
    """
    small = Examiner(task=task)
    box = resized(task, size, listed=_LISTED)
    if box is None:
        return None, vector
    for pair in box.listed:
        small.examine(Point(pair=pair, parameters=box.middle, size=size))
    if vector is not None and box.continuous:
        evaluations = max(40, round(_POLISH * task.effort))
        start: Float | None = vector
        if vector.size != len(
            box.bounds
        ):  # too small for as many blocks, so these coordinates have another meaning here
            start = evolved_point(small, box, evaluations, rng=task.stream("search", size)).vector
        if start is not None:
            spot = compass_polish(small, box, start, evaluations)
            vector = spot.vector if vector.size == len(box.bounds) else vector
    examiner.count(small)
    return small, vector


def rounded(task: Task, examiner: Examiner, found: Found) -> Found:
    """The witness in rounder numbers, if these are still neighbours in the range with nearly the same excess."""
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
    """`point` with rounded entries, moves and searched parameters; None when the claim does not cover it."""
    d0, d1 = point.pair.d0, point.pair.d1
    if not (_is_vector(d0) and _is_vector(d1) and d0.shape == d1.shape):
        return None
    space = task.claim.space.scaled(task.build(**point.parameters))
    base = np.round(d0, decimals)
    moved = base + np.round(d1 - d0, decimals)
    if min(base.min(), moved.min()) < space.low or max(base.max(), moved.max()) > space.high:
        return None
    if task.neighbors.check(base, moved) is not None:
        return None
    parameters = {name: _rounded(task, name, value, decimals) for name, value in point.parameters.items()}
    return Point(pair=Pair(d0=base, d1=moved, label=point.pair.label), parameters=parameters, size=point.size)


def _rounded(task: Task, name: str, value: Any, decimals: int) -> Any:
    """A searched parameter rounded to `decimals` + 1 significant digits, inside its box; others are unchanged."""
    boxes: Mapping[str, tuple[float, float]] = task.claim.space.parameters
    if name not in boxes or value == 0:
        return value
    digits = decimals - math.floor(math.log10(abs(value)))
    return min(max(round(value, digits), boxes[name][0]), boxes[name][1])


def _is_vector(dataset: Any) -> bool:
    return isinstance(dataset, np.ndarray) and dataset.ndim == 1 and dataset.dtype == np.float64
