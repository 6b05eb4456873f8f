"""What the ADMM algorithms of DISS, chapter 4, share: an L1-regularised mean loss, split as x = z.

    min over x of (1/n) sum_i f(x; d_i) + l1 |x|_1                                (4.2), (4.16)

x^0 = z^0 = the model's start (zeros for linear ones), y^0 = 0: the text initialises and does not say with what, and
Theorem 4.2 needs y^0 = 0. The text assumes a differentiable convex f with gradients of norm <= C, by rows in a ball or
by clipping; here records are clipped at C always, which does nothing to the chapter's losses on rows in the unit ball.
Any model is taken, but the theorems are for convex ones. Neighbours: one record replaced, so n is public.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.admm.schedules import step_sizes
from reference_impls.models.model import Model, find_model
from reference_impls.training.settings import need_clip, need_non_negative, need_positive
from reference_impls.training.trainer import Training, table_for

Float = NDArray[np.float64]
ORDERS = (2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0)
"""Where the claims are stated: whole orders, as Lemma 2.3 needs them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmmTraining(Training):
    """Hyper-parameters; subclasses have the loop.

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

    model: str = "logistic"
    l1: float = 0.0001
    rho: float = 0.25
    initial_step: float = 1.0
    schedule: str = "constant"
    clip: float = 1.0

    def __post_init__(self) -> None:
        find_model(self.model)
        need_non_negative(self, "l1")
        need_positive(self, "rho", "initial_step")
        need_clip(self, "clip")
        step_sizes(self.schedule, self.initial_step, 1)

    def prepared(self, dataset: Dataset) -> tuple[Model, Table, Float]:
        """Model, table and x^0."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        return model, table, model.start(table.columns, rng=stream(0, "start", model.name))
