"""Federated averaging with Adam (Kingma & Ba 2014, Algorithm 1) at the clients: a baseline in ADADP's Figure 3.

A step goes along the mean gradient of its batch. The moving averages start from zero in each round, because McMahan et
al.'s clients are stateless; ADADP does not say.

Nothing is claimed about privacy. Not to be confused with Adam at the server, on averaged updates (FedAdam).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.rules import Positive
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from reference_impls.federated.averaging import FederatedAveraging
from reference_impls.models.model import Model
from reference_impls.optimizers.adam_update import DecayRate, adam_update

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FederatedAdam(FederatedAveraging):
    """Subject ``federated-adam``. The other attributes:
    :class:`~reference_impls.federated.averaging.FederatedAveraging`.

    Attributes
    ----------
    step_size, beta1, beta2, stabiliser : float
        Adam's alpha, its two decay rates in [0, 1), its epsilon.
    """

    step_size: Positive = 0.001
    beta1: DecayRate = 0.9
    beta2: DecayRate = 0.999
    stabiliser: Positive = 1e-8

    def update(self, model: Model, table: Table, weights: Float, step: float, tape: Tape) -> tuple[Float, float]:
        """A round of Adam: the weights that the client sends back, and its step size."""
        moments = np.zeros_like(weights), np.zeros_like(weights)
        batches = islice(self.batches(table.rows, tape), self.batch_count(table.rows))
        for t, batch in enumerate(batches, start=1):
            weights = adam_update(
                weights,
                model.gradient(weights, table, batch) / batch.size,
                moments,
                t,
                step_size=step,
                beta1=self.beta1,
                beta2=self.beta2,
                stabiliser=self.stabiliser,
            )
        return weights, step


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("federated-adam", FederatedAdam)
