"""Training of a model from public starting weights, with samples by a kernel where the model is linear."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.sampling.streams import State, state_from, stream
from reference_impls.models.linear import LinearModel
from reference_impls.models.model import Model, ModelText, find_model
from reference_impls.training.trainer import Training, table_for

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTraining(Training):
    """A model and its public starting weights; subclasses have the loop.

    Attributes
    ----------
    model : str
        Text of a model, see :func:`~reference_impls.models.model.find_model`.
    start_seed : int
        Seed of the public starting weights; linear models start at zero whatever it is.
    """

    model: ModelText = "logistic"
    start_seed: int = 0

    def begin(self, dataset: Dataset) -> tuple[Model, Table, Float]:
        """The model, the checked table, and the starting weights, shape (dimension,)."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        return model, table, model.start(table.columns, rng=stream(self.start_seed, "start"))


class LinearKernel(Training):
    """A training whose samples come from a compiled kernel where the model is linear, and from `run` elsewhere.

    A base beside the one that has the field `model`.
    """

    __slots__ = ()

    model: str

    @abstractmethod
    def run_kernel(self, out: Float, model: LinearModel, table: Table, state: State) -> None:
        """Write the result of one training into each row of `out`, shape (size, d); draws in the order of `run`."""

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Results of independent runs, float64, shape (size, d): by the kernel for linear models, by `run` else."""
        model = find_model(self.model)
        if not isinstance(model, LinearModel):
            return Training.sample(self, dataset, size, rng=rng)
        table = table_for(model, dataset)
        out = np.empty((size, table.columns))
        self.run_kernel(out, model, table, state_from(rng))
        return out
