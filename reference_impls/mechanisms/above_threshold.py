"""AboveThreshold: the index of the first query whose noisy answer rises above a noisy threshold.

Dwork, Roth (2014), Algorithm 1; Lyu, Su, Li (2017), Algorithm 1 with cutoff 1: rho = Lap(2 / epsilon) on the threshold,
nu = Lap(4 / epsilon) on each query, queries of sensitivity 1 that may move in any direction. epsilon-DP however many
queries are asked, because all "below" answers share one threshold. The claim is a limit, but a near one: ten queries in
the benchmark's range reach 0.0997 of 0.1, so 90 % of the noise breaks it there (0.1107, as exact laws show).

The output is the stopping index 0..m (m: never), the same as the 0/1 answers up to there. For answers as vectors and
cutoffs above 1 see `Svt1`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.rules import Finite
from dpverify.core.subjects import Dataset
from dpverify.laws.stopping import StoppingLaw
from reference_impls.mechanisms.inputs import Float, Integer, query_vector
from reference_impls.mechanisms.mechanism_claims import add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.stopping_index import stop_counts, stop_indices


@dataclass(frozen=True, slots=True, kw_only=True)
class AboveThreshold(EpsilonScaled):
    """Subject ``above-threshold``. Data sets: m query answers; outputs: int64 stopping indices, shape (size,).

    Attributes
    ----------
    threshold : float
        Public threshold T.
    """

    threshold: Finite = 0.5

    def query(self, dataset: Dataset) -> Float:
        """The answers, shape (m,)."""
        return query_vector(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """Independent stopping indices, shape (size,)."""
        return stop_indices("laplace", self._levels(dataset), self._scales(), size, rng=rng)

    def counts(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """How often each index stopped the search, and last how often none did: shape (m + 1,)."""
        return stop_counts("laplace", self._levels(dataset), self._scales(), size, rng=rng)

    def output_law(self, dataset: Dataset) -> StoppingLaw:
        """The exact law of the stopping index."""
        return StoppingLaw(
            noise="laplace",
            threshold_scale=self.scale(2.0),
            query_scale=self.scale(4.0),
            levels=self._levels(dataset),
        )

    def _scales(self) -> tuple[float, float]:
        return self.scale(2.0), self.scale(4.0)

    def _levels(self, dataset: Dataset) -> Float:
        return query_vector(dataset) - self.threshold


def register(registry: Registry) -> None:
    """Register the mechanism, its benchmark claim and its noise deficit."""
    registry.mechanisms.add("above-threshold", AboveThreshold)
    add_pure_claim(
        registry,
        "above-threshold",
        "stands",
        relation="all-queries",
        size=10,
        parameters={"threshold": 0.5},
        source=("Lyu, Su, Li 2017", "Algorithm 1, c = 1"),
        statement="AboveThreshold with Lap(2/epsilon) and Lap(4/epsilon) is epsilon-DP.",
        noise_deficit="broken",
    )
