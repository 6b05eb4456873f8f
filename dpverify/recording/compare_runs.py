"""Compares two runs: one on D, and one on D' with the same random draws and the first run's released values.

The observer's view is compared up to the first hidden coin of either run. Until then every run on D with these released
values has the same view, so a difference is certain (`CertainDifference`). Noise-free values that a noise scale is
calibrated to (`ChangedValue`) are compared as long as both runs have equal coins.

Values after a hidden coin are not compared: an argmax over hidden noisy values differs between neighbours under equal
draws, although report-noisy-max is private.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.core.transcript import Step, Transcript

Float = NDArray[np.float64]
Norm = Literal["l1", "l2", "linf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CertainDifference:
    """A value that the observer certainly sees on one data set, and certainly not on the other."""

    name: str
    where: str
    """`name`, `where`: name of the value, and the line of code that shows it."""
    first: Any
    second: Any
    """`first`, `second`: the values in the two runs."""
    released: int
    """Number of noisy values released before it."""
    place: int
    """Its position among all shown values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedValue:
    """A noise-free value that moves between the data sets."""

    name: str
    where: str
    norms: Mapping[str, float]
    """``l1``, ``l2``, ``linf`` norms of the change; inf where it is not a number."""
    norm: Norm
    """The norm of `declared`."""
    declared: float
    """The sensitivity that the program declares; nan where it declares none."""
    magnitude: float
    """Sum of the magnitudes on both sides, for the rounding error."""
    place: int = 0
    """Position among the queries and coins of the run."""

    @property
    def change(self) -> float:
        """The change in the declared norm."""
        return self.norms[self.norm]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The result of comparing two runs."""

    apart: CertainDifference | None
    """The first certain difference."""
    noisy: tuple[tuple[Step, Step], ...]
    """Noisy values before it, shown in both runs."""
    coin: Step | None
    """The hidden coin at which the comparison of the views ended."""
    moved: tuple[ChangedValue, ...]
    """Noise-free values that moved, or whose sensitivity is declared."""


def compare(first: Transcript, second: Transcript, *, last_differs: bool = False) -> Comparison:
    """Compare a run on D with one on D'.

    `last_differs`: the larger data set is the smaller one with a record appended. Drawn indices that the smaller one
    lacks then belong to that record.
    """
    ours, our_coin = _shown(first)
    theirs, their_coin = _shown(second)
    noisy: list[tuple[Step, Step]] = []
    moved = _moved(first, second, last_differs)
    coin = our_coin or their_coin
    for place, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one.kind != other.kind or one.name != other.name or _differ(one, other):
            return Comparison(apart=_apart(one, other, len(noisy), place), noisy=tuple(noisy), coin=None, moved=moved)
        if one.kind == "noisy":
            noisy.append((one, other))
    if len(ours) != len(theirs) and coin is None:
        longer, place = ours if len(ours) > len(theirs) else theirs, min(len(ours), len(theirs))
        extra = longer[place]
        sides = ("nothing", extra.name) if longer is theirs else (extra.name, "nothing")
        apart = CertainDifference(
            name=extra.name, where=extra.where, first=sides[0], second=sides[1], released=len(noisy), place=place
        )
        return Comparison(apart=apart, noisy=tuple(noisy), coin=None, moved=moved)
    return Comparison(apart=None, noisy=tuple(noisy), coin=coin, moved=moved)


def _shown(transcript: Transcript) -> tuple[list[Step], Step | None]:
    """The steps shown before the first hidden coin, and that coin."""
    shown: list[Step] = []
    for step in transcript.steps:
        if step.kind == "coin":
            return shown, step
        if step.kind != "query":
            shown.append(step)
    return shown, None


def _differ(one: Step, other: Step) -> bool:
    if one.kind == "noisy":
        return one.clean.shape != other.clean.shape
    if one.slack > 0 or other.slack > 0:
        return bool(abs(one.value - other.value) > one.slack + other.slack)  # a NaN there is no evidence
    return not same_bits(one.value, other.value)


def _apart(one: Step, other: Step, released: int, place: int) -> CertainDifference:
    if one.name != other.name:
        name, sides = "what is shown next", (one.name, other.name)
    else:
        name, sides = one.name, (one.value, other.value)
    return CertainDifference(
        name=name, where=one.where, first=sides[0], second=sides[1], released=released, place=place
    )


def same_bits(one: Any, other: Any) -> bool:
    """Tell whether two values have the same type and the same bits; all NaNs are equal."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
            return False
        return bool(np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"))
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same_bits, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (math.isnan(one) and math.isnan(other))
    if type(one) is not type(other):
        return False
    try:
        return bool(one == other)
    except (TypeError, ValueError):
        return repr(one) == repr(other)


def print_alike(one: Any, other: Any) -> bool:
    """Tell whether two plain parts of a view have the same printed value."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return same_bits(float(one), float(other))
    return same_bits(one, other)


def _moved(first: Transcript, second: Transcript, last_differs: bool) -> tuple[ChangedValue, ...]:
    """Pairs of noise-free values, as long as the coins before them are the same."""
    ours, theirs = ([step for step in run.steps if step.kind in ("query", "coin")] for run in (first, second))
    found = []
    for place, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if (one.kind, one.name) != (other.kind, other.name):
            break
        if one.kind == "coin":
            if one.value is None or not _one_coin(one.value, other.value, last_differs):
                break
            continue
        if one.clean.shape != other.clean.shape:
            norms, size = dict.fromkeys(("l1", "l2", "linf"), math.inf), 0.0
        else:
            norms, size = _norms(other.clean - one.clean), float(np.abs(one.clean).sum() + np.abs(other.clean).sum())
        norm: Norm = "l2" if one.law == "gaussian" else "l1"
        declared = max(one.sensitivity, other.sensitivity)
        if norms["linf"] > 0 or not math.isnan(declared):
            found.append(
                ChangedValue(
                    name=one.name,
                    where=one.where,
                    norms=norms,
                    norm=norm,
                    declared=declared,
                    magnitude=size,
                    place=place,
                )
            )
        if one.value == "hidden" and norms["linf"] > 0:
            break  # later values may differ because of this one
    return tuple(found)


def _one_coin(one: Any, other: Any, last_differs: bool) -> bool:
    if same_bits(one, other):
        return True
    if not last_differs or not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return False
    shorter, longer = sorted((one, other), key=len)
    if longer.ndim != 1 or longer.size != shorter.size + 1 or longer.dtype.kind not in "if":
        return False
    return same_bits(longer[longer != longer.max()] if longer.dtype.kind == "i" else longer[:-1], shorter)


def _norms(change: Float) -> dict[str, float]:
    """Norms of the change; inf where a coordinate is not finite on either side."""
    size: Sequence[float] = np.abs(change).tolist()
    if not all(map(math.isfinite, size)):
        return dict.fromkeys(("l1", "l2", "linf"), math.inf)
    return {"l1": math.fsum(size), "l2": math.hypot(*size), "linf": max(size, default=0.0)}
