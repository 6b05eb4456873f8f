"""Plain data sets of numbers with one record to add, remove or replace: what the relations on records list first."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.subjects import Float
from dpverify.datasets.neighbors.levels import extremes_first


def plain_records(space: SearchSpace) -> Iterator[tuple[float, Float]]:
    """(value of the record, the other ``size - 1`` records): extremes first, then 0 and the middle of the range."""
    levels = extremes_first(space)
    others = space.size - 1
    rests = [np.full(others, level) for level in levels]
    rests.append(np.where(np.arange(others) < (others + 1) // 2, space.high, space.low))
    ranked = sorted((i + j, i, j) for i in range(len(levels)) for j in range(len(rests)))
    for _, i, j in ranked:
        yield levels[i], rests[j]
