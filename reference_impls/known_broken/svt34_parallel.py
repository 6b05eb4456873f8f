"""Algorithms 3 and 4 of the sparse vector paper side by side on the same queries (DP-Sniper's SVT34Parallel, c = 2).

Wrong lines: those of `svt3.py` and `svt4.py`, and nothing pays for running both. Source: Bichsel, Steffen,
Bogunovic, Vechev, "DP-Sniper" (S&P 2021). True epsilon: infinite as the number of queries grows, because
Algorithm 3's is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.protocols import Dataset
from dpverify.core.registry import Registry
from dpverify.core.suite import Profile, SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from reference_impls.known_broken.svt3 import Svt3
from reference_impls.known_broken.svt4 import Svt4
from reference_impls.mechanisms.calibrated import Calibrated, Float, query_vector

FACES: tuple[tuple[float, tuple[str, ...], Profile], ...] = (
    (0.1, ("core", "standard"), "full"),
    (1.0, ("core",), "quick"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt34Parallel(Calibrated):
    """Subject ``svt34-parallel``. Data sets: m query answers; outputs: Algorithm 3's, then 4's, shape (size, 3 m).

    Attributes
    ----------
    threshold, cutoff
        Of both.
    """

    threshold: float = 1.0
    cutoff: int = 2

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent outputs of both, shape (size, 3 m)."""
        queries = query_vector(dataset)
        out = np.empty((size, 3 * queries.size))
        for kind, first in ((Svt3, 0), (Svt4, 2 * queries.size)):
            variant = kind(
                epsilon=self.epsilon,
                noise_multiplier=self.noise_multiplier,
                threshold=self.threshold,
                cutoff=self.cutoff,
            )
            variant.write(out, first, queries, rng=rng)
        return out


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim, at the benchmark's budget and at one that quick runs resolve."""
    registry.known_broken.add("svt34-parallel", Svt34Parallel)
    for epsilon, suites, profile in FACES:
        claim = Claim(
            id=f"svt34-parallel-{epsilon:g}",
            guarantee=PureDP(epsilon=epsilon),
            relation="all-queries",
            subject="svt34-parallel",
            parameters={"epsilon": epsilon, "threshold": 1.0, "cutoff": 2},
            space=SearchSpace(size=10, low=-10.0, high=10.0),
            source=Source(paper="field's standard benchmark", locus="SVT34Parallel"),
            statement="Algorithms 3 and 4 side by side are epsilon-DP.",
        )
        registry.add_entry(SuiteEntry(claim=claim, expectation="broken", suites=suites, profile=profile))
