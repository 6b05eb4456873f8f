"""Tracks drawn values that may seed another generator, and those that did."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.recording.flatten_output import leaves


class Seeds:
    """The seeds that one run's generator handed out, and the generators made from them."""

    def __init__(self) -> None:
        self._last: tuple[Any, int] = None, 0
        self._made: list[Any] = []
        self._known: set[int] = set()

    def hand_out(self, value: Any, place: int) -> None:
        """Note a drawn number, array or bit generator, which is the coin at step `place`."""
        self._last = value, place

    def hand_on(self, made: Any) -> None:
        """Note a bit generator or seed sequence made from the recorded generator; it is not a coin."""
        self._last = made, 0
        self._made.append(made)

    def made(self, value: Any) -> bool:
        """Tell whether `value` was noted by `hand_on`."""
        return any(value is each for each in self._made)

    def taken(self, seed: Any) -> int | None:
        """The step of the coin `seed`, 0 for a noted bit generator; None where `seed` is not the last value noted."""
        value, place = self._last
        if value is None or not _same(value, seed):
            return None
        self._last = None, 0
        return place

    def followed(self, seed: Any) -> None:
        """Note that a recording generator was made from `seed`."""
        self._known |= {int(each) for each in leaves(seed) if isinstance(each, int) and each > 1}

    def known(self, value: Any) -> bool:
        """Tell whether this number seeds a generator that records."""
        return isinstance(value, int | float | np.integer) and value in self._known


def _same(value: Any, seed: Any) -> bool:
    """Tell whether a seed is this object or has the same numbers."""
    if value is seed:
        return True
    if isinstance(value, bytes | str | np.random.BitGenerator | np.random.SeedSequence):
        return type(value) is type(seed) and isinstance(value, bytes | str) and value == seed
    if not isinstance(seed, int | float | np.number | np.ndarray | list | tuple):
        return False
    return np.shape(value) == np.shape(seed) and bool(np.array_equal(value, seed))
