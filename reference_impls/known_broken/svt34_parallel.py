"""Algorithms 3 and 4 of the sparse vector paper side by side on the same queries (DP-Sniper's SVT34Parallel, c = 2).

Wrong lines: those of `Svt3` and `Svt4`, and no budget is set aside for running both. Source: Bichsel, Steffen,
Bogunovic, Vechev, "DP-Sniper" (S&P 2021). True epsilon: infinite as the number of queries grows, because
Algorithm 3's is. The exact law is that of Algorithm 3's first hit alone, which is enough: 2.5 times the claim at the
benchmark's ten queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.rules import Count, Finite
from dpverify.core.subjects import Dataset
from dpverify.laws.first_hit import FirstHitLaw
from reference_impls.known_broken.sparse_vector_variants import Svt3, Svt4
from reference_impls.mechanisms.inputs import Float, query_vector
from reference_impls.mechanisms.mechanism_claims import BENCHMARK
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.sparse_vector import SparseVector
from reference_impls.mechanisms.sparse_vector_claims import add_svt_claim

Half = TypeVar("Half", bound=SparseVector)


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt34Parallel(EpsilonScaled):
    """Subject ``svt34-parallel``. Data sets: m query answers; outputs: Algorithm 3's, then 4's, shape (size, 3 m).

    Attributes
    ----------
    threshold, cutoff
        Of both.
    """

    threshold: Finite = 1.0
    cutoff: Count = 2

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent outputs of both, shape (size, 3 m)."""
        queries = query_vector(dataset)
        out = np.empty((size, 3 * queries.size), order="F")
        for half, first in ((self._half(Svt3), 0), (self._half(Svt4), 2 * queries.size)):
            half.write(out, first, queries, rng=rng)
        return out

    def output_law(self, dataset: Dataset) -> FirstHitLaw:
        """The law of Algorithm 3's first hit, a part of the output: divergences are **lower bounds** on the whole's."""
        return self._half(Svt3).output_law(dataset)

    def _half(self, kind: type[Half]) -> Half:
        return kind(
            epsilon=self.epsilon,
            noise_multiplier=self.noise_multiplier,
            threshold=self.threshold,
            cutoff=self.cutoff,
        )


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("svt34-parallel", Svt34Parallel)
    add_svt_claim(
        registry,
        "svt34-parallel-0.1",
        "broken",
        subject="svt34-parallel",
        cutoff=2,
        source=(BENCHMARK, "SVT34Parallel"),
        statement="Algorithms 3 and 4 side by side are epsilon-DP.",
    )
