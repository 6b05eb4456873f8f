"""Boundary subjects that offer what an attack leaves behind (scores, canaries) or what an observer of every step sees.

Their size is the budget: a task of n trials has n trainings a side, or n canaries (`sized`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Trainings:
    """Scores of trainings: 1 with the record and 0 without, plus noise of scale 1 (``laplace`` or ``normal``)."""

    kind: str = "laplace"
    size: int = 100
    power: float = 1.0

    def sized(self, trials: int) -> Trainings:
        """With so many trainings a side."""
        return replace(self, size=trials)

    def scores(self, *, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """With the record, and without."""
        draw = rng.laplace if self.kind == "laplace" else rng.normal
        return 1.0 + self.power * draw(size=self.size), self.power * draw(size=self.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Canaries:
    """One training that shows each canary through a channel of its own.

    Attributes
    ----------
    kind : str
        ``response`` (the bit, kept with odds e^1), ``normal`` (the bit plus noise of scale 1).
    """

    kind: str = "response"
    canaries: int = 100
    values: int = 2
    power: float = 1.0

    def sized(self, trials: int) -> Canaries:
        """With so many canaries."""
        return replace(self, canaries=trials)

    def canary_run(self, *, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Scores and coins."""
        included = rng.integers(2, size=self.canaries)
        if self.kind == "normal":
            return included + self.power * rng.normal(size=self.canaries), included
        kept = rng.random(self.canaries) < 1.0 / (1.0 + math.exp(-1.0 / self.power))
        return np.where(kept, included, 1 - included).astype(np.float64), included


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """Every step of a training by Gaussian noise on a Poisson sample, as an observer of all iterates sees it."""

    rate: float
    sigma: float
    power: float = 1.0

    def traces(self, dataset: NDArray[np.float64], size: int, *, rng: np.random.Generator) -> NDArray[np.float64]:
        """Shape (size, steps, 1), in units of what the record may add: `dataset` says what it adds at each step."""
        added = np.asarray(dataset, dtype=np.float64)
        taken = rng.random((size, added.size)) < self.rate
        noisy = np.where(taken, added, 0.0) + self.power * self.sigma * rng.normal(size=(size, added.size))
        return noisy[:, :, None]
