"""Reads single values as floats and labels; different values stay different.

A number that does not fit into a double becomes the nearest double, the remainder, and a label for what is still
missing. NaN and infinities are kept; the encoder gives them numbers.
"""

from __future__ import annotations

import datetime
import enum
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from dpverify.adapters.unpacked_value import Unpacked, number_kind, refuse_attributes

_PLAIN = frozenset({bool, int, float, complex, str, bytes, bytearray, memoryview, type(None), np.float64, np.int64})
"""Types without attributes of their own, which most values have."""


def read_scalar(value: Any) -> Unpacked | None:
    """A number, a label, a moment in time, None or a member of an enumeration; None for anything else.

    CannotReadError where it is one of a subclass, and carries more than its value.
    """
    found = _read(value)
    if found is not None and type(value) not in _PLAIN and not isinstance(value, enum.Enum):
        refuse_attributes(value)
    return found


def _read(value: Any) -> Unpacked | None:
    kind = number_kind(value)
    if kind is not None:
        return _number(value, kind)
    if isinstance(value, str):
        return Unpacked("label", (str.__str__(value),))
    if isinstance(value, bytes):
        return Unpacked("bytes label", (bytes(value),))
    if value is None:
        return Unpacked("None")
    if isinstance(value, complex | np.complexfloating):
        parts = [_number(part, "float") for part in (value.real, value.imag)]
        kind = "complex" if isinstance(value, complex) else value.dtype.name
        return Unpacked(_with_forms(kind, parts), [atom for part in parts for atom in part.atoms])
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        return _moment(value)
    if isinstance(value, enum.Enum):
        return Unpacked(f"member of {type(value).__qualname__}", (value.name,))
    if isinstance(value, bytearray | memoryview):
        return Unpacked(type(value).__name__, (bytes(value),))
    return None


def _number(value: Any, kind: str) -> Unpacked:
    """A number that fits into a double as such; else with its remainder."""
    try:
        near = float(value)
    except OverflowError:
        return Unpacked(f"{kind} beyond doubles", ((kind, value),))
    if near == value or near != near:
        return Unpacked(kind, (near,))
    if math.isinf(near):
        return Unpacked(f"{kind} beyond doubles", ((kind, str(value)),))
    exact = Fraction(*value.as_integer_ratio()) if hasattr(value, "as_integer_ratio") else Fraction(value)
    return Unpacked(f"{kind} between doubles", _split(exact))


def _split(exact: Fraction) -> tuple[Any, ...]:
    """The nearest double, the double nearest to the remainder, and the rest: 0, or a label."""
    near = float(exact)
    missing = float(exact - Fraction(near))
    rest = exact - Fraction(near) - Fraction(missing)
    return near, missing, 0.0 if rest == 0 else ("rest", rest.numerator, rest.denominator)


def _decimal(value: Decimal) -> Unpacked:
    """Read a Decimal with its exponent, since 1.0 and 1.00 are different outputs."""
    if not value.is_finite():
        return Unpacked("Decimal that is not finite", (str(value),))
    exponent = int(value.as_tuple().exponent)
    if abs(value.adjusted()) > 300:  # it is far from any double, and exact fractions may be huge
        return Unpacked("Decimal beyond doubles", (("Decimal", str(value)),))
    return Unpacked("Decimal", (*_split(Fraction(value)), float(exponent)))


def _moment(value: datetime.date | datetime.time | datetime.timedelta) -> Unpacked:
    kind = type(value).__name__
    if kind not in ("date", "datetime", "time", "timedelta"):  # pandas' moments count nanoseconds
        return Unpacked(kind, (repr(value),))
    if isinstance(value, datetime.timedelta):
        return Unpacked(kind, (float(value.days), float(value.seconds), float(value.microseconds)))
    day = (float(value.toordinal()),) if isinstance(value, datetime.date) else ()
    if not isinstance(value, datetime.datetime | datetime.time):
        return Unpacked(kind, day)
    second = float(value.hour * 3600 + value.minute * 60 + value.second)
    zone = f" {value.tzinfo!r}" if value.tzinfo is not None else ""
    return Unpacked(f"{kind}{zone}", (*day, second, float(value.microsecond), float(value.fold)))


def _with_forms(kind: str, parts: list[Unpacked]) -> str:
    """The kind, with those parts that do not fit into doubles."""
    odd = [part.kind for part in parts if part.kind != "float"]
    return f"{kind} ({', '.join(odd)})" if odd else kind
