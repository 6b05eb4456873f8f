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
from dpverify.laws.density import LaplaceLaw
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.inputs import Float, query_vector
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.pure_claims import BENCHMARK, add_pure_claim

SUM_SENSITIVITY = 1.0 + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialSum(EpsilonScaled):
    """Subject ``partial-sum``. Data sets: m entries; outputs: float64, shape (size,)."""

    def query(self, dataset: Dataset) -> Float:
        """The sum, shape (1,)."""
        return np.array([query_vector(dataset).sum()])

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy sums, shape (size,)."""
        return with_laplace(self.query(dataset), self.scale(SUM_SENSITIVITY), size, rng=rng)[:, 0]

    def output_law(self, dataset: Dataset) -> LaplaceLaw:
        """Laplace around the sum."""
        return LaplaceLaw(locations=self.query(dataset), scales=np.array(self.scale(SUM_SENSITIVITY)))


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
