"""The sparse vector technique that is right: Lyu, Su, Li (2017), Algorithm 1.

rho = Lap(2 / epsilon) once, nu = Lap(4 c / epsilon) for each query, stop after c "above": epsilon-DP. As a
vector of answers; at c = 1 the same law as `above_threshold.py`, which gives the stopping index itself. Ten queries in
the benchmark's range reach 0.0997 of 0.1, so 90 % of the noise breaks the claim there (0.1107).
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from reference_impls.mechanisms.sparse_vector import AnswerVector, Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt1(AnswerVector):
    """Subject ``svt1``. Data sets: m query answers; outputs: 0, 1 or 2 (not reached), shape (size, m)."""

    def recipe(self) -> Recipe:
        """One threshold, noise for c "above", cutoff c."""
        return Recipe(threshold_scale=self.scale(2.0), query_scale=self.scale(4.0 * self.cutoff), cutoff=self.cutoff)


def register(registry: Registry) -> None:
    """Register the mechanism, its benchmark claim and its noise deficit."""
    registry.mechanisms.add("svt1", Svt1)
    claim = Claim(
        id="svt1",
        guarantee=PureDP(epsilon=0.1),
        relation="all-queries",
        subject="svt1",
        parameters={"epsilon": 0.1, "threshold": 0.5, "cutoff": 1},
        space=SearchSpace(size=10, low=-10.0, high=10.0),
        source=Source(paper="Lyu, Su, Li 2017", locus="Algorithm 1"),
        statement="The sparse vector technique with noise for its cutoff is epsilon-DP.",
    )
    registry.add_entry(
        SuiteEntry(claim=claim, expectation="stands", suites=("core", "standard"), noise_deficit="broken")
    )
