"""DP-Adam: Adam (Kingma & Ba 2014, Algorithm 1) on the noisy gradients of DP-SGD: a baseline of three of the papers.

The noisy mean gradient g (Poisson sample, clipped at C, noise sigma C, divided by q n) goes into the two moving
averages; everything after it is post-processing, so the privacy is DP-SGD's. :mod:`reference_impls.optimizers.adam` is
it without noise and clipping.

Not to be confused with versions that take the noise's variance out of the second moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.models.model import find_model
from reference_impls.training.claim_conditions import need_records
from reference_impls.training.settings import need_clip, need_count, need_non_negative, need_positive, need_share
from reference_impls.training.trainer import Training, table_for

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DpAdam(Training):
    """Subject ``dp-adam``. Data set: a table. Result: the last iterate, shape (d,).

    Attributes
    ----------
    model, steps, rate, noise_multiplier, clip, l2, start_seed
        As :class:`~reference_impls.optimizers.dp_sgd.DpSgd` has them.
    step_size, beta1, beta2, stabiliser : float
        Adam's alpha, its two decay rates in [0, 1), its epsilon.
    """

    model: str = "logistic"
    steps: int = 100
    rate: float = 0.1
    noise_multiplier: float = 1.0
    clip: float = 1.0
    step_size: float = 0.001
    beta1: float = 0.9
    beta2: float = 0.999
    stabiliser: float = 1e-8
    l2: float = 0.0
    start_seed: int = 0

    relation = "add-remove"

    def __post_init__(self) -> None:
        find_model(self.model)
        need_count(self, "steps")
        need_share(self, "rate")
        need_non_negative(self, "noise_multiplier", "l2")
        need_clip(self, "clip")
        need_positive(self, "step_size", "stabiliser")
        for name in ("beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(f"DpAdam: {name} = {getattr(self, name)}", allowed="a number in [0, 1)")
        if self.noise_multiplier:
            need_positive(self, "clip")

    def composition(self, rows: int) -> Composition:
        """As DP-SGD's: T Poisson-sampled Gaussians under add/remove, with n (in the divisor) taken as public."""
        need_records(self, rows)
        return Composition.repeat(PoissonGaussianStep(q=self.rate, sigma=self.noise_multiplier), self.steps)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        scale = self.noise_multiplier * self.clip if self.noise_multiplier else 0.0
        weights = model.start(table.columns, rng=stream(self.start_seed, "start"))
        first, second = np.zeros_like(weights), np.zeros_like(weights)
        tape.iterate(weights)
        for step in range(1, self.steps + 1):
            batch = tape.poisson_subset("batch", table.rows, self.rate)
            clean = model.gradient(weights, table, batch, clip=self.clip)
            noisy = tape.perturb("gradient", clean, law="gaussian", scale=scale, sensitivity=self.clip)
            gradient = noisy / (self.rate * table.rows) + self.l2 * weights
            first = self.beta1 * first + (1.0 - self.beta1) * gradient
            second = self.beta2 * second + (1.0 - self.beta2) * gradient**2
            mean, square = first / (1.0 - self.beta1**step), second / (1.0 - self.beta2**step)
            weights = weights - self.step_size * mean / (np.sqrt(square) + self.stabiliser)
            tape.publish("step-size", self.step_size)
            tape.iterate(weights)
        return weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("dp-adam", DpAdam)
