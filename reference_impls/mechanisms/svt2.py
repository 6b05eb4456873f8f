"""The sparse vector technique of Dwork and Roth's book: Lyu, Su, Li (2017), Algorithm 2.

rho = Lap(2 c / epsilon), drawn again after each "above", nu = Lap(4 c / epsilon), stop after c: epsilon-DP, with more
noise on the threshold than Algorithm 1 needs. At c = 1, as in the benchmark, the law is that of Algorithm 1, and 90 %
of the noise breaks the claim.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from reference_impls.mechanisms.sparse_vector import AnswerVector, Recipe


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
    claim = Claim(
        id="svt2",
        guarantee=PureDP(epsilon=0.1),
        relation="all-queries",
        subject="svt2",
        parameters={"epsilon": 0.1, "threshold": 1.0, "cutoff": 1},
        space=SearchSpace(size=10, low=-10.0, high=10.0),
        source=Source(paper="Lyu, Su, Li 2017", locus="Algorithm 2"),
        statement="The sparse vector technique with a redrawn threshold is epsilon-DP.",
    )
    registry.add_entry(
        SuiteEntry(claim=claim, expectation="stands", suites=("core", "standard"), noise_deficit="broken")
    )
