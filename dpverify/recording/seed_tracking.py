"""What the recorded generator handed out that may seed another one, and what has."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.recording.flatten_output import leaves


class Seeds:
    """Of one run."""

    def __init__(self) -> None:
        self._last: tuple[Any, int] = None, 0
        self._made: list[Any] = []
        self._known: set[int] = set()

    def hand_out(self, value: Any, place: int) -> None:
        """A number, an array or a bit generator that the coin was which made the steps `place` many."""
        self._last = value, place

    def hand_on(self, made: Any) -> None:
        """A bit generator or seed sequence that was made from it; no coin stands for it."""
        self._last = made, 0
        self._made.append(made)

    def made(self, value: Any) -> bool:
        """Whether it was handed on."""
        return any(value is each for each in self._made)

    def taken(self, seed: Any) -> int | None:
        """The place of the coin that `seed` was, 0 for what was handed on; None where it is not the last of these."""
        value, place = self._last
        if value is None or not _same(value, seed):
            return None
        self._last = None, 0
        return place

    def followed(self, seed: Any) -> None:
        """A generator that records was made from it."""
        self._known |= {int(each) for each in leaves(seed) if isinstance(each, int) and each > 1}

    def known(self, value: Any) -> bool:
        """Whether this number seeds a generator that records."""
        return isinstance(value, int | float | np.integer) and value in self._known


def _same(value: Any, seed: Any) -> bool:
    """Whether a seed is this object, or this number or these numbers."""
    if value is seed:
        return True
    if isinstance(value, bytes | str | np.random.BitGenerator | np.random.SeedSequence):
        return type(value) is type(seed) and isinstance(value, bytes | str) and value == seed
    if not isinstance(seed, int | float | np.number | np.ndarray | list | tuple):
        return False
    return np.shape(value) == np.shape(seed) and bool(np.array_equal(value, seed))
