"""NonPrivate: the minimiser of the regularised mean loss by L-BFGS, the baseline without privacy of all five papers.

BLSGD, section V-C; RSGD, section 5 (DISS, section 3.6.3). Makes no privacy claim.

It starts from zeros (a network: from its public start) and ends where the gradient's largest entry is below
`tolerance`, or where the line search finds no lower value. Limit: the hinge loss has kinks, at which L-BFGS may stop
short of the minimum; the papers take the Huberised loss where smoothness matters.

Not to be confused with NSGD, which is noisy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.rules import Count, NonNegative, Positive
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.models.loss_sums import summed_loss
from reference_impls.models.model import ModelText, find_model
from reference_impls.models.regularisation import Penalty
from reference_impls.training.lbfgs import minimise
from reference_impls.training.trainer import Training, table_for

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class NonPrivate(Training):
    """Subject ``non-private``. Data set: a table. Result: the weights, shape (d,).

    Attributes
    ----------
    model : str
        Text of a model, see :func:`~reference_impls.models.model.find_model`.
    l2 : float
        Adds (l2 / 2) |w|^2 to the mean loss.
    tolerance : float
        On the largest entry of the gradient, > 0.
    iterations : int
        The most iterations.
    """

    model: ModelText = "logistic"
    l2: NonNegative = 0.001
    tolerance: Positive = 1e-9
    iterations: Count = 1000

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """SciPy's L-BFGS-B without bounds; draws nothing."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        penalty = Penalty(l2=self.l2)

        def objective(weights: Float) -> tuple[float, Float]:
            value = summed_loss(model, weights, table) / table.rows + penalty.value(weights)
            return value, model.gradient(weights, table) / table.rows + penalty.gradient(weights)

        start = model.start(table.columns, rng=stream(0, "start", model.name))
        tape.iterate(start)
        weights = minimise(objective, start, tolerance=self.tolerance, iterations=self.iterations)
        tape.iterate(weights)
        return weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("non-private", NonPrivate)
