"""Boundary subjects of the calibration alone: what is known of them (samples, counts, the exact law) they offer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
