"""Gradient descent with step sizes by extrapolation (ADADP, "Motivation", (1) to (3) and Algorithm 1). Not private.

A step of gradient descent is an Euler step for the gradient flow theta' = -grad g(theta). Against the flow it errs by
(eta^2 / 2) J grad g + O(eta^3), and 2 (hat-theta_1 - theta_1) has the same first term, so it estimates the error to
O(eta^3). The error that (3) prints lacks the 2: it is half the local error, and `tol` then stands for twice as much;
``factor=2`` is the estimate itself.

g is the mean loss over all records, plus (l2 / 2) |theta|^2. A step with err > tol is discarded, so the algorithm may
stand still until eta has shrunk (by 0.9 an iteration). It ends at about tol from the optimum, with eta around 2 / L;
without the discard it comes as near, but leaves again and again.

Not to be confused with step sizes that guarantee descent: a small local error does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.models.model import find_model
from reference_impls.optimizers.adadp_step_rule import StepRule
from reference_impls.training.settings import need_count, need_non_negative, need_positive
from reference_impls.training.trainer import Training, table_for

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdadpExtrapolation(Training):
    """Subject ``adadp-extrapolation``. Data set: a table. Result: the last iterate, shape (d,).

    Attributes
    ----------
    model : str
        Text of a model, see :func:`~reference_impls.models.model.find_model`.
    steps : int
        Iterations, of two gradients each.
    initial_step : float
        eta_0.
    l2 : float
        Of the regularisation.
    tol, alpha_min, alpha_max, error, factor, discard
        As :class:`~reference_impls.optimizers.adadp_step_rule.StepRule` has them.
    start_seed : int
        Of the starting weights; linear models start at zero whatever it is.
    """

    model: str = "logistic"
    steps: int = 100
    initial_step: float = 0.1
    l2: float = 0.0
    tol: float = 0.1
    alpha_min: float = 0.9
    alpha_max: float = 1.1
    error: str = "plain"
    factor: float = 1.0
    discard: bool = True
    start_seed: int = 0

    def __post_init__(self) -> None:
        find_model(self.model)
        need_count(self, "steps")
        need_positive(self, "initial_step")
        need_non_negative(self, "l2")
        _ = self.rule  # checks its own

    @property
    def rule(self) -> StepRule:
        """How an iteration goes."""
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
        model = find_model(self.model)
        table, rule = table_for(model, dataset), self.rule

        def gradient(weights: Float) -> Float:
            return np.asarray(model.gradient(weights, table) / table.rows + self.l2 * weights)

        weights, step = model.start(table.columns, rng=stream(self.start_seed, "start")), self.initial_step
        tape.iterate(weights)
        for _ in range(self.steps):
            weights, step = rule.advanced(weights, step, gradient, tape)
            tape.iterate(weights)
        return weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("adadp-extrapolation", AdadpExtrapolation)
