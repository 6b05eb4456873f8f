"""The map of a search: the parts of each parameter's range in which a claim was evaluated, and where it failed.

Each parameter is shown alone, over all values of the others. In a part without failures none was *found*; a part
without points was not evaluated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

LOGARITHMIC = 10.0
"""Boxes of at least this ratio are divided (and searched) on a log scale."""

PARTS = 8
"""Number of parts of each parameter's range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedPoint:
    """One evaluated point.

    Attributes
    ----------
    parameters : mapping
        The searched parameters; others have the claim's stated values.
    ratio : float
        Computed value divided by the claimed one, with errors in the claim's favour.
    failed : bool
        Whether the value exceeds the claim.
    size : int or None
        Of the data sets.
    """

    parameters: Mapping[str, Any] = field(default_factory=dict)
    ratio: float
    failed: bool
    size: int | None = None


def share(value: float, low: float, high: float) -> float:
    """Relative position of a value in its box, in [0, 1]; values outside are moved to the nearer end."""
    value = min(max(float(value), low), high)
    if high == low:
        return 0.0
    if low > 0 and high / low >= LOGARITHMIC:
        return math.log(value / low) / math.log(high / low)
    return (value - low) / (high - low)


def at(part: float, low: float, high: float) -> float:
    """The inverse of `share`."""
    if low > 0 and high / low >= LOGARITHMIC:
        return min(max(low * math.exp(part * math.log(high / low)), low), high)
    return min(max(low + part * (high - low), low), high)


def region(
    boxes: Mapping[str, tuple[float, float]], looks: Sequence[EvaluatedPoint], own: Mapping[str, Any]
) -> dict[str, list[dict[str, Any]]]:
    """For each parameter, by parts of its range: numbers of points and of failures, and the worst ratio.

    `own` has the values of parameters that a point does not contain; a parameter in neither is omitted.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for name, (low, high) in boxes.items():
        parts: list[list[EvaluatedPoint]] = [[] for _ in range(PARTS)]
        for look in looks:
            value = look.parameters.get(name, own.get(name))
            if value is not None:
                parts[min(int(share(value, low, high) * PARTS), PARTS - 1)].append(look)
        if any(parts):
            ends = [at(number / PARTS, low, high) for number in range(PARTS + 1)]
            found[name] = [_part(ends[number], ends[number + 1], inside) for number, inside in enumerate(parts)]
    return found


def by_size(looks: Sequence[EvaluatedPoint]) -> list[dict[str, Any]]:
    """The same for sizes; each evaluated size is a separate part."""
    sizes = sorted({look.size for look in looks if look.size is not None})
    return [_part(size, size, [look for look in looks if look.size == size]) for size in sizes]


def _part(low: float, high: float, inside: Sequence[EvaluatedPoint]) -> dict[str, Any]:
    return {
        "from": low,
        "to": high,
        "points": len(inside),
        "failed": sum(look.failed for look in inside),
        "worst": max((look.ratio for look in inside), default=None),
    }
