"""The ranges of elementwise operations: from those of the operands, one that holds every result.

Ends are doubles: an operation that is rounded correctly and monotone in each operand maps ends to ends exactly, so no
width is added; functions that are not rounded correctly (exp, log) and integers beyond 2**53 are widened outward.

Side of the error: too wide, never too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.proofs.ranges import EXACT, ULPS, Float, Range, anything, hull, outward


def _corners(operation: Callable[..., Any], a: Range, b: Range) -> Range:
    with np.errstate(all="ignore"):
        ends = [operation(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    unclear = np.any([np.isnan(each) for each in ends], axis=0)
    lo = np.where(unclear, -math.inf, np.min(ends, axis=0))
    hi = np.where(unclear, math.inf, np.max(ends, axis=0))
    return outward(Range(lo, hi, a.nan or b.nan or bool(unclear.any())))


def add(a: Range, b: Range) -> Range:
    """Return the range of a + b; infinities of both signs may meet."""
    return _corners(np.add, a, b)


def subtract(a: Range, b: Range) -> Range:
    """Return the range of a - b."""
    return _corners(np.subtract, a, b)


def multiply(a: Range, b: Range) -> Range:
    """Return the range of a b; a zero strictly inside meets an infinite end, too."""
    found = _corners(np.multiply, a, b)
    return Range(found.lo, found.hi, found.nan or (not (a.finite and b.finite) and _zero(a, b)))


def _zero(a: Range, b: Range) -> bool:
    """Tell whether a zero of one may meet an infinity of the other."""
    ends = [((x.lo <= 0) & (x.hi >= 0)).any() and not np.isfinite([y.lo, y.hi]).all() for x, y in ((a, b), (b, a))]
    return bool(any(ends))


def divide(a: Range, b: Range) -> Range:
    """Return the range of a / b; anything where the divisor may be 0."""
    if bool(((b.lo <= 0) & (b.hi >= 0)).any()):
        return anything(np.broadcast_shapes(a.lo.shape, b.lo.shape))
    return _corners(np.divide, a, b)


def negative(a: Range) -> Range:
    """Return the range of -a."""
    return Range(-a.hi, -a.lo, a.nan)


def absolute(a: Range) -> Range:
    """Return the range of abs(a)."""
    least = np.where((a.lo <= 0) & (a.hi >= 0), 0.0, np.minimum(np.abs(a.lo), np.abs(a.hi)))
    return Range(least, np.maximum(np.abs(a.lo), np.abs(a.hi)), a.nan)


def square(a: Range) -> Range:
    """Return the range of a * a with the same a."""
    size = absolute(a)
    with np.errstate(over="ignore"):
        return outward(Range(size.lo * size.lo, size.hi * size.hi, a.nan))


def minimum(a: Range, b: Range) -> Range:
    """Return the range of numpy.minimum: NaN if one is."""
    return Range(np.minimum(a.lo, b.lo), np.minimum(a.hi, b.hi), a.nan or b.nan)


def maximum(a: Range, b: Range) -> Range:
    """Return the range of numpy.maximum: NaN if one is."""
    return Range(np.maximum(a.lo, b.lo), np.maximum(a.hi, b.hi), a.nan or b.nan)


def python_min(a: Range, b: Range) -> Range:
    """Return the range of Python's min(a, b), which is b if b < a, else a: with a NaN in b it is a."""
    lo, hi = np.minimum(a.lo, b.lo), np.minimum(a.hi, b.hi)
    return Range(lo, a.hi if b.nan else hi, a.nan) if not a.nan else Range(lo, np.maximum(a.hi, hi), True)


def python_max(a: Range, b: Range) -> Range:
    """Return the range of Python's max(a, b), which is b if b > a, else a."""
    return negative(python_min(negative(a), negative(b)))


def monotone(
    function: Callable[[Float], Float], *, low: float = -math.inf, high: float = math.inf
) -> Callable[..., Any]:
    """The rule of a function that rises on [low, high]; anything where the operand may lie outside."""

    def rule(a: Range) -> Range:
        if bool((a.lo < low).any() or (a.hi > high).any()):
            return anything(a.lo.shape)
        none = a.lo > a.hi
        with np.errstate(all="ignore"):
            found = outward(Range(function(a.lo), function(a.hi), a.nan), ulps=ULPS, always=True)
        return Range(np.where(none, math.inf, found.lo), np.where(none, -math.inf, found.hi), a.nan)

    return rule


def exact(function: Callable[[Float], Float]) -> Callable[[Range], Range]:
    """The rule of a function that rises and is computed without error (floor, ceil, rint, trunc)."""
    return lambda a: Range(function(a.lo), function(a.hi), a.nan)


