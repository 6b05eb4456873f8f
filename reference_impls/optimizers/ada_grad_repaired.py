"""ADP-SGD whose step sizes depend on the *noisy* gradients: :mod:`reference_impls.optimizers.ada_grad` repaired.

It differs from ADPSGD Algorithm 1 in line 4, for the sake of privacy:

    g_t = grad f(theta_t; x_xi) + alpha_{t+1} N(0, sigma^2 I)
    b_{t+1}^2 = b_t^2 + max(beta_t |g_t|^2, nu)

Then b_{t+1}, the step and theta_{t+1} are post-processing of g_t, whose noise scale is public. So the privacy is that
of ADP-SGD with a public b_t (with all that is wrong with sigma of (6), Theorem 4.1). b grows faster: the noise adds d
(alpha_t sigma)^2 to |g_t|^2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.optimizers.ada_grad import AdaGrad
from reference_impls.optimizers.adp_sgd_kernel import NOISY
from reference_impls.optimizers.adp_sgd_schedules import boosts

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaGradRepaired(AdaGrad):
    """Subject ``adp-sgd-ada-grad-repaired``. Attributes: :class:`~reference_impls.optimizers.ada_grad.AdaGrad`."""

    follows = NOISY

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The repaired loop, for any model; comments are lines of Algorithm 1."""
        model, table, weights, scales = self.begin_noisy(dataset)
        square = self.b0_squared  # 1
        tape.iterate(weights)
        for beta, scale in zip(boosts(self.beta, self.steps).tolist(), scales.tolist(), strict=True):  # 2, 5
            clean = self.mean_gradient(tape, model, table, weights)  # 3
            noisy = tape.perturb("gradient", clean, law="gaussian", scale=scale, sensitivity=self.sensitivity())
            square += max(beta * float(np.square(noisy).sum()), self.nu)  # 4, repaired
            step = self.eta / math.sqrt(square)
            weights = weights - step * noisy  # 6, 7
            tape.publish("step-size", step)
            tape.iterate(weights)
        return weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("adp-sgd-ada-grad-repaired", AdaGradRepaired)
