"""A sparse vector technique without noise on the queries: Lyu, Su, Li (2017), Algorithm 5 (StatDP iSVT1).

Wrong line: nu = 0, and no cutoff: all answers are cut at one noisy threshold. Source: Stoddard, Chen,
Machanavajjhala, "Differentially Private Algorithms for Empirical Machine Learning" (2014). True epsilon:
infinite with two queries already: if q_1 < q_2 the answers (above, below) are impossible, and a neighbour may
reverse the order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from reference_impls.mechanisms.sparse_vector import CountedAnswers, Recipe

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
    claim = Claim(
        id="svt5",
        guarantee=PureDP(epsilon=0.1),
        relation="all-queries",
        subject="svt5",
        parameters={"epsilon": 0.1, "threshold": 1.0, "cutoff": 1},
        space=SearchSpace(size=10, low=-10.0, high=10.0),
        source=Source(paper="Lyu, Su, Li 2017", locus="Algorithm 5"),
        statement="The sparse vector technique without query noise is epsilon-DP.",
    )
    registry.add_entry(SuiteEntry(claim=claim, expectation="broken", suites=("core", "standard")))
