"""AM-RATE (c) through the algorithm itself: what ssADMM returns when no record has a gradient, by simulation.

The setting of :mod:`reference_impls.papers.diss.lemmas.admm.rate_noise`, *pinned*, on a table of blank records: the
statistic is lambda |x^T| over the bound of Theorem 4.2, so the claim is that its mean is at most 1. Nothing is assumed
of z or y here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.core.claim import Claim, Reading, Source
from dpverify.datasets.table import Table
from dpverify.definitions.expectation import Expectation
from reference_impls.admm.ss_admm import SsAdmm
from reference_impls.papers.diss.lemmas.admm.rate_noise import Pinned

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

OPERATIONS = 1e7
"""Iterations a second, about: of no more account than how many runs are worth making."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedGap:
    """Subject ``admm-rate-run``. Attributes as :class:`~reference_impls.papers.diss.lemmas.admm.rate_noise.Pinned`'s.
    """

    output: str = "last"
    eta: float = 1.0
    rho: float = 0.25
    sigma: float = 1.0
    l1: float = 6.0
    iterations: int = 400

    def __post_init__(self) -> None:
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
        """A second's worth."""
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


def register(registry: Registry) -> None:
    """Register the subject and the ledger's claims."""
    registry.mechanisms.add("admm-rate-run", ReturnedGap)
    own = {"sigma": 0.01, "l1": 0.0001, "iterations": 2210}
    average = {"output": "average"}
    runs = (
        (
            "AM-RATE-RUN",
            ("DISS", "Thm 4.2"),
            (
                Reading(key="c-own", text="x^T returned; lambda = 0.0001 as in the experiments", parameters=own),
                Reading(key="c", text="x^T returned; lambda = 6 sigma, T = 400"),
            ),
        ),
        (
            "AM-RATE-RUN-R",
            ("dpverify", "repair of Thm 4.2"),
            (Reading(key="c", text="the average returned; lambda = 6 sigma, T = 400", parameters=average),),
        ),
    )
    for id, (paper, locus), readings in runs:
        registry.add_claim(
            Claim(
                id=id,
                guarantee=Expectation(bound=1.0),
                relation="numbers",
                subject="admm-rate-run",
                source=Source(paper=paper, locus=locus),
                statement="The mean gap of ssADMM where noise is all, over the theorem's bound O(1 / sqrt(T)).",
                readings=readings,
            )
        )
