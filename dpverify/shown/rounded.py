"""Bounds in a few digits that are still bounds."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

DIGITS = 6


def rounded_bound(value: float, *, up: bool, digits: int = DIGITS) -> str:
    """A bound to so many significant digits, rounded so that the number read back is still a bound."""
    if math.isinf(value):
        return "∞"
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    # The shortest decimal of the double, so that 0.1 stays 0.1.
    mantissa, *exponent = f"{context.create_decimal(Decimal(repr(value))):g}".split("e")
    return "e".join((mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa, *exponent))


def upward(value: float) -> str:
    """An upper bound in 13 digits, rounded up so that it is one."""
    return f"{float(Context(prec=13, rounding=ROUND_CEILING).create_decimal(Decimal(repr(value)))):.13g}"
