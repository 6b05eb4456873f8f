"""The noisy histogram: independent Lap(1 / epsilon) on every count (NoisyHist1, StatDP's `histogram`).

One record sits in one bin, so a neighbour moves one count by one and the claim is exactly epsilon-DP (Dwork et
al. 2006). Not to be confused with counts that may all move, where k bins cost k epsilon.
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
from reference_impls.mechanisms.pure_claims import BENCHMARK, STANDARD, add_pure_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyHistogram(EpsilonScaled):
    """Subject ``noisy-histogram``. Data sets: k counts; outputs: float64, shape (size, k)."""

    def query(self, dataset: Dataset) -> Float:
        """The counts, shape (k,)."""
        return query_vector(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy histograms, shape (size, k)."""
        return with_laplace(query_vector(dataset), self.scale(1.0), size, rng=rng)

    def output_law(self, dataset: Dataset) -> LaplaceLaw:
        """Independent Laplace around the counts."""
        return LaplaceLaw(locations=query_vector(dataset), scales=np.array(self.scale(1.0)))


def register(registry: Registry) -> None:
    """Register the mechanism, its claim at epsilon 0.1 and its noise deficit."""
    registry.mechanisms.add("noisy-histogram", NoisyHistogram)
    add_pure_claim(
        registry,
        "noisy-histogram",
        "stands",
        relation="one-query",
        size=5,
        low=0.0,
        source=(BENCHMARK, "NoisyHist1"),
        statement="A histogram with Lap(1/epsilon) on each count is epsilon-DP.",
        suites=STANDARD,
        noise_deficit="broken",
    )
