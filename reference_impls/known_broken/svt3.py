"""A sparse vector technique that releases the noisy query it compared: Lyu, Su, Li (2017), Algorithm 3 (StatDP iSVT4).

Wrong line: what goes out with an "above" is q + nu itself, whose value bounds the noisy threshold from above,
so the "below" answers no longer hide behind it; and nu = Lap(2 c / epsilon) is half the noise. Source: Roth,
lecture notes (2011), as cited by Lyu et al. True epsilon: infinite as the number of queries grows (each "below"
adds up to epsilon / (2 c)). At epsilon = 0.1 and ten queries the best event of a plain pair stands only 7.6
standard deviations above the claim at a million trials, which leaves a learned event little room: that claim is
in the full profile, and one at epsilon = 1 in the quick one.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.registry import Registry
from dpverify.core.suite import Profile, SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from reference_impls.mechanisms.sparse_vector import Recipe, SparseVector


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt3(SparseVector):
    """Subject ``svt3``. Data sets: m query answers; outputs: answers and values, shape (size, 2 m)."""

    def recipe(self) -> Recipe:
        """The compared value goes out."""
        return Recipe(
            threshold_scale=self.scale(2.0),
            query_scale=self.scale(2.0 * self.cutoff),
            cutoff=self.cutoff,
            release="compared",
        )


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim, at the benchmark's epsilon and where a million trials show it."""
    registry.known_broken.add("svt3", Svt3)
    _add(registry, 0.1, ("core", "standard"), "full")
    _add(registry, 1.0, ("core",), "quick")


def _add(registry: Registry, epsilon: float, suites: tuple[str, ...], profile: Profile) -> None:
    claim = Claim(
        id=f"svt3-{epsilon:g}",
        guarantee=PureDP(epsilon=epsilon),
        relation="all-queries",
        subject="svt3",
        parameters={"epsilon": epsilon, "threshold": 1.0, "cutoff": 1},
        space=SearchSpace(size=10, low=-10.0, high=10.0),
        source=Source(paper="Lyu, Su, Li 2017", locus="Algorithm 3"),
        statement="The sparse vector technique that releases q + nu is epsilon-DP.",
    )
    registry.add_entry(SuiteEntry(claim=claim, expectation="broken", suites=suites, profile=profile))
