"""DP-SGD (Abadi et al. 2016, Algorithm 1) with Poisson sampling: the baseline of all five papers.

Each step takes every record with probability q; adding or removing one moves its clean sum by at most C in L2. An empty
batch is a step of noise alone.

The transcript shows the iterates, the noisy sums and the step sizes. The divisor is q n, so n is taken as public, as
everywhere in the literature. Under add/remove that is an assumption of its own; a fixed `divisor` avoids it.

Not to be confused with shuffled batches or batches of a fixed size, which are accounted for differently.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.registry import Registry
from dpverify.core.rules import Share
from dpverify.recording.tape import Tape
from dpverify.sampling.poisson_subset import skip_scale
from reference_impls.optimizers.kernel_batches import POISSON
from reference_impls.optimizers.noisy_sgd import NoisySgd
from reference_impls.training.claim_conditions import need_records

Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DpSgd(NoisySgd):
    """Subject ``dp-sgd``. The other attributes: :class:`~reference_impls.optimizers.noisy_sgd.NoisySgd`.

    Attributes
    ----------
    rate : float
        q, each record's chance to enter a batch, in (0, 1].
    """

    rate: Share = 0.1

    relation = "add-remove"

    def batches(self, rows: int, tape: Tape) -> Iterator[Integer]:
        """Independent Poisson samples."""
        while True:
            yield tape.poisson_subset("batch", rows, self.rate)

    def plan(self, rows: int) -> tuple[int, float]:
        """Poisson samples at rate q."""
        return POISSON, skip_scale(self.rate)

    def expected(self, rows: int) -> float:
        """The expected batch size, q n."""
        return self.rate * rows

    def composition(self, rows: int) -> Composition:
        """T Poisson-sampled Gaussians under add/remove; with `divisor` None that takes n as public."""
        need_records(self, rows)
        return Composition.repeat(PoissonGaussianStep(q=self.rate, sigma=self.noise_multiplier), self.steps)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("dp-sgd", DpSgd)
