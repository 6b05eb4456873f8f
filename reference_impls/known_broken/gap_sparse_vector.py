"""A sparse vector technique with the right noise that releases the noisy query instead of the gap (badgapsparsevector).

Wrong line: q + nu goes out with the "above"; the sound technique releases the *gap* q + nu - (T + rho), which
hides the threshold. Source: Wang, Ding, Kifer, Zhang, "CheckDP" (CCS 2020), section 5. True epsilon: infinite
as the number of queries grows; m queries reach m epsilon / (4 c) (`epsilon_at_least`), in the bin of the lowest
values: two and a half times the claim at the benchmark's ten queries. A million samples hardly show it (where all
queries move up by one, the best bin stands half a standard deviation above the claim); the exact law of the first hit
proves it. With half the noise of a query it is `known_broken/svt3.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.registry import Registry
from reference_impls.mechanisms.sparse_vector import Recipe, ValueVector
from reference_impls.mechanisms.sparse_vector_claims import add_svt_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class GapSparseVector(ValueVector):
    """Subject ``bad-gap-sparse-vector``. Data sets: m query answers; outputs: answers and values, shape (size, 2 m)."""

    def recipe(self) -> Recipe:
        """The noise of Algorithm 1; the compared value goes out."""
        return Recipe(
            threshold_scale=self.scale(2.0),
            query_scale=self.scale(4.0 * self.cutoff),
            cutoff=self.cutoff,
            release="compared",
        )


def epsilon_at_least(epsilon: float, cutoff: int, queries: int) -> float:
    """m epsilon / (4 c): a value so low that z and all that was compared lie in their lower tails tells each move."""
    return queries * epsilon / (4.0 * cutoff)


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("bad-gap-sparse-vector", GapSparseVector)
    add_svt_claim(
        registry,
        "bad-gap-sparse-vector",
        "broken",
        source=("CheckDP", "badgapsparsevector"),
        statement="The sparse vector technique that releases q + nu with full noise is epsilon-DP.",
        suites=("core",),
    )
