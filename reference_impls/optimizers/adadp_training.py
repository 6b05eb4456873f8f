"""What ADADP and its continuation by SGD share: batches, noisy sums, what they cost.

ADADP, Algorithm 2, draws each batch with probability q = |B| / N (``sampling="poisson"``); the experiments cut a random
permutation into batches of a fixed size and account for them as if they were such samples (``"shuffled"``). An epoch's
last batch may be smaller; its sum is treated like any other, so its sensitivity is theirs (the authors' code skips it).
The next epoch's first batch follows: where an epoch has an odd number of batches, G_1 and G_2 of one iteration come
from two epochs. A Poisson batch may be empty: G is noise alone.

Flaws: Definition 1 replaces a record, which moves a sum by up to 2 C; the moments accountant of Theorem 2 is for a
record added or removed, C. And q = |B| / N makes the rate of every record, and the number of batches an epoch, follow
how many records there are, which that relation calls secret: what `composition` says is then no bound (sigma = 2,
|B| = 1, 20 records against 21: delta at epsilon = 0 is 0.0167 a batch, and said to be 0.0099). `rate` fixes both;
`sound_composition` needs it.

Not to be confused with the privacy of shuffled batches, which no theorem of the paper covers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from reference_impls.models.model import Model, find_model
from reference_impls.optimizers.adadp_step_rule import StepRule
from reference_impls.training.claim_conditions import need_records
from reference_impls.training.settings import need_clip, need_count, need_non_negative, need_positive, need_share
from reference_impls.training.trainer import Training

Float = NDArray[np.float64]
Integer = NDArray[np.int64]
SAMPLINGS = ("poisson", "shuffled")
TEXTS = ("paper", "code")


@dataclass(frozen=True, slots=True, kw_only=True)
class AdadpTraining(Training):
    """Hyper-parameters and accounting; subclasses have the loop.

    Attributes
    ----------
    model : str
        Text of a model, see :func:`~reference_impls.models.model.find_model`.
    batch_size : int
        |B|; all records where there are fewer.
    sampling : str
        ``poisson`` or ``shuffled``.
    rate : float or None
        q of Poisson sampling, in (0, 1]; None for |B| / N as printed, of which nothing sound is claimed.
    noise_multiplier : float
        sigma: a coordinate's noise has standard deviation sigma C. 0 for none. The paper: 2 to 8.
    clip : float
        C, on the L2 norm of a record's gradient; inf for none (then `noise_multiplier` must be 0). The paper prints no
        value.
    initial_step : float
        eta_0, of steps along sums of gradients.
    tol, alpha_min, alpha_max, error, discard
        As :class:`~reference_impls.optimizers.adadp_step_rule.StepRule` has them. Algorithm 2 does not discard.
    divisor : float
        What noisy sums are divided by; 1 as printed (after (6)).
    text : str
        ``paper``, or ``code`` for what the authors' code does of each iteration (it always discards).
    start_seed : int
        Of the public starting weights; linear models start at zero whatever it is.
    """

    model: str = "logistic"
    batch_size: int = 200
    sampling: str = "poisson"
    rate: float | None = None
    noise_multiplier: float = 2.0
    clip: float = 1.0
    initial_step: float = 0.1
    tol: float = 1.0
    alpha_min: float = 0.9
    alpha_max: float = 1.1
    error: str = "relative"
    discard: bool = False
    divisor: float = 1.0
    text: str = "paper"
    start_seed: int = 0

    relation = "add-remove"  # the accountant's; Definition 1 replaces a record

    def __post_init__(self) -> None:
        find_model(self.model)
        need_count(self, "batch_size")
        need_non_negative(self, "noise_multiplier")
        need_clip(self, "clip")
        need_positive(self, "initial_step", "divisor")
        if self.noise_multiplier:
            need_positive(self, "clip")  # noise needs a finite sensitivity
        for name, known in (("sampling", SAMPLINGS), ("text", TEXTS)):
            if getattr(self, name) not in known:
                raise InputError(f"{name} = {getattr(self, name)!r}", allowed=", ".join(known))
        if self.rate is not None:
            need_share(self, "rate")
            if self.sampling != "poisson":
                raise InputError(f"rate = {self.rate} of shuffled batches", allowed="a rate with Poisson sampling")
        _ = self.rule  # checks its own

    @property
    def rule(self) -> StepRule:
        """How an iteration goes."""
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

    @property
    def noise_scale(self) -> float:
        """Standard deviation of a coordinate's noise."""
        return self.noise_multiplier * self.clip if self.noise_multiplier else 0.0

    def sampling_rate(self, rows: int) -> float:
        """Q for a table of this many rows, in (0, 1]."""
        need_records(self, rows)
        return min(self.batch_size / rows, 1.0) if self.rate is None else self.rate

    def epoch_length(self, rows: int) -> int:
        """Batches an epoch: N / |B|, rounded up; 1 / q, rounded, where q is given."""
        need_records(self, rows)
        return int(-(-rows // self.batch_size)) if self.rate is None else max(1, round(1.0 / self.rate))

    def batches(self, rows: int, tape: Tape) -> Iterator[Integer]:
        """The batches, one after another, endlessly: int64 indices."""
        while True:
            if self.sampling == "poisson":
                yield tape.poisson_subset("batch", rows, self.sampling_rate(rows))
            else:
                order = tape.permutation("batch", rows)
                for start in range(0, rows, self.batch_size):
                    yield order[start : start + self.batch_size]

    def noisy_gradient(self, model: Model, table: Table, tape: Tape) -> Callable[[Float], Float]:
        """G at given weights: each call takes the next batch and its own noise."""
        batches = self.batches(table.rows, tape)

        def gradient(weights: Float) -> Float:
            clean = model.gradient(weights, table, next(batches), clip=self.clip)
            noisy = tape.perturb("gradient", clean, law="gaussian", scale=self.noise_scale, sensitivity=self.clip)
            return np.asarray(noisy / self.divisor)

        return gradient

    @abstractmethod
    def batch_count(self, rows: int) -> int:
        """How many batches a whole run takes."""

    def composition(self, rows: int) -> Composition:
        """What the paper accounts (Theorem 2; step sizes are post-processing): a Poisson-sampled Gaussian a batch,
        under add/remove. Not a bound for shuffled batches, nor without `rate`."""
        step = PoissonGaussianStep(q=self.sampling_rate(rows), sigma=self.noise_multiplier)
        return Composition.repeat(step, self.batch_count(rows))

    def sound_composition(self, rows: int) -> Composition:
        """A bound. Poisson at a fixed `rate`: the same, under add/remove. Shuffled: no amplification; one Gaussian
        (replace: 2 C, N public) an epoch, begun or whole.

        Raises
        ------
        InputError
            For Poisson samples without `rate`, and without noise.
        """
        if self.sampling == "poisson":
            if self.rate is None:
                raise InputError(
                    f"{type(self).__name__}: a bound at the rate |B| / N, which a record more or less moves",
                    allowed="a public `rate`",
                    remedy=f"rate={self.sampling_rate(rows):g}, if {rows} is a number that may be known",
                )
            return self.composition(rows)
        epochs = -(-self.batch_count(rows) // self.epoch_length(rows))
        return Composition.repeat(GaussianStep(sigma=self.noise_multiplier, sensitivity=2.0), epochs)
