"""From exact numbers and balls to :class:`Enclosed`: floats that contain them, rounded outward.

Basis: every double is a rational number, ``Fraction -> float`` rounds to nearest, and Arb (python-flint)
returns balls that contain the truth. An `Enclosed` made here satisfies ``lower <= truth <= upper`` with `lower` and
`upper` evaluated in doubles, as its readers do; the error is 0 only when the value is the truth itself. Not to be
confused with an error *estimate* (quadrature), which is never `proved`.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import ParamSpec, TypeVar

import flint

from dpverify.core.evidence import Enclosed

PRECISION = 160  # bits, three times a double's: room for cancellation

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")


_PRECISION_LOCK = threading.RLock()
"""The working precision belongs to the process: two proofs at once would be sound still, but not the same bits."""


@contextmanager
def working_precision(bits: int = PRECISION) -> Iterator[None]:
    """Ball arithmetic at `bits` bits, by one thread at a time."""
    with _PRECISION_LOCK, flint.ctx.workprec(bits):
        yield


def at_working_precision(function: Callable[Parameters, Value]) -> Callable[Parameters, Value]:
    """Run `function` at `PRECISION` bits, whatever the caller's precision (all are sound, low ones give wide balls)."""

    @functools.wraps(function)
    def inner(*arguments: Parameters.args, **named: Parameters.kwargs) -> Value:
        with working_precision():
            return function(*arguments, **named)

    return inner


def exact_ball(number: float | Fraction) -> flint.arb:
    """A ball around a double (exact) or a fraction (to the working precision)."""
    if isinstance(number, Fraction):
        return flint.arb(flint.fmpq(number.numerator, number.denominator))
    return flint.arb(number)


def enclosed_fraction(number: Fraction) -> Enclosed:
    """The nearest double with a proved error, 0 when the double is the number itself.

    Raises OverflowError above the largest double.
    """
    value = float(number)
    return Enclosed(value=value, error=0.0 if Fraction(value) == number else math.ulp(value), proved=True)


def enclosed_bounds(lower: flint.arb, upper: flint.arb) -> Enclosed | None:
    """The hull of two balls as a proved enclosure; None when it is not finite (nothing was proved)."""
    if not (lower.is_finite() and upper.is_finite()):
        return None
    low, high = lower.lower(), upper.upper()  # exact end points, rounded outward
    value = float(((low + high) / 2).mid())
    if not math.isfinite(value):
        return None
    error = 0.0
    step = math.ulp(value)
    # Doubles just above the distance; the loop mends the rounding of value -+ error in the reader's arithmetic.
    distance = float((high - flint.arb(value)).max(flint.arb(value) - low).upper())
    if distance > 0:
        error = math.nextafter(distance, math.inf)
    while not (flint.arb(value - error) <= low and flint.arb(value + error) >= high):
        error = math.nextafter(max(error + step, 2 * step), math.inf)
    return Enclosed(value=value, error=error, proved=True)


def enclosed_ball(ball: flint.arb) -> Enclosed | None:
    """A ball as a proved enclosure; None when it is not finite (nothing was proved)."""
    return enclosed_bounds(ball, ball)
