"""A sparse vector technique whose query noise ignores the cutoff: Lyu, Su, Li (2017), Algorithm 4 (StatDP iSVT3).

Wrong line: nu = Lap(4 / (3 epsilon)) where c "above" need Lap(4 c / (3 epsilon)) and, for queries that move in both
directions, twice that. Source: Lee, Clifton, "Top-k Frequent Itemsets via Differentially Private FP-trees" (KDD 2014).
True epsilon: (1 + 6 c) / 4 times epsilon (`true_epsilon`; Lyu et al., Figure 2), a limit in the number of queries.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.registry import Registry
from reference_impls.mechanisms.sparse_vector import AnswerVector, Recipe
from reference_impls.mechanisms.sparse_vector_claims import LYU, add_svt_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt4(AnswerVector):
    """Subject ``svt4``. Data sets: m query answers; outputs: 0, 1 or 2 (not reached), shape (size, m)."""

    def recipe(self) -> Recipe:
        """Noise for one "above", whatever the cutoff."""
        return Recipe(
            threshold_scale=self.scale(4.0),
            query_scale=self.scale(4.0 / 3.0),
            cutoff=self.cutoff,
        )


def true_epsilon(epsilon: float, cutoff: int) -> float:
    """(1 + 6 c) / 4 times epsilon."""
    return (1.0 + 6.0 * cutoff) / 4.0 * epsilon


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("svt4", Svt4)
    add_svt_claim(
        registry,
        "svt4",
        "broken",
        source=(LYU, "Algorithm 4"),
        statement="The sparse vector technique with query noise for one answer is epsilon-DP.",
    )
