"""AD-HALF (after Theorem 2): an iteration of ADADP costs what two steps of DP-SGD cost.

T iterations are accounted as 2 T steps of DP-SGD, and where 2 |B| divides N an epoch
has N / (2 |B|) iterations, with as many noisy sums of as many records as DP-SGD.

Not to be confused with what the rate |B| / N shows of N, nor with the sampling:
:mod:`reference_impls.papers.adadp.lemmas.shuffled_batches`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from dpverify.accounting.accountants.moments import MomentsAccountant
from dpverify.core.rules import Between
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.optimizers.adadp import Adadp
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.optimizers.dp_sgd_shuffled import DpSgdShuffled
from reference_impls.papers.adadp.lemmas.accounted_epsilon import BATCH, DELTA, EPOCHS, RATE, RECORDS, SIGMAS
from reference_impls.papers.exactly_equal import ExactlyEqual


@dataclass(frozen=True, kw_only=True)
class HalfAsMany(ExactlyEqual):
    """T iterations of ADADP against 2 T steps of DP-SGD: what the accountant says of either.

    Attributes
    ----------
    steps : float
        T, rounded.
    q, sigma, delta : float
        Of both.
    """

    steps: Annotated[float, Between(1, 1e7)] = EPOCHS * RECORDS / BATCH / 2
    q: Annotated[float, Between(1e-9, 1)] = RATE
    sigma: Annotated[float, Between(0.3, 1e3)] = SIGMAS[0]
    delta: Annotated[float, Between(1e-300, 0.5)] = DELTA

    @property
    def difference(self) -> float:
        """Of the two epsilons."""
        steps, rows = round(self.steps), max(2, round(1 / self.q))
        ours = Adadp(steps=steps, rate=self.q, noise_multiplier=self.sigma).composition(rows)
        theirs = DpSgd(steps=2 * steps, rate=self.q, noise_multiplier=self.sigma).composition(rows)
        found = [MomentsAccountant().compose(each).epsilon(self.delta).upper for each in (ours, theirs)]
        return 0.0 if found[0] == found[1] else abs(found[0] - found[1])


@dataclass(frozen=True, kw_only=True)
class EqualCost(ExactlyEqual):
    """An epoch of ADADP against one of DP-SGD, both run on shuffled batches, and what they released counted.

    Attributes
    ----------
    seed, half, batch_size : float
        Rounded; N = 2 `half` |B| records, so `half` iterations an epoch.
    """

    seed: Annotated[float, Between(0, 1e9)] = 0.0
    half: Annotated[float, Between(1, 1e4)] = 5.0
    batch_size: Annotated[float, Between(1, 1e4)] = 4.0

    @property
    def difference(self) -> float:
        """Of the noisy sums, and of the orders drawn (each is read to its end, so the records are as many)."""
        half, size = round(self.half), round(self.batch_size)
        rng = stream(round(self.seed), "adadp-half")
        table = Table(features=rng.normal(size=(2 * half * size, 2)), labels=np.ones(2 * half * size), name="epoch")
        runs = (
            Adadp(steps=half, batch_size=size, sampling="shuffled").transcript(table, rng=rng),
            DpSgdShuffled(steps=2 * half, batch_size=size).transcript(table, rng=rng),
        )
        sums = [len(run.released("gradient")) for run in runs]
        orders = [sum(draw.kind == "permutation" for draw in run.draws) for run in runs]
        return float(abs(sums[0] - sums[1]) + abs(orders[0] - orders[1]) + abs(sums[0] - 2 * half))
