"""The answer of a proof of losses in words and in doubles, each end rounded to its own side."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction
from typing import Any


def shown(found: dict[str, Any]) -> str:
    """Say what is proved: numbers as doubles where they are, ends in decimals, rounded outward."""

    def number(x: Any) -> str:
        if isinstance(x, list):
            return f"({', '.join(map(number, x))})"
        exact = Fraction(x)
        return str(exact) if exact.denominator == 1 or Fraction(float(exact)) != exact else repr(float(exact))

    def end(x: Fraction, rounding: str) -> str:
        return str(decimal.Context(12, rounding).divide(decimal.Decimal(x.numerator), decimal.Decimal(x.denominator)))

    steps = [({k: v for k, v in told.items() if k not in ("step", "count")}, told) for told in found["steps"]]
    words = [
        f"{told['step']}({', '.join(f'{k}={number(v)}' for k, v in own.items())})*{told['count']}"
        for own, told in steps
    ]
    at = {"epsilon": "delta", "delta": "epsilon"}[found["asked"]]
    ends = end(found["lower"], decimal.ROUND_FLOOR), end(found["upper"], decimal.ROUND_CEILING)
    return f"{ends[0]} <= {found['asked']} <= {ends[1]} at {at} = {number(found['given'])}: {' + '.join(words)}"


def outward(number: Fraction, *, up: bool) -> float:
    """A double on its side of a fraction."""
    found = float(number)
    if Fraction(found) == number or (Fraction(found) > number) == up:
        return found
    return math.nextafter(found, math.inf if up else 0.0)
