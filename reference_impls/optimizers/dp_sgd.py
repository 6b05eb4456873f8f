"""DP-SGD (Abadi et al. 2016, Algorithm 1) with Poisson sampling: the baseline of all five papers.

Each step takes every record with probability q, sums the gradients clipped at C, adds N(0, (sigma C)^2 I), divides by
the *expected* batch size q n, and moves by -eta times that (plus l2 w, which needs no records). Adding or removing a
record moves a step's clean sum by at most C in L2.

What the transcript shows: the iterates, the noisy sums, the step sizes. n is public here (it sets the divisor), as
everywhere in the literature; under add/remove that is itself a choice, and a fixed `divisor` avoids it.

Not to be confused with shuffled batches (:mod:`reference_impls.optimizers.dp_sgd_shuffled`) or batches of a fixed size,
whose accounting is another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.protocols import Dataset
from dpverify.recording.tape import Tape
from dpverify.sampling.poisson_subset import poisson_subset, skip_scale
from dpverify.sampling.streams import state_from
from dpverify.sampling.ziggurat import normal
from reference_impls.models.linear import LinearModel, add_clipped_gradient, row_norms
from reference_impls.models.model import Model, find_model
from reference_impls.optimizers.settings import need_clip, need_count, need_non_negative, need_positive, need_share
from reference_impls.optimizers.training import Training, table_for

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DpSgd(Training):
    """Subject ``dp-sgd``. Data set: a table. Result: the last iterate, shape (d,).

    Attributes
    ----------
    model : str
        Text of a model, see :func:`~reference_impls.models.model.find_model`.
    steps : int
        T.
    rate : float
        q, each record's chance to enter a batch.
    noise_multiplier : float
        sigma: a coordinate's noise has standard deviation sigma times `clip`. 0 for none.
    clip : float
        C, on the L2 norm of a record's gradient; inf for none (then `noise_multiplier` must be 0).
    step_size : float
        eta.
    l2 : float
        Adds l2 w to the mean gradient.
    divisor : float or None
        What the noisy sum is divided by; None for q n.
    """

    model: str = "logistic"
    steps: int = 100
    rate: float = 0.1
    noise_multiplier: float = 1.0
    clip: float = 1.0
    step_size: float = 1.0
    l2: float = 0.0
    divisor: float | None = None

    def __post_init__(self) -> None:
        find_model(self.model)
        need_count(self, "steps")
        need_share(self, "rate")
        need_non_negative(self, "noise_multiplier", "l2")
        need_clip(self, "clip")
        need_positive(self, "step_size")
        if self.divisor is not None:
            need_positive(self, "divisor")
        if self.noise_multiplier:
            need_positive(self, "clip")  # noise needs a finite sensitivity

    @property
    def noise_scale(self) -> float:
        """Standard deviation of a coordinate's noise."""
        return self.noise_multiplier * self.clip if self.noise_multiplier else 0.0

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model."""
        model: Model = find_model(self.model)
        table = table_for(model, dataset)
        divisor = self.rate * table.rows if self.divisor is None else self.divisor
        weights = np.zeros(model.dimension(table.columns))
        tape.iterate(weights)
        for _ in range(self.steps):
            batch = tape.poisson_subset("batch", table.rows, self.rate)
            clean = model.gradient(weights, table, batch, clip=self.clip)
            noisy = tape.perturb("gradient", clean, law="gaussian", scale=self.noise_scale, sensitivity=self.clip)
            weights = weights - self.step_size * (noisy / divisor + self.l2 * weights)
            tape.publish("step-size", self.step_size)
            tape.iterate(weights)
        return weights

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Results of independent runs, float64, shape (size, d): a kernel for linear models, `run` for others."""
        model = find_model(self.model)
        if not isinstance(model, LinearModel):
            return Training.sample(self, dataset, size, rng=rng)
        table = table_for(model, dataset)
        out = np.empty((size, table.columns))
        dp_sgd_many(
            out,
            model.code,
            model.h_bar,
            table.features,
            table.labels,
            row_norms(table),
            (self.steps, skip_scale(self.rate), self.noise_scale, self.clip, self.step_size, self.l2),
            self.rate * table.rows if self.divisor is None else self.divisor,
            *state_from(rng),
        )
        return out


@njit(cache=True, nogil=True)
def dp_sgd_many(
    out: Float,
    code: int,
    h_bar: float,
    features: Float,
    labels: Float,
    norms: Float,
    settings: tuple[int, float, float, float, float, float],
    divisor: float,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """One training a row of `out`, shape (size, d)."""
    steps, scale, noise, clip, step_size, l2 = settings
    batch = np.empty(labels.size, dtype=np.int64)
    total = np.empty(out.shape[1])
    for trial in range(out.shape[0]):
        weights = out[trial]
        weights[:] = 0.0
        for _ in range(steps):
            count, s0, s1, s2, s3 = poisson_subset(batch, scale, s0, s1, s2, s3)
            total[:] = 0.0
            add_clipped_gradient(total, code, h_bar, clip, weights, features, labels, norms, batch[:count])
            for j in range(total.size):
                unit, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
                weights[j] -= step_size * ((total[j] + noise * unit) / divisor + l2 * weights[j])


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("dp-sgd", DpSgd)
