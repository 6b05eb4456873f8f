"""A sparse vector technique that releases the noisy query it compared: Lyu, Su, Li (2017), Algorithm 3 (StatDP iSVT4).

Wrong line: what goes out with an "above" is q + nu itself, whose value bounds the noisy threshold from above,
so the "below" answers no longer hide behind it; and nu = Lap(2 c / epsilon) is half the noise. Source: Roth,
lecture notes (2011), as cited by Lyu et al. True epsilon: infinite as the number of queries grows; m queries reach
m epsilon / (2 c) (`epsilon_at_least`), in the bin of the lowest values: five times the claim at the benchmark's ten
queries. Such an output comes once in ten million runs; the exact law of the first hit proves it nevertheless.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.registry import Registry
from reference_impls.mechanisms.sparse_vector import Recipe, ValueVector
from reference_impls.mechanisms.sparse_vector_claims import LYU, add_svt_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt3(ValueVector):
    """Subject ``svt3``. Data sets: m query answers; outputs: answers and values, shape (size, 2 m)."""

    def recipe(self) -> Recipe:
        """The compared value goes out."""
        return Recipe(
            threshold_scale=self.scale(2.0),
            query_scale=self.scale(2.0 * self.cutoff),
            cutoff=self.cutoff,
            release="compared",
        )


def epsilon_at_least(epsilon: float, cutoff: int, queries: int) -> float:
    """m epsilon / (2 c): a value so low that z and all that was compared lie in their lower tails tells each move."""
    return queries * epsilon / (2.0 * cutoff)


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("svt3", Svt3)
    add_svt_claim(
        registry,
        "svt3-0.1",
        "broken",
        subject="svt3",
        source=(LYU, "Algorithm 3"),
        statement="The sparse vector technique that releases q + nu is epsilon-DP.",
    )
