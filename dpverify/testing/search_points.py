"""Points of a claim's search space encoded as coin flips, so that hypothesis can draw, steer and shrink them.

Every choice is a boolean on purpose. For numbers hypothesis mixes in constants that it reads out of whatever source
files happen to be loaded (and caches them below the working directory), so that the same seed would give other points
in another process; for booleans it does not. All coins False is the plainest point: the first listed pair, the claim's
own parameters. A coordinate is either one of four plain values (0, the ends, the middle) or a Gray-coded fraction, in
which neighbouring values differ in one coin, so that hill climbing can walk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.subjects import NeighborGenerator, Pair

FINE = 11
"""Coins of a fraction: a grid of 2048 values."""

Flip = Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A pair, and the searched parameters (those left out stay as the claim has them)."""

    pair: Pair
    parameters: Mapping[str, float] = field(default_factory=dict)


def flipped_point(flip: Flip, space: SearchSpace, generator: NeighborGenerator, listed: Sequence[Pair]) -> Point:
    """The point that a sequence of coins stands for."""
    parameters = flipped_parameters(flip, space)
    box = generator.box(space)
    if box is not None and flip():
        vector = np.array([_coordinate(flip, float(low), float(high)) for low, high in box])
        return Point(pair=generator.decode(space, vector), parameters=parameters)
    return Point(pair=listed[_integer(flip, (len(listed) - 1).bit_length()) % len(listed)], parameters=parameters)


def flipped_parameters(flip: Flip, space: SearchSpace) -> dict[str, Any]:
    """The searched parameters that a sequence of coins stands for; those left out stay as the claim has them."""
    parameters: dict[str, Any] = {}
    for name, (low, high) in space.parameters.items():
        if flip():
            parameters[name] = _coordinate(flip, low, high)
    return parameters


def _coordinate(flip: Flip, low: float, high: float) -> float:
    if not flip():
        plain = (min(max(0.0, low), high), low, high, (low + high) / 2.0)
        return plain[_integer(flip, 2)]
    gray = code = _integer(flip, FINE)
    while gray := gray >> 1:
        code ^= gray
    return low + (high - low) * (code / ((1 << FINE) - 1))


def _integer(flip: Flip, coins: int) -> int:
    number = 0
    for _ in range(coins):
        number = 2 * number + flip()
    return number
