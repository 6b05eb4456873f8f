"""Values that an example does not show and its types allow: NaN, infinities, integer types' ends, unseen texts.

What an example shows is no domain: nobody has said that records stay in its ranges. Of 32 and 64 bits only the largest
ends that a container takes are tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dpverify.datasets.examples.value_kinds import Choice, FloatRange, IntRange, OrMissing, ValueKind

LARGE = 1e6
"""At least so large is a large value, and at least a thousand times what the example shows."""

SMALL_ENDS = (255, 32_767, -128, -32_768)
ENDS_OF_32, ENDS_OF_64 = (2**31 - 1, -(2**31)), (2**63 - 1, -(2**63))
LARGE_ENDS = frozenset((*ENDS_OF_32, *ENDS_OF_64))
"""A table of counts up to one of these takes a machine's memory, or ends its process."""


def values_beyond(kind: ValueKind, fitting: Callable[[list[Any]], list[Any]]) -> tuple[Any, ...]:
    """Values outside of `kind`, the likeliest to show something first; none where the type has no others.

    `fitting`: those of some values that the example's container holds as they are.
    """
    found: tuple[Any, ...] = ()
    inner = kind.kind if isinstance(kind, OrMissing) else kind
    ends = inner.values if isinstance(inner, Choice) else ()
    if isinstance(inner, FloatRange) or (ends and all(type(end) is float for end in ends)):
        found = _floats(*_range(inner))
    elif isinstance(inner, IntRange) or (ends and all(type(end) is int for end in ends)):
        found = _integers(*_range(inner))
    elif ends and all(isinstance(end, str) for end in ends):
        found = ("unseen", "")
    fit = fitting([each for each in dict.fromkeys(found) if not kind.holds(each)]) if found else []
    return tuple(each for each in fit if each not in ENDS_OF_32 or ENDS_OF_64[0] not in fit)


def _range(kind: ValueKind) -> tuple[Any, Any]:
    if isinstance(kind, FloatRange | IntRange):
        return kind.low, kind.high
    assert isinstance(kind, Choice)
    return min(kind.values), max(kind.values)


def _floats(low: float, high: float) -> tuple[float, ...]:
    large = _large(low, high)
    return (large, math.nan, -large, high + 10.0 * ((high - low) or 1.0), math.inf, -math.inf)


def _integers(low: int, high: int) -> tuple[int, ...]:
    large = int(min(_large(low, high), 2**62))
    near = high + 10 * ((high - low) or 1)
    return (large, 127, high + 1, -large, low - 1, *ENDS_OF_64, *ENDS_OF_32, near, *SMALL_ENDS)


def _large(low: float, high: float) -> float:
    return min(max(LARGE, 1e3 * max(abs(low), abs(high))), 1e300)
