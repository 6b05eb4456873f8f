"""A tape that keeps nothing and calls back at iterates: trajectories of long runs, without storing every draw.

It draws as :class:`~dpverify.recording.tape.Tape` does, so a watched run has the numbers of an unwatched one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.recording.tape import Tape
from dpverify.sampling.streams import state_from

Float = NDArray[np.float64]
Seen = Callable[[int, Float, Mapping[str, Any]], None]
"""``seen(number, point, published)``: the number of the iterate (the start is 0), the iterate, and the last value
published under each name."""


class WatchingTape(Tape):
    """Makes draws and keeps none; tells each iterate.

    Parameters
    ----------
    rng : numpy.random.Generator
        Advanced by four words, as by `Tape.recording`.
    seen : callable
        See `Seen`; the point is the algorithm's own array, not to be kept or changed.
    """

    def __init__(self, rng: np.random.Generator, seen: Seen) -> None:
        super().__init__(state_from(rng), keep=False)
        self._seen, self._number, self._published = seen, 0, dict[str, Any]()
        self._done = self._sample = 0

    def publish(self, name: str, value: ArrayLike) -> None:
        """Remember the last value of the name; an ``answer`` is that of a search on the sample that was drawn last."""
        self._published[name] = value
        if name == "answer":  # the start, and each candidate up to the answer
            self._done += self._sample * (int(np.asarray(value)) + 2)
            self._sample = 0

    def poisson_subset(self, name: str, rows: int, rate: float) -> NDArray[np.int64]:
        """Draw as the tape does; the sample is counted."""
        found = super().poisson_subset(name, rows, rate)
        self._done, self._sample = self.evaluations, found.size
        return found

    @property
    def evaluations(self) -> int:
        """Evaluations of a record's gradient or loss, as far as samples tell: each once, in a search as often as it
        looks."""
        return self._done + self._sample

    def iterate(self, point: ArrayLike) -> None:
        """Tell the iterate."""
        self._seen(self._number, np.asarray(point, dtype=np.float64), self._published)
        self._number += 1
