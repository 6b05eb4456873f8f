"""A sparse vector technique without a cutoff: Lyu, Su, Li (2017), Algorithm 6 (StatDP iSVT2, DP-Finder aboveThreshold).

Wrong line: the one that stops after c "above" is missing, while nu = Lap(2 / epsilon) is enough for one at most.
Source: Chen, Xiao, Zhang, Xu, "Differentially Private High-Dimensional Data Publication via Sampling-Based Inference"
(KDD 2015). True epsilon: infinite as the number of queries grows; at least m epsilon / 2 for 2 m queries (m of them
"above", m "below", moved against each other: Lyu et al., section 3.3; `epsilon_at_least`).
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.registry import Registry
from reference_impls.mechanisms.sparse_vector import CountedAnswers, Recipe
from reference_impls.mechanisms.sparse_vector_claims import LYU, add_svt_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt6(CountedAnswers):
    """Subject ``svt6``. Data sets: m query answers; outputs: 0 or 1, shape (size, m)."""

    def recipe(self) -> Recipe:
        """Noise for one "above", and no cutoff."""
        return Recipe(threshold_scale=self.scale(2.0), query_scale=self.scale(2.0), cutoff=None)


def epsilon_at_least(epsilon: float, queries: int) -> float:
    """Never above the true epsilon: m epsilon / 2 for 2 m queries."""
    return (queries // 2) * epsilon / 2.0


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("svt6", Svt6)
    add_svt_claim(
        registry,
        "svt6",
        "broken",
        source=(LYU, "Algorithm 6"),
        statement="The sparse vector technique without a cutoff is epsilon-DP.",
    )
