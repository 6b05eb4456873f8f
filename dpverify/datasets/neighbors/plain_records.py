"""Plain data sets of numbers with one record to add, remove or replace: what the relations on records list first."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.subjects import Float


def plain_records(space: SearchSpace) -> Iterator[tuple[float, Float]]:
    """(value of the record, the other ``size - 1`` records): extremes first, then 0 and the middle of the range."""
    levels = extremes_first(space)
    others = space.size - 1
    rests = [np.full(others, level) for level in levels]
    rests.append(np.where(np.arange(others) < (others + 1) // 2, space.high, space.low))
    ranked = sorted((i + j, i, j) for i in range(len(levels)) for j in range(len(rests)))
    for _, i, j in ranked:
        yield levels[i], rests[j]


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
