"""Federated averaging with plain SGD at the clients, one constant step size (McMahan et al. 2017, ClientUpdate).

The baseline of ADADP's federated experiments. A step goes along the mean gradient of its batch, whatever its size.

Nothing is claimed about privacy. Not to be confused with FedSGD, where each client computes one full gradient a round.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from reference_impls.federated.averaging import FederatedAveraging
from reference_impls.models.model import Model

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FederatedSgd(FederatedAveraging):
    """Subject ``federated-sgd``. Data set and attributes: those of
    :class:`~reference_impls.federated.averaging.FederatedAveraging`."""

    def update(self, model: Model, table: Table, weights: Float, step: float, tape: Tape) -> tuple[Float, float]:
        """A round of SGD: the weights that the client sends back, and its step size."""
        for batch in islice(self.batches(table.rows, tape), self.batch_count(table.rows)):
            weights = weights - step * model.gradient(weights, table, batch) / batch.size
        return weights, step


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("federated-sgd", FederatedSgd)
