"""OutPert-GD: full gradient descent with a fixed step, Gaussian noise at the end (Zhang, Zheng, Mou, Wang 2017).

"Efficient Private ERM for Smooth Objectives", IJCAI 2017, arXiv 1703.09947, the output perturbation that RSGD, BLSGD
and DISS compare with. T steps ``w <- w - eta grad F(w)`` from zeros, then noise of standard deviation

    sigma = Delta sqrt(2 ln(2 / delta)) / epsilon

for (epsilon, delta)-DP, one record replaced. Delta is 5 R (L + mu) / (n mu L) for a strongly convex F at
eta = 1 / (L + mu), as RSGD quotes it (after Proposition 2), or 3 R T eta / n for a convex one, as published code of
RSGD's authors computes it. Both are above what Lemma 2 of RSGD gives for eta <= 2 / (L + mu): 2 R / (n mu), and
2 R T eta / n.

The paper was not at hand; the constants are those that RSGD prints and the public code uses. R is that of the loss
without its regulariser (see :mod:`reference_impls.optimizers.rsgd_sensitivity`).

Limits: this sigma is enough only where epsilon is not large (up to 9 for delta <= 1e-5); a larger epsilon is accepted.

Not to be confused with DP-GD, which adds noise to every gradient.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import POSITIVE, Count, NonNegative, OpenUnit, Positive
from dpverify.core.subjects import Dataset
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.recording.tape import Tape
from reference_impls.models.loss_constants import Constants, bounded_constants
from reference_impls.models.model import ModelText, find_model
from reference_impls.optimizers.output_perturbation import DeterministicTraining, record_hidden
from reference_impls.training.claim_conditions import need_records, need_whole_noise
from reference_impls.training.trainer import table_for

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutPertGd(DeterministicTraining):
    """Subject ``out-pert-gd``. Data set: a table, rows of norm at most `norm`. Result: the noisy weights, shape (d,).

    Attributes
    ----------
    model : str
        A linear or softmax model, smooth with bounded gradients.
    steps : int
        T.
    step_size : float or None
        eta, at most 2 / (L + mu); None for 1 / (L + mu).
    l2 : float
        lambda in ``f + (lambda / 2) |w|^2``, which is mu; > 0 for the strongly convex bound.
    norm : float
        Bound on the rows' L2 norms, > 0; longer rows are refused.
    epsilon, delta : float
        The claim, for replaced records.
    bound : "strongly-convex" or "convex"
        The Delta that the noise is scaled to.
    noise_multiplier : float
        On sigma; 0 for no noise. Nothing is claimed below 1.
    """

    model: ModelText = "logistic"
    steps: Count = 50
    step_size: Positive | None = None
    l2: NonNegative = 0.001
    norm: Positive = 1.0
    epsilon: Positive = 1.0
    delta: OpenUnit = 1e-8
    bound: Literal["strongly-convex", "convex"] = "strongly-convex"
    noise_multiplier: NonNegative = 1.0

    relation = "replace"

    def validate(self) -> None:
        """The bounds assume a smooth loss, a step of at most 2 / (L + mu), and l2 > 0 where it is the convexity."""
        if self.bound == "strongly-convex":
            POSITIVE.checked("OutPertGd: l2", self.l2)
        most = 2.0 / (self.conditions.smoothness + self.l2)
        if self.step_size is not None and self.step_size > most:
            raise InputError(
                f"step_size = {self.step_size}", allowed=f"at most 2 / (L + mu) = {most:.6g}, as the bounds assume"
            )

    @property
    def conditions(self) -> Constants:
        """R of the loss alone; L and mu with the regulariser."""
        own = bounded_constants(find_model(self.model), norm=self.norm)
        return Constants(smoothness=own.smoothness + self.l2, strong_convexity=self.l2, lipschitz=own.lipschitz)

    @property
    def step(self) -> float:
        """eta, the step size."""
        found = self.conditions
        return 1.0 / (found.smoothness + found.strong_convexity) if self.step_size is None else self.step_size

    def sensitivity(self, rows: int) -> float:
        """Delta for n records, in L2, as published."""
        need_records(self, rows)
        smoothness, mu, lipschitz = (
            self.conditions.smoothness,
            self.conditions.strong_convexity,
            self.conditions.lipschitz,
        )
        if self.bound == "convex":
            return 3.0 * lipschitz * self.steps * self.step / rows
        return 5.0 * lipschitz * (smoothness + mu) / (rows * mu * smoothness)

    def noise_scale(self, rows: int) -> float:
        """sigma for n records."""
        share = math.sqrt(2.0 * math.log(2.0 / self.delta)) / self.epsilon
        return self.noise_multiplier * share * self.sensitivity(rows)

    def guarantee(self) -> ApproxDP:
        """What is claimed, one record replaced; InputError with less than the published noise."""
        need_whole_noise(self)
        return ApproxDP(epsilon=self.epsilon, delta=self.delta)

    def composition(self, rows: int) -> Composition:
        """The noise for accountants, which say what it costs."""
        return Composition.of(GaussianStep(sigma=self.noise_scale(rows), sensitivity=self.sensitivity(rows)))

    def trained(self, dataset: Dataset, tape: Tape) -> Float:
        """T steps of gradient descent from zeros, shape (d,)."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        table.need_norm(self.norm)
        weights = np.zeros(model.dimension(table.columns))
        tape.iterate(weights)
        for _ in range(self.steps):
            tape.publish("step-size", self.step)
            weights = weights - self.step * (model.gradient(weights, table) / table.rows + self.l2 * weights)
            record_hidden(weights, tape)
        return weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("out-pert-gd", OutPertGd)
