"""The noisy histogram: independent Lap(1 / epsilon) on every count (NoisyHist1, StatDP's `histogram`).

One record sits in one bin, so a neighbour moves one count by one and the claim is exactly epsilon-DP (Dwork et
al. 2006). Not to be confused with counts that may all move, where k bins cost k epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from reference_impls.mechanisms.inputs import Float, query_vector
from reference_impls.mechanisms.laplace_on_query import LaplaceOnVector
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, STANDARD, add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyHistogram(EpsilonScaled, LaplaceOnVector):
    """Subject ``noisy-histogram``. Data sets: k counts; outputs: float64, shape (size, k)."""

    def query(self, dataset: Dataset) -> Float:
        """The counts, shape (k,)."""
        return query_vector(dataset)

    def laplace_scale(self, dataset: Dataset) -> float:
        """For one count that moves by one: 1 / epsilon."""
        return self.scale(1.0)


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
