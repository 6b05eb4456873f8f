"""ADP-SGD whose step sizes depend on the gradients (ADPSGD sections 5.2, 6.2): AdaGrad-norm, as published.

    b_{t+1}^2 = b_t^2 + max(beta_t |grad f(theta_t; x_xi)|^2, nu),  alpha_t = (b_0^2 + t C)^(1/4)
    release (eta / b_{t+1}) (grad f(theta_t; x_xi) + alpha_{t+1} N(0, sigma^2 I))

As published, flaw included: line 4 updates b_{t+1} with the clean gradient of the record that the release should hide,
and line 6 multiplies noise and gradient by eta / b_{t+1}. So the standard deviation of the released vector depends on
the record, equally in every coordinate: its length tells the record's gradient norm, the more precisely the larger d
(AP-ADAGRAD). The sigma of (6) does not account for this; Theorem 4.1 is stated for Algorithm 1 with any phi_1.
Transcripts have the released product with its scale on these data; b_t itself stays hidden. The repaired version,
:mod:`reference_impls.optimizers.ada_grad_repaired`, takes the noisy gradient in line 4.

beta_t = max(beta / ((t mod 195) + 1), 1) is section 6.2's (195 batches of 256 are an epoch of 50000 records), where nu
is 1e-5 and b_0^2 = 20; section 5.2 has beta_t = 1. Printed there: b_t^2 <= b_0^2 + t G; with |grad f| <= G it is
b_0^2 + t G^2, and C in [nu, G^2] two lines on (AP-PROP52). With beta > 1 neither holds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.rules import Between, Positive
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.optimizers.adp_sgd_kernel import RAW
from reference_impls.optimizers.adp_sgd_schedules import boosts, polynomial
from reference_impls.optimizers.adp_sgd_training import AdpSgdTraining

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaGrad(AdpSgdTraining):
    """Subject ``adp-sgd-ada-grad``. Other attributes:
    :class:`~reference_impls.optimizers.adp_sgd_training.AdpSgdTraining`.

    Attributes
    ----------
    b0_squared : float
        b_0^2 > 0.
    nu : float
        The least growth of b^2 a step, > 0.
    beta : float
        >= 1; 1 for section 5.2.
    growth : float
        C > 0, in the public alpha_t^2 = sqrt(b_0^2 + t C).
    """

    b0_squared: Positive = 20.0
    nu: Positive = 1e-5
    beta: Annotated[float, Between(1, math.inf, open="high")] = 1.0
    growth: Positive = 1.0

    follows = RAW

    @property
    def planned(self) -> Float:
        """sqrt(b_0^2 + t C), t = 1 .. T, shape (T,)."""
        return polynomial(self.b0_squared, self.growth, self.steps)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model; comments are lines of Algorithm 1."""
        model, table, weights, scales = self.begin_noisy(dataset)
        square = self.b0_squared  # 1
        tape.iterate(weights)
        for beta, scale in zip(boosts(self.beta, self.steps).tolist(), scales.tolist(), strict=True):  # 2, 5
            clean = self.mean_gradient(tape, model, table, weights)  # 3
            square += max(beta * float(np.square(clean).sum()), self.nu)  # 4
            step = self.eta / math.sqrt(square)
            released = tape.perturb(
                "update", step * clean, law="gaussian", scale=step * scale, sensitivity=step * self.sensitivity()
            )  # 6
            weights = weights - released  # 7
            if tape.keep:
                tape.perturb("squared-b", square, law="none", scale=0.0, released=False)
            tape.iterate(weights)
        return weights

    @property
    def growth_of_square(self) -> tuple[float, Float]:
        """b_0^2, and beta_t and nu of every step, shape (2, T)."""
        return self.b0_squared, np.stack([boosts(self.beta, self.steps), np.full(self.steps, self.nu)])


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("adp-sgd-ada-grad", AdaGrad)
