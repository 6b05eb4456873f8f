"""Gradient descent with step sizes by extrapolation (ADADP, "Motivation", (1) to (3) and Algorithm 1). Not private.

A step of gradient descent is an Euler step for the gradient flow theta' = -grad g(theta). Against the flow it errs by
(eta^2 / 2) J grad g + O(eta^3), and 2 (hat-theta_1 - theta_1) has the same first term, so it estimates the error to
O(eta^3). The error that (3) prints lacks the factor 2: it is half the local error, so `tol` allows a local error twice
as large; ``factor=2`` is the estimate itself.

g is the mean loss over all records, plus (l2 / 2) |theta|^2. A step with err > tol is discarded, so the iterate may
stay where it is until eta has shrunk (by 0.9 an iteration). The iterates end at a distance of about tol from the
optimum, with eta around 2 / L; without the discard they come as near, but do not stay.

Not to be confused with step sizes that guarantee descent: a small local error does not guarantee it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.rules import Count, NonNegative, Positive
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.optimizers.adadp_step_rule import ErrorKind, Growth, Shrink, StepRule
from reference_impls.training.model_training import ModelTraining

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdadpExtrapolation(ModelTraining):
    """Subject ``adadp-extrapolation``. Data set: a table. Result: the last iterate, shape (d,).

    The other attributes: :class:`~reference_impls.training.model_training.ModelTraining`.

    Attributes
    ----------
    steps : int
        Iterations, of two gradients each.
    initial_step : float
        eta_0.
    l2 : float
        Coefficient of the regularisation.
    tol, alpha_min, alpha_max, error, factor, discard
        As :class:`~reference_impls.optimizers.adadp_step_rule.StepRule` has them.
    """

    steps: Count = 100
    initial_step: Positive = 0.1
    l2: NonNegative = 0.0
    tol: Positive = 0.1
    alpha_min: Shrink = 0.9
    alpha_max: Growth = 1.1
    error: ErrorKind = "plain"
    factor: Positive = 1.0
    discard: bool = True

    @property
    def rule(self) -> StepRule:
        """The step-size rule of each iteration."""
        return StepRule(
            tol=self.tol,
            alpha_min=self.alpha_min,
            alpha_max=self.alpha_max,
            error=self.error,
            factor=self.factor,
            discard=self.discard,
        )

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model; draws nothing."""
        model, table, start = self.begin(dataset)
        rule = self.rule

        def gradient(weights: Float) -> Float:
            return np.asarray(model.gradient(weights, table) / table.rows + self.l2 * weights)

        weights, step = start, self.initial_step
        tape.iterate(weights)
        for _ in range(self.steps):
            weights, step = rule.advanced(weights, step, gradient, tape)
            tape.iterate(weights)
        return weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("adadp-extrapolation", AdadpExtrapolation)
