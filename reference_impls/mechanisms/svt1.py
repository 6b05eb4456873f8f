"""The sparse vector technique that is right: Lyu, Su, Li (2017), Algorithm 1.

rho = Lap(2 / epsilon) once, nu = Lap(4 c / epsilon) for each query, stop after c "above": epsilon-DP. As a
vector of answers; at c = 1 the same law as `above_threshold.py`, which gives the stopping index itself. Ten queries in
the benchmark's range reach 0.0997 of 0.1, so 90 % of the noise breaks the claim there (0.1107).
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.registry import Registry
from reference_impls.mechanisms.sparse_vector import AnswerVector, Recipe
from reference_impls.mechanisms.sparse_vector_claims import LYU, add_svt_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt1(AnswerVector):
    """Subject ``svt1``. Data sets: m query answers; outputs: 0, 1 or 2 (not reached), shape (size, m)."""

    def recipe(self) -> Recipe:
        """One threshold, noise for c "above", cutoff c."""
        return Recipe(threshold_scale=self.scale(2.0), query_scale=self.scale(4.0 * self.cutoff), cutoff=self.cutoff)


def register(registry: Registry) -> None:
    """Register the mechanism, its benchmark claim and its noise deficit."""
    registry.mechanisms.add("svt1", Svt1)
    add_svt_claim(
        registry,
        "svt1",
        "stands",
        threshold=0.5,
        source=(LYU, "Algorithm 1"),
        statement="The sparse vector technique with noise for its cutoff is epsilon-DP.",
        noise_deficit="broken",
    )
