"""Noisy prefix sums: s_j = sum over i <= j of (q_i + Lap(1 / epsilon)).

DP-Sniper's PrefixSum. The sums and the noisy entries q_i + Lap(1 / epsilon) determine each other, so when one entry may
move by one the mechanism is exactly epsilon-DP (here); when all m may, it costs m epsilon
(`known_broken/prefix_sum_all_queries.py`). Not to be confused with the binary-tree mechanism, whose sums are accurate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from dpverify.laws.density import LaplaceLaw
from reference_impls.mechanisms.additive_noise import laplace_sums
from reference_impls.mechanisms.calibrated import Calibrated, Float, query_vector


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixSum(Calibrated):
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
    claim = Claim(
        id="prefix-sum",
        guarantee=PureDP(epsilon=0.1),
        relation="one-query",
        subject="prefix-sum",
        parameters={"epsilon": 0.1},
        space=SearchSpace(size=10, low=-10.0, high=10.0),
        source=Source(paper="field's standard benchmark", locus="PrefixSum, one entry moves"),
        statement="Prefix sums of noisy entries are epsilon-DP when one entry moves by one.",
    )
    registry.add_entry(SuiteEntry(claim=claim, expectation="stands", noise_deficit="broken"))
