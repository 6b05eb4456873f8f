"""The sparse vector technique asked about records: m - 1 times for the last one, then for the one before it.

dp_auditorium's queries that "reveal records" (Kong, Munoz Medina, Ribero, Syed, "DP-Auditorium", 2023), for records in
[0, 1] and neighbours that add or remove one. A new last record pushes the old one back: m - 1 answers may fall by one
while the last rises by one, which is the worst case of Lyu, Su and Li's analysis, reached by data and not by hand.
Each answer has sensitivity 1, so Algorithm 1 is epsilon-DP (here; Algorithm 2 is the same at cutoff 1), and Algorithms
3 to 6 are known broken (`known_broken/svt_reveal_records.py`). With dp_auditorium's other query, the sum, all answers
are one number: they move together, and that is the weaker test. Missing records count as 0.

Records have a range of 1, so that the claim is not met with equality: at epsilon = 1 and m = 10 the exact law comes to
0.981, and to 1.089 with 90 % of the noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from dpverify.core.errors import UnsupportedError
from dpverify.core.registry import Registry
from dpverify.core.rules import Between, Count, Finite
from dpverify.core.subjects import Dataset, HasOutputLaw, Law
from dpverify.core.suite import Expectation
from reference_impls.mechanisms.inputs import Float, records
from reference_impls.mechanisms.mechanism_claims import add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.sparse_vector import SparseVector
from reference_impls.mechanisms.sparse_vector_variants import Svt1


@dataclass(frozen=True, slots=True, kw_only=True)
class SvtRevealRecords(EpsilonScaled):
    """Subject ``svt1-reveal-records``. Data sets: records, clamped to [0, 1]; outputs: as the variant's own, float64.

    Attributes
    ----------
    threshold : float
        Public threshold.
    cutoff : int
        c, at least 1.
    queries : int
        m, at least 2.
    """

    variant: ClassVar[type[SparseVector]] = Svt1
    threshold: Finite = 0.5
    cutoff: Count = 1
    queries: Annotated[int, Between(2, math.inf)] = 10

    def query(self, dataset: Dataset) -> Float:
        """The answers: the last record m - 1 times, and the one before it; shape (m,)."""
        padded = np.concatenate([[0.0, 0.0], np.clip(records(dataset), 0.0, 1.0)])
        return np.append(np.full(self.queries - 1, padded[-1]), padded[-2])

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent outputs, shape (size, m), or (size, 2 m) for variants that release values."""
        return self._inner().sample(self.query(dataset), size, rng=rng)

    def output_law(self, dataset: Dataset) -> Law:
        """The variant's own law of these answers; UnsupportedError where it has none."""
        inner = self._inner()
        if not isinstance(inner, HasOutputLaw):
            raise UnsupportedError(f"{type(inner).__name__} has no exact output law")
        return inner.output_law(self.query(dataset))

    def _inner(self) -> SparseVector:
        return self.variant(
            epsilon=self.epsilon,
            noise_multiplier=self.noise_multiplier,
            threshold=self.threshold,
            cutoff=self.cutoff,
        )


def add_claim(
    registry: Registry,
    subject: str,
    algorithm: int,
    expectation: Expectation,
    *,
    noise_deficit: Expectation | None = None,
) -> None:
    """Register the claim that the subject, made of Lyu et al.'s algorithm of that number, is 1-DP (full profile)."""
    add_pure_claim(
        registry,
        subject,
        expectation,
        relation="add-remove",
        size=3,
        low=0.0,
        high=1.0,
        epsilon=1.0,
        parameters={"threshold": 0.5, "cutoff": 1, "queries": 10},
        source=("dp_auditorium", f"SVT{algorithm}, queries that reveal records"),
        statement=f"Algorithm {algorithm} of the sparse vector technique, asked about records, is epsilon-DP.",
        profile="full",
        noise_deficit=noise_deficit,
    )


def register(registry: Registry) -> None:
    """Register the mechanism, its claim and its noise deficit."""
    registry.mechanisms.add("svt1-reveal-records", SvtRevealRecords)
    add_claim(registry, "svt1-reveal-records", 1, "stands", noise_deficit="broken")
