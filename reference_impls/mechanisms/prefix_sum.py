"""Noisy prefix sums: s_j = sum over i <= j of (q_i + Lap(1 / epsilon)).

DP-Sniper's PrefixSum. The sums and the noisy entries q_i + Lap(1 / epsilon) determine each other, so when one entry may
move by one the mechanism is exactly epsilon-DP (here); when all m may, it costs m epsilon
(`known_broken/prefix_sum_all_queries.py`). Not to be confused with the binary-tree mechanism, whose sums are accurate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.laws.density import LaplaceLaw
from reference_impls.mechanisms.additive_noise import laplace_sums
from reference_impls.mechanisms.inputs import Float, query_vector
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixSum(EpsilonScaled):
    """Subject ``prefix-sum``. Data sets: m entries; outputs: float64, shape (size, m)."""

    def query(self, dataset: Dataset) -> Float:
        """The entries that are noised, shape (m,)."""
        return query_vector(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent vectors of noisy prefix sums, shape (size, m)."""
        return laplace_sums(query_vector(dataset), self.scale(1.0), size, rng=rng)

    def output_law(self, dataset: Dataset) -> LaplaceLaw:
        """The law of the differences of neighbouring sums, which carry the same information (a bijection)."""
        return LaplaceLaw(locations=query_vector(dataset), scales=np.array(self.scale(1.0)))


def register(registry: Registry) -> None:
    """Register the mechanism, its claim for one moving entry and its noise deficit."""
    registry.mechanisms.add("prefix-sum", PrefixSum)
    add_pure_claim(
        registry,
        "prefix-sum",
        "stands",
        relation="one-query",
        size=10,
        source=(BENCHMARK, "PrefixSum, one entry moves"),
        statement="Prefix sums of noisy entries are epsilon-DP when one entry moves by one.",
        noise_deficit="broken",
    )
