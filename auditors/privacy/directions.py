"""The two directions in which an event may be likelier: under d0 than under d1 (0), or the other way round (1)."""

from __future__ import annotations

SIDES = ("d0", "d1")


def direction_text(direction: int, sides: tuple[str, str] = SIDES) -> str:
    """``d0 against d1``, or ``d1 against d0``: the side with the larger event probability is first."""
    return f"{sides[direction]} against {sides[1 - direction]}"
