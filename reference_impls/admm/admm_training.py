"""What the ADMM algorithms of DISS, chapter 4, have in common: an L1-regularised mean loss, split as x = z.

    min over x of (1/n) sum_i f(x; d_i) + l1 |x|_1                                (4.2), (4.16)

They start from x^0 = z^0 = the model's start (zeros for linear models) and y^0 = 0: the text initialises without saying
with what, and Theorem 4.2 needs y^0 = 0. The text assumes a differentiable convex f with gradients of norm <= C, either
because rows lie in a ball or because gradients are clipped. Here gradients are always clipped at C, which changes
nothing for the chapter's losses on rows in the unit ball. Any model is taken, but the theorems are for convex ones.
Neighbours: one record replaced, so n is public.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.core.rules import NonNegative, OneOf, Positive
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.admm.schedules import SCHEDULES
from reference_impls.models.model import Model, ModelText, find_model
from reference_impls.training.clipping import Clip
from reference_impls.training.trainer import Training, table_for

Float = NDArray[np.float64]
ORDERS = (2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0)
"""The Renyi orders of the claims: whole numbers, as Lemma 2.3 needs them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmmTraining(Training):
    """The settings; subclasses have the loop.

    Attributes
    ----------
    model : str
        Text of a model, see :func:`~reference_impls.models.model.find_model`.
    l1 : float
        lambda, >= 0: 0.0001 or 0.001 in section 4.6.4.
    rho : float
        Penalty, > 0.
    initial_step : float
        eta_0 > 0. The chapter prints no value.
    schedule : str
        See :mod:`reference_impls.admm.schedules`.
    clip : float
        C, on the L2 norm of a record's gradient; inf for none (then without noise).
    """

    model: ModelText = "logistic"
    l1: NonNegative = 0.0001
    rho: Positive = 0.25
    initial_step: Positive = 1.0
    schedule: Annotated[str, OneOf(SCHEDULES)] = "constant"
    clip: Clip = 1.0

    def prepared(self, dataset: Dataset) -> tuple[Model, Table, Float]:
        """Model, table and x^0."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        return model, table, model.start(table.columns, rng=stream(0, "start", model.name))
