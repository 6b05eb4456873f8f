"""AD-POST (section "Adaptive DP algorithm"): step sizes and errors of ADADP leak no more than its noisy sums.

Iterates, step sizes and errors are functions of the noisy sums alone:
runs on other data that are given the same noisy sums show the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as replaced
from functools import cached_property
from typing import Annotated

import numpy as np

from dpverify.core.rules import Between
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.optimizers.adadp import Adadp
from reference_impls.papers.adadp.lemmas.accounted_epsilon import SIGMAS
from reference_impls.papers.exactly_equal import ExactlyEqual


@dataclass(frozen=True, kw_only=True)
class PostProcessed(ExactlyEqual):
    """A run on one random table, and a run on another that is given the first one's noisy sums.

    Attributes
    ----------
    seed : float
        Rounded; of tables and draws.
    rows, columns, steps : float
        Rounded, >= 1.
    sigma, initial_step, tol : float
        As the algorithm has them.
    text, error, sampling : str
        As the algorithm has them.
    """

    seed: Annotated[float, Between(0, 1e9)] = 0.0
    rows: Annotated[float, Between(1, 1e4)] = 12.0
    columns: Annotated[float, Between(1, 1e3)] = 4.0
    steps: Annotated[float, Between(1, 1e4)] = 6.0
    sigma: float = SIGMAS[0]
    initial_step: float = 0.1
    tol: float = 1.0
    text: str = "paper"
    error: str = "relative"
    sampling: str = "shuffled"

    @property
    def algorithm(self) -> Adadp:
        """ADADP with these settings, as published."""
        return Adadp(
            batch_size=max(1, round(self.rows) // 3),
            sampling=self.sampling,
            noise_multiplier=self.sigma,
            initial_step=self.initial_step,
            tol=self.tol,
            steps=round(self.steps),
            text=self.text,
            error=self.error,
        )

    def table(self, which: str) -> Table:
        """One of the two tables."""
        rng = stream(round(self.seed), "adadp-post", which)
        features = rng.normal(size=(round(self.rows), round(self.columns)))
        return Table(features=features, labels=np.where(rng.random(round(self.rows)) < 0.5, -1.0, 1.0), name=which)

    @cached_property
    def difference(self) -> float:
        """The largest one between what the two runs show: iterates, step sizes, errors, answers."""
        first = self.algorithm.transcript(self.table("first"), rng=stream(round(self.seed), "adadp-post"))
        second = self.algorithm.replay(self.table("second"), replaced(first, held=True))
        shown = [
            (first.iterates, second.iterates),
            *((first.public[name], second.public[name]) for name in first.public),
        ]
        return max(float(np.abs(np.asarray(a, float) - np.asarray(b, float)).max()) for a, b in shown)
