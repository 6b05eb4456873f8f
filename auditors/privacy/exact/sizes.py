"""Searches the sizes of a claim one after another, and the claim's stated parameters before all others.

Each size gets the same share of the effort, and also starts from the worst coordinates of the previous size, since most
mechanisms leak at least as much on more data. The result is the worst point *found* at each size. Where claimed numbers
are proportional to a searched parameter, ratios use the number claimed at each point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from auditors.privacy.exact.json_values import summary
from auditors.privacy.exact.points import Examiner, Found, resized
from auditors.privacy.exact.search import BestPoint, search
from auditors.privacy.exact.shrink import smallest, witnesses
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim
from dpverify.core.errors import AuditError
from dpverify.core.subjects import Float


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

    Raises
    ------
    AuditError
        When there is no pair, or the subject refuses data of one of the sizes.
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
