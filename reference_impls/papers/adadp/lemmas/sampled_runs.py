"""Runs of ADADP itself, sampled: AD-2MOMENTS-RUN and AD-SHUFFLE-RUN, beside the computed bounds of the same claims.

Both look at G_1, G_2 of each iteration, which is what Theorem 2 counts, on one-weight squared losses whose clipped
gradients are +-C wherever the weight is (:mod:`dpverify.datasets.neighbors.canaries`), held against the accountant's
whole curve. ``adadp-noisy-sums`` shows them as they are. ``adadp-shuffled-score`` adds up, over all batches, the score
of :mod:`reference_impls.papers.adadp.lemmas.shuffled_batches`: post-processing, so what it leaks the sums leak
too.

Not to be confused with the last iterate alone, of which an observer of the whole run sees more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Dataset
from reference_impls.optimizers.adadp import Adadp
from reference_impls.papers.adadp.lemmas.accounted_epsilon import SIGMAS


@dataclass(frozen=True, slots=True, kw_only=True)
class AdadpNoisySums:
    """Subject ``adadp-noisy-sums``. Data set: a table. Result: all noisy sums over C, shape (2 T d,).

    Attributes
    ----------
    steps, batch_size, rate, noise_multiplier, sampling
        As :class:`~reference_impls.optimizers.adadp.Adadp` has them.
    """

    steps: int = 1
    batch_size: int = 1
    rate: float | None = None
    noise_multiplier: float = SIGMAS[0]
    sampling: str = "poisson"

    @property
    def algorithm(self) -> Adadp:
        """ADADP with these settings, as published."""
        return Adadp(
            model="squared",
            initial_step=1e-3,
            steps=self.steps,
            batch_size=self.batch_size,
            rate=self.rate,
            noise_multiplier=self.noise_multiplier,
            sampling=self.sampling,
        )

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Independent runs, shape (size, 2 T d)."""
        return self.algorithm.traces(dataset, size, rng=rng).reshape(size, -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdadpShuffledScore(AdadpNoisySums):
    """Subject ``adadp-shuffled-score``. Result: one number, the sum of all batches' scores, shape ()."""

    sampling: str = "shuffled"

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Independent runs, shape (size,). A batch's number is |B| less its sum: most records have gradient +C."""
        numbers = self.batch_size - self.algorithm.traces(dataset, size, rng=rng)[:, :, 0]
        s = self.noise_multiplier**2
        return np.asarray(np.sum(np.exp((2 * numbers - 2) / s) - np.exp((numbers - 0.5) / s), axis=1))
