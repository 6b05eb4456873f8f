"""DP-SGD on batches of a fixed size, drawn afresh each step without replacement (DISS, Lemma 2.3's sampling).

Neighbours differ by one replaced record (both tables need the same size for their samples to be paired): a step's clean
sum moves by at most 2 C. Where b exceeds n, the batch is the whole table and the divisor stays b.

Not to be confused with Poisson sampling, whose sensitivity is C under add/remove, nor with one shuffle an epoch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.printed_samples import WithoutReplacementStep
from dpverify.core.composition import Composition
from dpverify.core.registry import Registry
from dpverify.core.rules import Count
from dpverify.recording.tape import Tape
from reference_impls.optimizers.kernel_batches import FIXED_SIZE
from reference_impls.optimizers.noisy_sgd import NoisySgd
from reference_impls.training.claim_conditions import need_records

Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DpSgdFixedSize(NoisySgd):
    """Subject ``dp-sgd-fixed-size``. The other attributes: :class:`~reference_impls.optimizers.noisy_sgd.NoisySgd`.

    Attributes
    ----------
    batch_size : int
        b, records in a batch.
    """

    batch_size: Count = 10

    relation = "replace"

    def batches(self, rows: int, tape: Tape) -> Iterator[Integer]:
        """Independent uniform samples of b records."""
        while True:
            yield tape.subset("batch", rows, min(self.batch_size, rows))

    def plan(self, rows: int) -> tuple[int, float]:
        """Samples of b records."""
        return FIXED_SIZE, float(self.batch_size)

    def expected(self, rows: int) -> float:
        """The batch size b."""
        return float(self.batch_size)

    def composition(self, rows: int) -> Composition:
        """T Gaussians of sensitivity 2 on samples of b out of n, with the bound that DISS Lemma 2.3 prints."""
        need_records(self, rows)
        step = WithoutReplacementStep(
            q=min(self.batch_size / rows, 1.0), step=GaussianStep(sigma=self.noise_multiplier, sensitivity=2.0)
        )
        return Composition.repeat(step, self.steps)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("dp-sgd-fixed-size", DpSgdFixedSize)
