"""ADP-SGD with polynomially decaying steps (ADPSGD Algorithm 1 with b_t = sqrt(a + c t), section 5.1).

    g_t = grad f(theta_t; x_xi) + alpha_{t+1} N(0, sigma^2 I),  theta_{t+1} = theta_t - (eta / b_{t+1}) g_t

b and alpha are public sequences, so it is the same whether g_t is released, as transcripts do, or (eta / b_{t+1}) g_t,
as line 6 prints. Special cases (section 3; AP-REDUCE): ``alpha="one"`` is DP-SGD with decaying steps, and with ``c=0``
DP-SGD with the constant step eta / sqrt(a); ``alpha="zero"`` is SGD.

Theorem 4.1 claims (epsilon, delta)-DP with sigma of (6) for any epsilon. At the experiments' own numbers (epsilon = 16
epsilon_bar, n = 50000, T = 11700, delta = 1e-5) one step alone contradicts it: the record is drawn with probability
1 / n = 2 delta, and sigma is so small against 2 G that the noise does not hide it (AP-THM41;
:mod:`reference_impls.papers.adpsgd.lemmas.first_step`).

Not to be confused with the version whose b_t depends on the gradients, :mod:`reference_impls.optimizers.ada_grad`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.rules import NonNegative, Positive
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.optimizers.adp_sgd_schedules import polynomial
from reference_impls.optimizers.adp_sgd_training import AdpSgdTraining

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdpSgd(AdpSgdTraining):
    """Subject ``adp-sgd``. The other attributes: :class:`~reference_impls.optimizers.adp_sgd_training.AdpSgdTraining`.

    Attributes
    ----------
    a, c : float
        b_t = sqrt(a + c t); a > 0, c >= 0. Section 6.1 has 20 and 1.
    """

    a: Positive = 20.0
    c: NonNegative = 1.0

    @property
    def planned(self) -> Float:
        """b_1 .. b_T, which are public, shape (T,)."""
        return polynomial(self.a, self.c, self.steps)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model; comments are lines of Algorithm 1."""
        model, table, weights, scales = self.begin_noisy(dataset)
        tape.iterate(weights)
        for b, scale in zip(self.planned.tolist(), scales.tolist(), strict=True):  # 2, 4, 5
            clean = self.mean_gradient(tape, model, table, weights)  # 3
            noisy = tape.perturb("gradient", clean, law="gaussian", scale=scale, sensitivity=self.sensitivity())  # 6
            weights = weights - self.eta / b * noisy  # 7
            tape.publish("step-size", self.eta / b)
            tape.iterate(weights)
        return weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("adp-sgd", AdpSgd)
