"""A sparse vector technique without noise on the queries: Lyu, Su, Li (2017), Algorithm 5 (StatDP iSVT1).

Wrong line: nu = 0, and no cutoff: all answers are cut at one noisy threshold. Source: Stoddard, Chen,
Machanavajjhala, "Differentially Private Algorithms for Empirical Machine Learning" (2014). True epsilon:
infinite with two queries already: if q_1 < q_2 the answers (above, below) are impossible, and a neighbour may
reverse the order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpverify.core.registry import Registry
from reference_impls.mechanisms.sparse_vector import CountedAnswers, Recipe
from reference_impls.mechanisms.sparse_vector_claims import LYU, add_svt_claim

TRUE_EPSILON = math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt5(CountedAnswers):
    """Subject ``svt5``. Data sets: m query answers; outputs: 0 or 1, shape (size, m)."""

    def recipe(self) -> Recipe:
        """No query noise, no cutoff."""
        return Recipe(threshold_scale=self.scale(2.0), query_scale=0.0, cutoff=None)


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("svt5", Svt5)
    add_svt_claim(
        registry,
        "svt5",
        "broken",
        source=(LYU, "Algorithm 5"),
        statement="The sparse vector technique without query noise is epsilon-DP.",
    )
