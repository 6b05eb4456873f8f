"""Ranges: what a number or an array can be, for every record of the domain and every public value.

Side of the error: too wide, never too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


EXACT = 2.0**53


ULPS = 8


@dataclass(frozen=True, slots=True)
class Range:
    """Element by element, lowest and highest value; and whether one of them may be NaN.

    Where the lowest is above the highest, there is no number: the value is NaN.
    """

    lo: Float
    hi: Float
    nan: bool = False

    @property
    def finite(self) -> bool:
        """Tell whether every value is a finite number."""
        return not self.nan and bool(np.isfinite(self.lo).all() and np.isfinite(self.hi).all())

    @property
    def most(self) -> Float:
        """The largest magnitude, element by element; infinity where NaN may be."""
        return np.full(self.lo.shape, math.inf) if self.nan else np.maximum(np.abs(self.lo), np.abs(self.hi))

    @property
    def truth(self) -> bool | None:
        """Return the truth of a condition: True, False, or None where it may be both; NaN is none."""
        if self.lo.min(initial=1.0) > 0.0:
            return True
        return False if self.hi.max(initial=0.0) <= 0.0 else None


def of(values: Any) -> Range:
    """The range of numbers that are known."""
    array = np.asarray(values)
    floats = array.astype(np.float64)
    nan = bool(np.isnan(floats).any())
    floats = np.where(np.isnan(floats), 0.0, floats)
    return outward(Range(floats, floats, nan)) if array.dtype.kind in "iuO" else Range(floats, floats, nan)


def only_nan() -> Range:
    """Return NaN, and no number."""
    return Range(np.array(math.inf), np.array(-math.inf), True)


def anything(shape: tuple[int, ...] = ()) -> Range:
    """Return any double."""
    return Range(np.full(shape, -math.inf), np.full(shape, math.inf), True)


def outward(found: Range, *, ulps: int = 1, always: bool = False) -> Range:
    """Wider by some units in the last place; without `always` only where integers are not exact as doubles."""
    lo, hi = found.lo, found.hi
    with np.errstate(over="ignore"):  # the largest double becomes infinity
        for _ in range(ulps):
            lo = np.where(always | (np.abs(lo) >= EXACT), np.nextafter(lo, -math.inf), lo)
            hi = np.where(always | (np.abs(hi) >= EXACT), np.nextafter(hi, math.inf), hi)
    return Range(lo, hi, found.nan)


def in_real_numbers(found: Range) -> Range:
    """Return the range of the exact result, where doubles were rounded; what has no sign below 0 gets none."""
    wide = outward(found, always=True)
    return Range(np.where(found.lo >= 0, np.maximum(wide.lo, 0.0), wide.lo), wide.hi, found.nan)


TINY = 1e-140
"""The least bound that is said of what may be other than 0: its square does not underflow, and neither do products."""


def product(a: float, b: float) -> float:
    """Upper bound on a * b, for a, b >= 0 that are 0 or bounds of something that is not; infinity where one is."""
    if math.inf in (a, b):
        return math.inf
    return 0.0 if a == 0 or b == 0 else max(max(a, TINY) * max(b, TINY) * (1 + 2.0**-50), TINY)


def quotient(a: float, b: float) -> float:
    """Upper bound on a / b, for a >= 0, b > 0."""
    return 0.0 if a == 0 else max(a / b * (1 + 2.0**-50), TINY)


def total(sizes: Iterable[float]) -> float:
    """Upper bound on a sum of sizes, however many: the next double where the nearest one is too small."""
    several = list(sizes)
    try:
        found = math.fsum(several)
        return math.nextafter(found, math.inf) if math.fsum([*several, -found]) > 0 else found
    except (OverflowError, ValueError):  # beyond doubles, or an infinite size less the infinite sum
        return math.inf


def euclidean(sizes: Float) -> float:
    """Upper bound on the Euclidean norm of numbers of these sizes, none of which is squared where it is small."""
    most = float(np.max(sizes, initial=0.0))
    if most == 0 or not math.isfinite(most):
        return most
    with np.errstate(under="ignore"):
        return product(most, math.sqrt(total(np.square(sizes / most).ravel().tolist())))


def hull(first: Range, second: Range) -> Range:
    """Return the range that holds both."""
    return Range(np.minimum(first.lo, second.lo), np.maximum(first.hi, second.hi), first.nan or second.nan)


def meet(first: Range, second: Range) -> Range | None:
    """Return what lies in both; None where nothing does."""
    lo, hi = np.maximum(first.lo, second.lo), np.minimum(first.hi, second.hi)
    nan = first.nan and second.nan
    return None if not nan and bool((lo > hi).any()) else Range(lo, hi, nan)
