"""DP-SGD on shuffled batches: a fresh random order each epoch, cut into batches of b, which is what most code does.

Papers and libraries account for it as if it were Poisson sampling (ADADP, Experiments). But that bound holds for
another algorithm: here every record enters exactly one batch an epoch, and an observer of all iterates can add up the
sums of an epoch.

Where b does not divide n, the last batch of an epoch is smaller; the divisor stays b, so that no step's sensitivity
grows (dividing by the smaller size would let one record move the step by more). Steps are counted in batches and may
end within an epoch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.registry import Registry
from dpverify.core.rules import Count
from dpverify.recording.tape import Tape
from reference_impls.optimizers.kernel_batches import SHUFFLED
from reference_impls.optimizers.noisy_sgd import NoisySgd
from reference_impls.training.claim_conditions import need_records

Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DpSgdShuffled(NoisySgd):
    """Subject ``dp-sgd-shuffled``. The other attributes: :class:`~reference_impls.optimizers.noisy_sgd.NoisySgd`.

    Attributes
    ----------
    batch_size : int
        b, records in a batch.
    """

    batch_size: Count = 10

    relation = "add-remove"  # the relation that papers account for; `sound_composition` holds for replaced records

    def batches(self, rows: int, tape: Tape) -> Iterator[Integer]:
        """The batches of one random order after another."""
        while True:
            order = tape.permutation("batch", rows)
            for start in range(0, rows, self.batch_size):
                yield order[start : start + self.batch_size]

    def plan(self, rows: int) -> tuple[int, float]:
        """A shuffled order, cut into batches of b."""
        return SHUFFLED, float(self.batch_size)

    def expected(self, rows: int) -> float:
        """The batch size b."""
        return float(self.batch_size)

    def composition(self, rows: int) -> Composition:
        """What the papers account: T Poisson-sampled Gaussians at q = b / n. Not a bound for this algorithm."""
        need_records(self, rows)
        q = min(self.batch_size / rows, 1.0)
        return Composition.repeat(PoissonGaussianStep(q=q, sigma=self.noise_multiplier), self.steps)

    def sound_composition(self, rows: int) -> Composition:
        """A bound for one replaced record, without amplification: it is in one batch an epoch, so one Gaussian of
        sensitivity 2 C an epoch."""
        need_records(self, rows)
        epochs = -(-self.steps // -(-int(rows) // self.batch_size))
        return Composition.repeat(GaussianStep(sigma=self.noise_multiplier, sensitivity=2.0), epochs)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("dp-sgd-shuffled", DpSgdShuffled)
