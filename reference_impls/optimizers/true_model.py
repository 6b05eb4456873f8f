"""The true model of simulated data, which DISS Figures 4.3 and 4.4 plot as "NonPrivate": it learns nothing.

The weights are those that ``sparse-logistic-0`` and its like were made with (DISS 4.6.3, `dpverify.datasets`), with
zeros for columns that they do not have. They depend on no record.

Not to be confused with ``non-private``, which minimises the objective on the records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.datasets.sparse_logistic import MODEL
from dpverify.recording.tape import Tape
from reference_impls.models.margin import LinearModelText
from reference_impls.models.model import find_model
from reference_impls.training.trainer import Training, table_for

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueModel(Training):
    """Subject ``true-model``. Data set: a table. Result: the true weights, shape (d,).

    Attributes
    ----------
    model : str
        The records must have the labels of this linear model.
    """

    model: LinearModelText = "logistic"

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The first d true weights; draws nothing."""
        columns = table_for(find_model(self.model), dataset).columns
        return np.concatenate([MODEL[:columns], np.zeros(max(columns - MODEL.size, 0))])


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("true-model", TrueModel)