def decided(true: Any, false: Any) -> Range:
    """Return the range of a condition that is surely true here, surely false there."""
    true, false = np.asarray(true, bool), np.asarray(false, bool)
    return Range(np.where(true, 1.0, 0.0), np.where(false, 0.0, 1.0))


def less(a: Range, b: Range) -> Range:
    """Return the range of a < b, which is false where one is NaN."""
    nan = a.nan or b.nan
    return decided((a.hi < b.lo) & ~np.bool_(nan), a.lo >= b.hi)


def less_equal(a: Range, b: Range) -> Range:
    """Return the range of a <= b."""
    nan = a.nan or b.nan
    return decided((a.hi <= b.lo) & ~np.bool_(nan), a.lo > b.hi)


def equal(a: Range, b: Range) -> Range:
    """Return the range of a == b."""
    same = (a.lo == a.hi) & (b.lo == b.hi) & (a.lo == b.lo)
    return decided(same & ~np.bool_(a.nan or b.nan), (a.hi < b.lo) | (b.hi < a.lo))


def invert(a: Range) -> Range:
    """Return the range of not a."""
    return Range(1.0 - a.hi, 1.0 - a.lo)


def is_nan(a: Range) -> Range:
    """Return the range of isnan(a)."""
    return Range(np.where(a.lo > a.hi, 1.0, 0.0), np.full(a.lo.shape, float(a.nan)))


def is_finite(a: Range) -> Range:
    """Return the range of isfinite(a)."""
    sure = np.isfinite(a.lo) & np.isfinite(a.hi) & ~np.bool_(a.nan)
    return decided(sure, a.lo > a.hi)


LARGEST_DOUBLE = float(np.finfo(np.float64).max)


def finite_numbers(a: Range, nan: Range, plus: Range, minus: Range) -> Range:
    """Return the range of numpy.nan_to_num: what stands for NaN and for the infinities, where they may be."""
    lo, hi = np.clip(a.lo, -LARGEST_DOUBLE, LARGEST_DOUBLE), np.clip(a.hi, -LARGEST_DOUBLE, LARGEST_DOUBLE)
    found = Range(lo, hi)
    for other, there in ((nan, np.full(lo.shape, a.nan)), (plus, a.hi == math.inf), (minus, a.lo == -math.inf)):
        low, high = np.where(there, np.minimum(found.lo, other.lo), found.lo), np.maximum(found.hi, other.hi)
        found = Range(low, np.where(there, high, found.hi), found.nan or (other.nan and bool(np.any(there))))
    return found


def fmin(a: Range, b: Range) -> Range:
    """Return the range of numpy.fmin, which is the other where one is NaN."""
    high = np.minimum(a.hi, b.hi)
    high = np.maximum(high, a.hi) if b.nan else high
    return Range(np.minimum(a.lo, b.lo), np.maximum(high, b.hi) if a.nan else high, a.nan and b.nan)


def fmax(a: Range, b: Range) -> Range:
    """Return the range of numpy.fmax, which is the other where one is NaN."""
    return negative(fmin(negative(a), negative(b)))


def modulo(a: Range, b: Range) -> Range:
    """Return the range of the remainder of whole numbers by one positive number."""
    shape = np.broadcast_shapes(a.lo.shape, b.lo.shape)
    if not _one_positive(b):
        return anything(shape)
    return Range(np.zeros(shape), np.broadcast_to(b.hi - 1, shape))


def _one_positive(b: Range) -> bool:
    return not b.nan and bool((b.lo == b.hi).all() and (b.lo >= 1).all())


def floor_divide(a: Range, b: Range) -> Range:
    """Return the range of the quotient of whole numbers by one positive number, rounded down."""
    if not _one_positive(b):
        return anything(np.broadcast_shapes(a.lo.shape, b.lo.shape))
    lo, hi = np.floor(a.lo / b.lo) - (np.abs(a.lo) >= EXACT), np.floor(a.hi / b.lo) + (np.abs(a.hi) >= EXACT)
    return outward(Range(lo, hi))


def where(condition: Range, a: Range, b: Range) -> Range:
    """Return the range of a where the condition holds, else b."""
    if condition.truth is not None:
        chosen, other = (a, b) if condition.truth else (b, a)
        shape = np.broadcast_shapes(condition.lo.shape, chosen.lo.shape, other.lo.shape)
        return Range(np.broadcast_to(chosen.lo, shape), np.broadcast_to(chosen.hi, shape), chosen.nan)
    both = hull(a, b)
    shape = np.broadcast_shapes(condition.lo.shape, both.lo.shape)
    return Range(np.broadcast_to(both.lo, shape), np.broadcast_to(both.hi, shape), both.nan)
