"""The noisy total: sum of all entries + Lap(1 / epsilon) (CheckDP's partialsum).

One entry moves by one, so the sum does, and the mechanism is exactly epsilon-DP. Not to be confused with
`prefix_sum.py`, which releases every partial sum.

Floating-point sums of neighbours can differ by a hair more than one (Casacuberta, Shoemate, Vadhan, Wagaman
2022); the noise is scaled to 1 + 1e-9 instead of 1, which covers sums up to about 10^6.
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

SUM_SENSITIVITY = 1.0 + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialSum(EpsilonScaled, LaplaceOnNumber):
    """Subject ``partial-sum``. Data sets: m entries; outputs: float64, shape (size,)."""

    def query(self, dataset: Dataset) -> Float:
        """The sum, shape (1,)."""
        return np.array([query_vector(dataset).sum()])

    def laplace_scale(self, dataset: Dataset) -> float:
        """1 / epsilon, with room for the rounding of sums."""
        return self.scale(SUM_SENSITIVITY)


def register(registry: Registry) -> None:
    """Register the mechanism, its claim and its noise deficit."""
    registry.mechanisms.add("partial-sum", PartialSum)
    add_pure_claim(
        registry,
        "partial-sum",
        "stands",
        relation="one-query",
        size=10,
        source=(BENCHMARK, "partialsum"),
        statement="A sum with Lap(1/epsilon) is epsilon-DP when one entry moves by one.",
        noise_deficit="broken",
    )
