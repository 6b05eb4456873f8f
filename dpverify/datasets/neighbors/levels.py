"""The plain numbers of a range that pairs are made from first: its ends, its middle, 0 and 1 where it holds them."""

from __future__ import annotations

from dpverify.core.claim import SearchSpace


def extremes_first(space: SearchSpace) -> list[float]:
    """The ends of the range, then 0, 1 and the middle: the order for values of records."""
    return _ordered(space, (space.high, space.low, 0.0, 1.0, _middle(space)))


def plain_first(space: SearchSpace) -> list[float]:
    """0 and 1, then the middle, the low and the high end: the order for levels of query answers."""
    return _ordered(space, (0.0, 1.0, _middle(space), space.low, space.high))


def _middle(space: SearchSpace) -> float:
    return (space.low + space.high) / 2.0


def _ordered(space: SearchSpace, levels: tuple[float, ...]) -> list[float]:
    return list(dict.fromkeys(float(level) for level in levels if space.low <= level <= space.high))
