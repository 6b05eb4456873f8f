"""The sparse vector technique of Dwork and Roth's book: Lyu, Su, Li (2017), Algorithm 2.

rho = Lap(2 c / epsilon), drawn again after each "above", nu = Lap(4 c / epsilon), stop after c: epsilon-DP, with more
noise on the threshold than Algorithm 1 needs. At c = 1, as in the benchmark, the law is that of Algorithm 1, and 90 %
of the noise breaks the claim.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.registry import Registry
from reference_impls.mechanisms.sparse_vector import AnswerVector, Recipe
from reference_impls.mechanisms.sparse_vector_claims import LYU, add_svt_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt2(AnswerVector):
    """Subject ``svt2``. Data sets: m query answers; outputs: 0, 1 or 2 (not reached), shape (size, m)."""

    def recipe(self) -> Recipe:
        """A fresh threshold after each "above"."""
        return Recipe(
            threshold_scale=self.scale(2.0 * self.cutoff),
            query_scale=self.scale(4.0 * self.cutoff),
            cutoff=self.cutoff,
            redraw_scale=self.scale(2.0 * self.cutoff),
        )


def register(registry: Registry) -> None:
    """Register the mechanism, its benchmark claim and its noise deficit."""
    registry.mechanisms.add("svt2", Svt2)
    add_svt_claim(
        registry,
        "svt2",
        "stands",
        source=(LYU, "Algorithm 2"),
        statement="The sparse vector technique with a redrawn threshold is epsilon-DP.",
        noise_deficit="broken",
    )
