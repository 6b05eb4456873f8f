"""How far something can be moved along a way while a condition holds, found by halving.

Used to bring a witness back towards the claim's own parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Moved = TypeVar("Moved")

HALVINGS = 12


def furthest(moved: Callable[[float], Moved], holds: Callable[[Moved], bool]) -> Moved | None:
    """What is moved by the largest part of the way at which the condition holds; None where it holds nowhere on it.

    The whole way (1.0) is tried first. The start (0.0) is taken to hold, and not tried.
    """
    kept: Moved | None = None
    near, far = 0.0, 1.0
    for step in range(HALVINGS):
        part = 1.0 if step == 0 else (near + far) / 2
        there = moved(part)
        if not holds(there):
            far = part
            continue
        near, kept = part, there
        if step == 0:
            break
    return kept
