"""Boundary subjects of the calibration alone: what is known of them (samples, counts, the exact law) they offer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.auditing import Task
from dpverify.core.comparing import Grid, Series, series_key
from dpverify.laws.discrete import DiscreteLaw


@dataclass(frozen=True, slots=True, kw_only=True)
class Die:
    """A fair die of `size` faces that knows nothing of the data: sampled only, and with many events to fall for."""

    size: int = 64

    def sample(self, dataset: Any, size: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
        """Faces."""
        return np.floor(self.size * rng.random(size)).astype(np.int64)

    def output_law(self, dataset: Any) -> DiscreteLaw:
        """Uniform."""
        return DiscreteLaw.from_log_weights([0.0] * self.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """Numbers of mean 1 / power: exponential ones, or (`rare` < 1) one that comes seldom and is large, else 0."""

    rare: float = 1.0
    power: float = 1.0
    low: float = 0.0
    draws: int = 10**6

    def statistic(self, size: int, *, rng: np.random.Generator) -> NDArray[np.float64]:
        """One a run."""
        numbers = rng.exponential(size=size) if self.rare == 1.0 else (rng.random(size) < self.rare) / self.rare
        return numbers / self.power


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Two arms in paired repetitions: on average `better` falls short of `worse` by 1 / power at each place."""

    repetitions: int = 40
    places: int = 3
    power: float = 1.0
    statements: int = 1

    def lacks(self) -> str:
        """Nothing."""
        return ""

    def series(self, arms: Sequence[str], metrics: Sequence[str], task: Task) -> Series:
        """Normal numbers, what is common to a repetition in both arms."""
        rng, xs = task.stream("pairs"), tuple(float(x) for x in range(1, self.places + 1))
        values = {}
        for x in xs:
            common = rng.normal(size=self.repetitions, scale=5.0)
            for arm in arms:
                mean = 0.0 if arm == "better" else 1.0 / self.power
                numbers = common + mean + rng.normal(size=self.repetitions)
                values |= {series_key("data", arm, metric, x): numbers.tolist() for metric in metrics}
        return Series(values=values, grid=Grid(data=("data",), xs=xs))
