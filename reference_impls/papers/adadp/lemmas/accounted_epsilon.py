"""The epsilon that ADADP's experiments print, by their moments accountant: in doubles and as a ball.

"Experiments": epsilon at delta = 1e-5 by the moments accountant of Abadi et al. (2016), whole moments, for Poisson
samples at q = |B| / N and two batches an iteration, N / (2 |B|) iterations an epoch: N / |B| batches in all, which is
the count that the claims here take (an epoch's last batch may be smaller). Each batch costs (1 - q) N(0, sigma^2) +
q N(1, sigma^2) against N(0, sigma^2).

MNIST has N = 60000, |B| = 200, 100 epochs, and sigma = 2, 4, 6, 8; the printed sigma is the multiplier of C.
Not to be confused with the best accounting of the same steps, which gives a smaller epsilon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import flint
import numpy as np

from dpverify.accounting.accountants.moments import LAST, MomentsAccountant
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from reference_impls.papers.enclosures import proved_renyi
from reference_impls.papers.ranges import TINY

RECORDS, BATCH, EPOCHS, DELTA = 60_000, 200, 100, 1e-5
"""N, |B|, epochs and delta of the experiments on MNIST."""

RATE = BATCH / RECORDS

SIGMAS = (2.0, 4.0, 6.0, 8.0)
"""Noise multipliers of the experiments, the least one first."""

_ACCOUNTANT = MomentsAccountant()


@dataclass(frozen=True, kw_only=True)
class Accounted(Checked):
    """One setting of the experiments.

    Attributes
    ----------
    sigma : float
        Noise multiplier, > 0.
    batch_size, records, epochs : float
        |B|, N and the number of epochs, rounded; |B| at most N.
    delta : float
        In (0, 1).
    """

    sigma: Annotated[float, Between(0.05, 1e3)] = SIGMAS[0]
    batch_size: float = BATCH
    records: Annotated[float, Between(2, 1e7)] = RECORDS
    epochs: Annotated[float, Between(1, 1e5)] = EPOCHS
    delta: Annotated[float, Between(TINY, 0.5)] = DELTA

    def validate(self) -> None:
        """A batch is no larger than the data set."""
        Between(1, self.records).checked(f"{self.called()}: batch_size", self.batch_size)

    @property
    def rate(self) -> float:
        """q = |B| / N."""
        return round(self.batch_size) / round(self.records)

    @property
    def batches(self) -> int:
        """Batches of an epoch."""
        return -(-round(self.records) // round(self.batch_size))

    @property
    def steps(self) -> int:
        """Batches of the whole run."""
        return self.batches * round(self.epochs)

    @cached_property
    def step(self) -> PoissonGaussianStep:
        """What a batch is accounted as."""
        return PoissonGaussianStep(q=self.rate, sigma=self.sigma)

    def accounted(self) -> float:
        """The epsilon that the experiments print; inf where no moment gives one."""
        return _ACCOUNTANT.compose(Composition.repeat(self.step, self.steps)).epsilon(self.delta).upper

    def accounted_ball(self) -> flint.arb | None:
        """Never below it but by the rounding of doubles: the same bound at the best moment, in balls."""
        orders = np.arange(2.0, LAST + 2.0)
        with np.errstate(over="ignore"):
            epsilons = self.steps * self.step.renyi(orders) + math.log(1 / self.delta) / (orders - 1)
        order = int(orders[int(np.argmin(epsilons))])
        found = proved_renyi(self.step.laws()[:1], float(order))
        # The mixture from the base law is the larger direction (Mironov, Talwar, Zhang 2019, Theorem 5).
        return None if found is None else self.steps * found - flint.arb(self.delta).log() / (order - 1)

    def printed(self) -> Enclosed:
        """The experiments' epsilon, with what rounding may do to it."""
        found = self.accounted()
        return Enclosed(value=found, error=0.0 if math.isinf(found) else 1e-9 * found)
