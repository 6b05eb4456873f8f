"""RS-GD: NSGD with one batch and a fixed step against the gradient descent of Zhang et al. 2017, bit for bit.

RSGD, section 4.1 (DISS, before Theorem 3.1): the two "coincide". Two implementations of the project, written apart, are
run on drawn tables: :mod:`~reference_impls.optimizers.nsgd` without line 4 and
:mod:`~reference_impls.optimizers.out_pert_gd`. The difference is that of their ends before the noise; the noise scales
differ, since the two sensitivities do (RS-TIGHTER).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.models.loss_constants import constants
from reference_impls.models.model import find_model
from reference_impls.optimizers.nsgd import Nsgd
from reference_impls.optimizers.out_pert_gd import OutPertGd
from reference_impls.papers.ranges import HUGE, FromOne, FromTwo, FromZero
from reference_impls.papers.rsgd.lemmas.one_feature_runs import L2


@dataclass(frozen=True, slots=True, kw_only=True)
class GdTwin(Checked):
    """Subject ``twin-rsgd-gd``: one drawn table and both algorithms.

    Attributes
    ----------
    model : str
        A linear or softmax model.
    share : float
        eta over 2 / (L + mu), in (0, 1].
    l2 : float
        lambda > 0.
    epochs, rows, columns, draw : float
        Rounded: T, the table's size, and which table.
    """

    model: str = "logistic"
    share: Annotated[float, Between(1e-6, 1)] = 0.5
    l2: Annotated[float, Between(1e-9, HUGE)] = L2
    epochs: FromOne = 20
    rows: FromTwo = 30
    columns: FromOne = 3
    draw: FromZero = 0

    def validate(self) -> None:
        """The model is a known one."""
        find_model(self.model)

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The weights of both before the noise."""
        rng, rows = stream(round(self.draw), "gd-twin"), round(self.rows)
        features = rng.normal(size=(rows, round(self.columns)))
        features /= np.linalg.norm(features, axis=1)[:, None] * (1.0 + 1e-12)
        labels = rng.choice((0.0, 1.0) if "softmax" in self.model else (-1.0, 1.0), rows)
        table, known = Table(features=features, labels=labels), constants(find_model(self.model), l2=self.l2)
        step = self.share * 2.0 / (known.smoothness + self.l2) * (1.0 - 1e-12)
        epochs = round(self.epochs)
        nsgd = Nsgd(
            model=self.model, epochs=epochs, initial_step=step, batch_size=rows, l2=self.l2, schedule="fixed", sigma=1.0
        )
        gd = OutPertGd(model=self.model, steps=epochs, step_size=step, l2=self.l2)
        return nsgd.query(table), gd.query(table)

    def printed(self) -> Enclosed:
        """No difference at all."""
        return Enclosed(value=0.0)

    def truth(self) -> Enclosed:
        """The largest difference of a weight."""
        first, second = self.ends()
        return Enclosed(value=float(np.abs(first - second).max()))

    def proved_ratio(self) -> Enclosed | None:
        """Doubles that differ do so for certain."""
        return Enclosed(value=np.inf, proved=True) if self.truth().value > 0.0 else Enclosed(value=1.0, proved=True)
