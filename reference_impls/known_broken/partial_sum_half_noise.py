"""A noisy total with half the noise (CheckDP's badpartialsum).

Wrong line: the scale is 1 / (2 epsilon). Source: Wang, Ding, Kifer, Zhang, "CheckDP" (CCS 2020), section 5.
True epsilon: 2 epsilon (`true_epsilon`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from reference_impls.mechanisms.inputs import Float, query_vector
from reference_impls.mechanisms.laplace_on_query import LaplaceOnNumber
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialSumHalfNoise(EpsilonScaled, LaplaceOnNumber):
    """Subject ``bad-partial-sum``. Data sets: m entries; outputs: float64, shape (size,)."""

    def query(self, dataset: Dataset) -> Float:
        """The sum, shape (1,)."""
        return np.array([query_vector(dataset).sum()])

    def laplace_scale(self, dataset: Dataset) -> float:
        """1 / (2 epsilon): the bug."""
        return self.scale(0.5)


def true_epsilon(epsilon: float) -> float:
    """Half the noise costs 2 epsilon."""
    return 2.0 * epsilon


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("bad-partial-sum", PartialSumHalfNoise)
    add_pure_claim(
        registry,
        "bad-partial-sum",
        "broken",
        relation="one-query",
        size=10,
        source=(BENCHMARK, "partialsum, bad"),
        statement="A sum with Lap(1/(2 epsilon)) is epsilon-DP when one entry moves by one.",
    )
