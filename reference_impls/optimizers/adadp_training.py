"""What ADADP and its continuation by SGD have in common: batches, noisy sums, accounting.

ADADP, Algorithm 2, draws each batch with probability q = |B| / N (``sampling="poisson"``); the experiments cut a random
permutation into batches of a fixed size and account for them as if they were such samples (``"shuffled"``). An epoch's
last batch may be smaller; its sum is treated like any other, so its sensitivity is theirs (the authors' code skips it).
Where an epoch has an odd number of batches, G_1 and G_2 of one iteration come from two epochs. A Poisson batch may be
empty; G is then noise alone.

Flaws. Definition 1 replaces a record, which moves a sum by up to 2 C, but the moments accountant of Theorem 2 is for a
record added or removed, which moves it by C. And with q = |B| / N every record's sampling rate, and the number of
batches an epoch, depend on the number of records, which is secret under that relation, so `composition` is then no
bound (sigma = 2, |B| = 1, 20 records against 21: delta at epsilon = 0 is 0.0167 a batch, and the account says 0.0099).
A public `rate` fixes both; `sound_composition` needs it.

Not to be confused with the privacy of shuffled batches, which no theorem of the paper covers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.rules import Count, NonNegative, OneOf, Positive, Share
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from reference_impls.models.model import Model
from reference_impls.optimizers.adadp_step_rule import ErrorKind, Growth, Shrink, StepRule
from reference_impls.optimizers.noisy_gradient_training import NoisyGradientTraining
from reference_impls.training.claim_conditions import need_records

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdadpTraining(NoisyGradientTraining):
    """Settings and accounting; subclasses have the loop.

    The other attributes: :class:`~reference_impls.optimizers.noisy_gradient_training.NoisyGradientTraining`. The paper
    takes noise multipliers of 2 to 8 and prints no clipping threshold.

    Attributes
    ----------
    batch_size : int
        |B|; all records where there are fewer.
    sampling : str
        ``poisson`` or ``shuffled``.
    rate : float or None
        q of Poisson sampling, in (0, 1]; None for |B| / N as printed, for which no sound claim is made.
    initial_step : float
        eta_0, of steps along sums of gradients.
    tol, alpha_min, alpha_max, error, discard
        As :class:`~reference_impls.optimizers.adadp_step_rule.StepRule` has them. Algorithm 2 does not discard.
    divisor : float
        Divisor of the noisy sums; 1 as printed (after (6)).
    text : str
        ``paper``, or ``code`` for iterations as in the authors' code (which always discards).
    """

    batch_size: Count = 200
    sampling: Annotated[str, OneOf(("poisson", "shuffled"))] = "poisson"
    rate: Share | None = None
    noise_multiplier: NonNegative = 2.0
    initial_step: Positive = 0.1
    tol: Positive = 1.0
    alpha_min: Shrink = 0.9
    alpha_max: Growth = 1.1
    error: ErrorKind = "relative"
    discard: bool = False
    divisor: Positive = 1.0
    text: Annotated[str, OneOf(("paper", "code"))] = "paper"

    relation = "add-remove"  # the accountant's; Definition 1 replaces a record

    def validate(self) -> None:
        """A rate goes with Poisson sampling only."""
        if self.rate is not None and self.sampling != "poisson":
            raise InputError(f"rate = {self.rate} of shuffled batches", allowed="a rate with Poisson sampling")

    @property
    def rule(self) -> StepRule:
        """The step-size rule of each iteration."""
        code = self.text == "code"
        return StepRule(
            tol=self.tol,
            alpha_min=self.alpha_min,
            alpha_max=self.alpha_max,
            error=self.error,
            discard=self.discard or code,
            halves=code,
            root=code,
        )

    def sampling_rate(self, rows: int) -> float:
        """The sampling rate q for a table of this many rows, in (0, 1]."""
        need_records(self, rows)
        return min(self.batch_size / rows, 1.0) if self.rate is None else self.rate

    def epoch_length(self, rows: int) -> int:
        """Number of batches an epoch: N / |B|, rounded up; 1 / q, rounded, where `rate` is given."""
        need_records(self, rows)
        return int(-(-rows // self.batch_size)) if self.rate is None else max(1, round(1.0 / self.rate))

    def batches(self, rows: int, tape: Tape) -> Iterator[Integer]:
        """The batches, one after another without end: int64 indices."""
        while True:
            if self.sampling == "poisson":
                yield tape.poisson_subset("batch", rows, self.sampling_rate(rows))
            else:
                order = tape.permutation("batch", rows)
                for start in range(0, rows, self.batch_size):
                    yield order[start : start + self.batch_size]

    def noisy_gradient(self, model: Model, table: Table, tape: Tape) -> Callable[[Float], Float]:
        """The function that computes G at given weights: each call takes the next batch and fresh noise."""
        batches = self.batches(table.rows, tape)

        def gradient(weights: Float) -> Float:
            return np.asarray(self.noisy_sum(model, table, weights, next(batches), tape) / self.divisor)

        return gradient

    @abstractmethod
    def batch_count(self, rows: int) -> int:
        """How many batches a whole run takes."""

    def composition(self, rows: int) -> Composition:
        """The paper's account (Theorem 2; step sizes are post-processing): one Poisson-sampled Gaussian a batch, under
        add/remove. Not a bound for shuffled batches, nor without `rate`."""
        step = PoissonGaussianStep(q=self.sampling_rate(rows), sigma=self.noise_multiplier)
        return Composition.repeat(step, self.batch_count(rows))

    def sound_composition(self, rows: int) -> Composition:
        """A bound. Poisson at a public `rate`: the paper's account, under add/remove. Shuffled: without amplification,
        one Gaussian of sensitivity 2 C an epoch, complete or not, for one replaced record (N is then public).

        Raises
        ------
        InputError
            For Poisson samples without `rate`, and without noise.
        """
        if self.sampling == "poisson":
            if self.rate is None:
                raise InputError(
                    f"{type(self).__name__}: a bound at the rate |B| / N, which tells the number of records",
                    allowed="a public `rate`",
                    remedy=f"rate={self.sampling_rate(rows):g}, if {rows} is a number that may be known",
                )
            return self.composition(rows)
        epochs = -(-self.batch_count(rows) // self.epoch_length(rows))
        return Composition.repeat(GaussianStep(sigma=self.noise_multiplier, sensitivity=2.0), epochs)
