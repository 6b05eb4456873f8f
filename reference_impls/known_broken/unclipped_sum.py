"""A sum with noise for clamped records, computed on the records as they come.

Wrong line: the sum forgets the ``clip``. Source: SmartNoise's covariance on unclipped data (smartnoise-sdk
issue 622); one of dp-recorder's toy bugs (PETS 2026). True epsilon: the largest |record| divided by the
clamping bound, times epsilon (`true_epsilon`): 5 epsilon for records up to 5 and a bound of 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.rules import Positive
from dpverify.core.subjects import Dataset, Guarantee
from dpverify.definitions.number_bounds import SensitivityBound
from dpverify.definitions.pure_dp import PureDP
from dpverify.recording.tape import Tape
from reference_impls.mechanisms.inputs import Float, records
from reference_impls.mechanisms.laplace_on_query import LaplaceOnNumber
from reference_impls.mechanisms.mechanism_claims import add_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.replayable import Replayable


@dataclass(frozen=True, slots=True, kw_only=True)
class UnclippedSum(EpsilonScaled, Replayable, LaplaceOnNumber):
    """Subject ``unclipped-sum``. Data sets: numeric records; outputs: float64, shape (size,).

    Attributes
    ----------
    bound : float
        The bound on |record| that the noise is scaled to.
    """

    bound: Positive = 1.0

    def query(self, dataset: Dataset) -> Float:
        """The sum of the records as they come, shape (1,)."""
        return np.array([records(dataset).sum()])

    def laplace_scale(self, dataset: Dataset) -> float:
        """For records within the bound: bound / epsilon."""
        return self.scale(self.bound)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """One noisy sum, whose sensitivity is believed to be the bound."""
        scale = self.scale(self.bound)
        return tape.perturb("sum", self.query(dataset), law="laplace", scale=scale, sensitivity=self.bound)


def true_epsilon(epsilon: float, largest: float, bound: float) -> float:
    """largest |record| / bound * epsilon."""
    return largest / bound * epsilon


def register(registry: Registry) -> None:
    """Register the mechanism, its privacy claim and its sensitivity claim."""
    registry.known_broken.add("unclipped-sum", UnclippedSum)
    _add(registry, "privacy", PureDP(epsilon=1.0), "A sum with noise for records in [-1, 1] is epsilon-DP.")
    _add(registry, "sensitivity", SensitivityBound(bound=1.0, norm="l1"), "The sum has the sensitivity of its noise.")


def _add(registry: Registry, kind: str, guarantee: Guarantee, statement: str) -> None:
    add_claim(
        registry,
        f"unclipped-sum-{kind}",
        "broken",
        guarantee=guarantee,
        parameters={"epsilon": 1.0, "bound": 1.0},
        relation="add-remove",
        size=3,
        low=-5.0,
        high=5.0,
        subject="unclipped-sum",
        source=("SmartNoise", "smartnoise-sdk issue 622"),
        statement=statement,
    )
