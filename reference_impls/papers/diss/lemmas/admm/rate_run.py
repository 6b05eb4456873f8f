"""AM-RATE (c) through the algorithm itself: what ssADMM returns when no record has a gradient, by simulation.

The setting of :mod:`reference_impls.papers.diss.lemmas.admm.rate_noise`, *pinned*, on a table of blank records: the
statistic is lambda |x^T| over the bound of Theorem 4.2, so the claim is that its mean is at most 1. Nothing is assumed
of z or y here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.fields import Checked
from dpverify.datasets.table import Table
from reference_impls.admm.ss_admm import SsAdmm
from reference_impls.papers.diss.lemmas.admm.rate_noise import Pinned

OPERATIONS = 1e7
"""Iterations a second, about: of no more account than how many runs are worth making."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedGap(Checked):
    """Subject ``admm-rate-run``. Attributes as `Pinned`'s."""

    output: str = "last"
    eta: float = 1.0
    rho: float = 0.25
    sigma: float = 1.0
    l1: float = 6.0
    iterations: int = 400

    def validate(self) -> None:
        """What the exact formulas refuse is refused when the subject is made."""
        self.exact()

    def exact(self) -> Pinned:
        """The same setting, computed."""
        return Pinned(
            output=self.output,
            eta=self.eta,
            rho=self.rho,
            sigma=self.sigma,
            l1=self.l1,
            iterations=float(self.iterations),
        )

    @property
    def low(self) -> float:
        """A gap is not negative."""
        return 0.0

    @property
    def draws(self) -> int:
        """How many runs are drawn: about a second's worth."""
        return max(round(OPERATIONS / self.iterations), 1000)

    def statistic(self, size: int, *, rng: np.random.Generator) -> NDArray[np.float64]:
        """lambda |x| of what each run returns, over the bound, shape (size,)."""
        algorithm = SsAdmm(
            model="huber-svm",
            steps=self.iterations,
            batch_size=1,
            sigma=self.sigma,
            l1=self.l1,
            rho=self.rho,
            initial_step=self.eta,
            schedule="root",
            output=self.output,
        )
        blank = Table(features=np.zeros((1, 1)), labels=np.ones(1), name="a blank record")
        found = algorithm.sample(blank, size, rng=rng)[:, 0]
        return np.asarray(self.l1 * np.abs(found) / self.exact().printed().value)
