"""DP-SGD on shuffled batches: a fresh random order each epoch, cut into batches of b: what most code does.

Its papers and libraries account for it as if it were Poisson sampling (ADADP, Experiments). That is a claim of another
algorithm: here every record enters exactly one batch an epoch, and an observer of all iterates can add the epoch up.

Where b does not divide n, the last batch of an epoch is the smaller rest; the divisor stays b, so that no step's
sensitivity grows (dividing by the rest's own size would let one record move the step by more). Steps are counted in
batches and may end within an epoch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.recording.tape import Tape
from reference_impls.optimizers.noisy_sgd import SHUFFLED, NoisySgd
from reference_impls.training.claim_conditions import need_records
from reference_impls.training.settings import need_count

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DpSgdShuffled(NoisySgd):
    """Subject ``dp-sgd-shuffled``. The other attributes: :class:`~reference_impls.optimizers.noisy_sgd.NoisySgd`.

    Attributes
    ----------
    batch_size : int
        b.
    """

    batch_size: int = 10

    relation = "add-remove"  # as its papers account; `sound_composition` holds for replaced records

    def __post_init__(self) -> None:
        NoisySgd.__post_init__(self)
        need_count(self, "batch_size")

    def batches(self, rows: int, tape: Tape) -> Iterator[Integer]:
        """The batches of one random order after another."""
        while True:
            order = tape.permutation("batch", rows)
            for start in range(0, rows, self.batch_size):
                yield order[start : start + self.batch_size]

    def plan(self, rows: int) -> tuple[int, float]:
        """SHUFFLED."""
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
        """No amplification: a record is in one batch an epoch, whichever; one Gaussian (replace: 2 C) an epoch."""
        need_records(self, rows)
        epochs = -(-self.steps // -(-int(rows) // self.batch_size))
        return Composition.repeat(GaussianStep(sigma=self.noise_multiplier, sensitivity=2.0), epochs)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("dp-sgd-shuffled", DpSgdShuffled)
