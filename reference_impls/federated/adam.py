"""Federated averaging with Adam (Kingma & Ba 2014, Algorithm 1) at the clients, as ADADP's Figure 3 compares with.

A step goes along the mean gradient of its batch. The moving averages start anew in each round, as McMahan et al.'s
stateless clients have them; ADADP does not say.

Nothing is claimed about privacy. Not to be confused with Adam at the server, on averaged updates (FedAdam).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from reference_impls.federated.averaging import FederatedAveraging
from reference_impls.models.model import Model
from reference_impls.training.settings import need_positive

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

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

    step_size: float = 0.001
    beta1: float = 0.9
    beta2: float = 0.999
    stabiliser: float = 1e-8

    def __post_init__(self) -> None:
        FederatedAveraging.__post_init__(self)
        need_positive(self, "stabiliser")
        for name in ("beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(f"FederatedAdam: {name} = {getattr(self, name)}", allowed="a number in [0, 1)")

    def update(self, model: Model, table: Table, weights: Float, step: float, tape: Tape) -> tuple[Float, float]:
        """Adam."""
        first, second = np.zeros_like(weights), np.zeros_like(weights)
        batches = islice(self.batches(table.rows, tape), self.batch_count(table.rows))
        for t, batch in enumerate(batches, start=1):
            gradient = model.gradient(weights, table, batch) / batch.size
            first = self.beta1 * first + (1.0 - self.beta1) * gradient
            second = self.beta2 * second + (1.0 - self.beta2) * gradient**2
            mean, square = first / (1.0 - self.beta1**t), second / (1.0 - self.beta2**t)
            weights = weights - step * mean / (np.sqrt(square) + self.stabiliser)
        return weights, step


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("federated-adam", FederatedAdam)
