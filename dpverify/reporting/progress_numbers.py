"""The numbers in an auditor's message on its progress: draws, wealth, the bound so far."""

from __future__ import annotations

import math
import re
from typing import Any

DRAWS = re.compile(r"(\d+) of (\d+) draws")
_WEALTH = re.compile(r"wealth ([0-9.e+-]+|inf)")
_BOUND = re.compile(r"; ([a-z]+) >= ([0-9.e+-]+|inf) so far")


def progress_numbers(message: str) -> dict[str, Any]:
    """``draws``, ``of``, ``wealth``, ``measure`` and ``bound``, as far as the message says them; "inf" for infinity."""
    found: dict[str, Any] = {}
    if draws := DRAWS.search(message):
        found |= {"draws": int(draws[1]), "of": int(draws[2])}
    if wealth := _WEALTH.search(message):
        found["wealth"] = _number(wealth[1])
    if bound := _BOUND.search(message):
        found |= {"measure": bound[1], "bound": _number(bound[2])}
    return found


def _number(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else text
