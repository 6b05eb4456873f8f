"""Finds by bisection how far a point can be moved along a path while a condition holds.

Used to move a witness towards the claim's stated parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Moved = TypeVar("Moved")

HALVINGS = 12


def furthest_while(moved: Callable[[float], Moved], holds: Callable[[Moved], bool]) -> Moved | None:
    """The point at the largest part of the path at which the condition holds; None where it holds nowhere.

    The whole path (1.0) is tried first. The start (0.0) is assumed to fulfil the condition and not tried.
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
