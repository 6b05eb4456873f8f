"""Proximal DP-SGD: DP-SGD on an L1-regularised objective, DISS's baseline in chapter 4, (4.17).

    x^{k+1} = S_{lambda eta^k} [x^k - eta^k g^k],  S the soft threshold

g^k is DP-SGD's noisy mean gradient (Abadi et al. 2016: a Poisson sample, clipped, noise sigma C, divided by the
expected size m); (4.17) prints the mean gradient itself and means the noisy one. Section 4.6.4: m = sqrt(n), rounded
here, and eta^k = eta^0 / h with h the current expected epoch (n / m iterations each), counted from 1. The threshold
needs no record: the privacy is DP-SGD's. Neither C nor sigma is printed.

Not to be confused with the proximal step inside ssADMM, whose gradient step is another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.protocols import Dataset
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.models.model import find_model
from reference_impls.models.regularisation import Penalty
from reference_impls.optimizers.settings import need_clip, need_count, need_non_negative, need_positive
from reference_impls.optimizers.training import Training, table_for

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProximalDpSgd(Training):
    """Subject ``proximal-dp-sgd``. Data set: a table. Result: the last iterate, shape (dimension,).

    Attributes
    ----------
    model, steps, noise_multiplier, clip, start_seed
        As :class:`~reference_impls.optimizers.dp_sgd.DpSgd` has them.
    l1 : float
        lambda; the experiments have 0.0001 and 0.001.
    step_size : float
        eta^0.
    schedule : "epoch" or "constant"
        eta^0 / h, or eta^0 throughout.
    batch_size : int or None
        m, the expected size; None for sqrt(n). At most n.
    """

    model: str = "logistic"
    steps: int = 100
    noise_multiplier: float = 1.0
    clip: float = 1.0
    l1: float = 0.001
    step_size: float = 1.0
    schedule: Literal["epoch", "constant"] = "epoch"
    batch_size: int | None = None
    start_seed: int = 0

    def __post_init__(self) -> None:
        find_model(self.model)
        need_count(self, "steps")
        need_non_negative(self, "noise_multiplier", "l1")
        need_clip(self, "clip")
        need_positive(self, "step_size")
        if self.schedule not in ("epoch", "constant"):
            raise InputError(f"ProximalDpSgd: schedule = {self.schedule!r}", allowed="epoch, constant")
        if self.batch_size is not None:
            need_count(self, "batch_size")
        if self.noise_multiplier:
            need_positive(self, "clip")

    def expected(self, rows: int) -> int:
        """The expected batch size m for n records."""
        size = max(1, round(math.sqrt(rows))) if self.batch_size is None else self.batch_size
        if size > rows:
            raise InputError(f"ProximalDpSgd: batch_size = {size} of {rows} records", allowed=f"1..{rows}")
        return size

    def step(self, iteration: int, rows: int) -> float:
        """eta^k for k = `iteration` from 0, n = `rows`."""
        if self.schedule == "constant":
            return self.step_size
        return self.step_size / (iteration * self.expected(rows) // rows + 1)

    def composition(self, rows: int) -> Composition:
        """T Poisson-sampled Gaussians under add/remove."""
        step = PoissonGaussianStep(q=self.expected(rows) / rows, sigma=self.noise_multiplier)
        return Composition.repeat(step, self.steps)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        size, penalty = self.expected(table.rows), Penalty(l1=self.l1)
        scale = self.noise_multiplier * self.clip if self.noise_multiplier else 0.0
        weights = model.start(table.columns, rng=stream(self.start_seed, "start"))
        tape.iterate(weights)
        for iteration in range(self.steps):
            batch = tape.poisson_subset("batch", table.rows, size / table.rows)
            clean = model.gradient(weights, table, batch, clip=self.clip)
            noisy = tape.perturb("gradient", clean, law="gaussian", scale=scale, sensitivity=self.clip)
            step = self.step(iteration, table.rows)
            weights = penalty.prox(weights - step * noisy / size, step)
            tape.publish("step-size", step)
            tape.iterate(weights)
        return weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("proximal-dp-sgd", ProximalDpSgd)
