"""Adaptive federated averaging: clients adapt their step sizes by extrapolation (ADADP, section of that name).

A client's update is ADADP's iteration on sums of its own gradients, without noise and clipping, with (6), tol = 0.1,
and with the condition that err is below tol. The text calls it equivalent to Algorithm 2 at C = inf, C sigma = 0, but
it is not: Algorithm 2 takes every step, the client only those with err <= tol. ``discard=False`` is Algorithm 2.

An iteration takes two batches, so a round has half as many iterations as plain SGD. Where a round has an odd number of
batches, the last G_2 is from the first batch of another random order (this does not occur in the experiments, with
10,000 records in batches of 10).

The text does not say whether a client keeps its step size from round to round. It says that the first steps of a round
should be small, and McMahan et al.'s clients are stateless. So every round starts with eta_0, unless `carry` is set.

Nothing is claimed about privacy. Not to be confused with the server's adaptive optimisers (FedAdam, FedYogi).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.rules import Positive
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from reference_impls.federated.averaging import FederatedAveraging
from reference_impls.models.model import Model
from reference_impls.optimizers.adadp_step_rule import ErrorKind, Growth, Shrink, StepRule

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FederatedAdaptive(FederatedAveraging):
    """Subject ``federated-adaptive``. The other attributes:
    :class:`~reference_impls.federated.averaging.FederatedAveraging`.

    Attributes
    ----------
    step_size : float
        eta_0, of steps along sums of gradients.
    tol, alpha_min, alpha_max, error, discard
        As :class:`~reference_impls.optimizers.adadp_step_rule.StepRule` has them.
    carry : bool
        Whether a client keeps its adapted step size for the next round.
    """

    tol: Positive = 0.1
    alpha_min: Shrink = 0.9
    alpha_max: Growth = 1.1
    error: ErrorKind = "relative"
    discard: bool = True
    carry: bool = False

    @property
    def rule(self) -> StepRule:
        """The step-size rule of each iteration."""
        return StepRule(
            tol=self.tol,
            alpha_min=self.alpha_min,
            alpha_max=self.alpha_max,
            error=self.error,
            discard=self.discard,
        )

    def update(self, model: Model, table: Table, weights: Float, step: float, tape: Tape) -> tuple[Float, float]:
        """The adaptive iterations of a round: the weights that the client sends back, and its next step size."""
        rule, batches = self.rule, self.batches(table.rows, tape)

        def gradient(at: Float) -> Float:
            return model.gradient(at, table, next(batches))

        for _ in range(-(-self.batch_count(table.rows) // 2)):
            weights, step = rule.advanced(weights, step, gradient, tape)
        return weights, step if self.carry else self.step_size


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("federated-adaptive", FederatedAdaptive)
