"""DP-Adam: Adam (Kingma & Ba 2014, Algorithm 1) on the noisy gradients of DP-SGD: a baseline of three of the papers.

The noisy mean gradient g (Poisson sample, clipped at C, noise sigma C, divided by q n) goes into the two moving
averages; everything after it is post-processing, so the privacy is DP-SGD's. :mod:`reference_impls.optimizers.adam` is
the same without noise and clipping.

Not to be confused with versions that subtract the noise's variance from the second moment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.registry import Registry
from dpverify.core.rules import Count, NonNegative, Positive, Share
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.optimizers.adam_update import DecayRate, adam_update
from reference_impls.optimizers.noisy_gradient_training import NoisyGradientTraining
from reference_impls.training.claim_conditions import need_records

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DpAdam(NoisyGradientTraining):
    """Subject ``dp-adam``. Data set: a table. Result: the last iterate, shape (d,).

    The other attributes: :class:`~reference_impls.optimizers.noisy_gradient_training.NoisyGradientTraining`.

    Attributes
    ----------
    steps, rate, l2
        As :class:`~reference_impls.optimizers.dp_sgd.DpSgd` has them.
    step_size, beta1, beta2, stabiliser : float
        Adam's alpha, its two decay rates in [0, 1), its epsilon.
    divisor : float or None
        What noisy sums are divided by; None for q n with the table's own n, which then has to be public.
    """

    steps: Count = 100
    rate: Share = 0.1
    step_size: Positive = 0.001
    beta1: DecayRate = 0.9
    beta2: DecayRate = 0.999
    stabiliser: Positive = 1e-8
    l2: NonNegative = 0.0
    divisor: Positive | None = None

    relation = "add-remove"

    def composition(self, rows: int) -> Composition:
        """As DP-SGD's: T Poisson-sampled Gaussians under add/remove, with n (in the divisor) taken as public."""
        need_records(self, rows)
        return Composition.repeat(PoissonGaussianStep(q=self.rate, sigma=self.noise_multiplier), self.steps)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model."""
        model, table, weights = self.begin(dataset)
        moments = np.zeros_like(weights), np.zeros_like(weights)
        divisor = self.rate * table.rows if self.divisor is None else self.divisor
        tape.iterate(weights)
        for step in range(1, self.steps + 1):
            batch = tape.poisson_subset("batch", table.rows, self.rate)
            gradient = self.noisy_sum(model, table, weights, batch, tape) / divisor
            if self.l2:
                gradient += self.l2 * weights
            weights = adam_update(
                weights,
                gradient,
                moments,
                step,
                step_size=self.step_size,
                beta1=self.beta1,
                beta2=self.beta2,
                stabiliser=self.stabiliser,
            )
            tape.publish("step-size", self.step_size)
            tape.iterate(weights)
        return weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("dp-adam", DpAdam)
