"""A noisy total with half the noise (CheckDP's badpartialsum).

Wrong line: the scale is 1 / (2 epsilon). Source: Wang, Ding, Kifer, Zhang, "CheckDP" (CCS 2020), section 5.
True epsilon: 2 epsilon (`true_epsilon`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.laws.density import LaplaceLaw
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.inputs import Float, query_vector
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.pure_claims import BENCHMARK, add_pure_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialSumHalfNoise(EpsilonScaled):
    """Subject ``bad-partial-sum``. Data sets: m entries; outputs: float64, shape (size,)."""

    def query(self, dataset: Dataset) -> Float:
        """The sum, shape (1,)."""
        return np.array([query_vector(dataset).sum()])

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy sums, shape (size,)."""
        return with_laplace(self.query(dataset), self.scale(0.5), size, rng=rng)[:, 0]

    def output_law(self, dataset: Dataset) -> LaplaceLaw:
        """Laplace around the sum."""
        return LaplaceLaw(locations=self.query(dataset), scales=np.array(self.scale(0.5)))


def true_epsilon(epsilon: float) -> float:
    """2 epsilon."""
    return 2.0 * epsilon


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("bad-partial-sum", PartialSumHalfNoise)
    add_pure_claim(
        registry,
        "bad-partial-sum",
        "broken",
        relation="one-query",
        size=10,
        source=(BENCHMARK, "partialsum, bad"),
        statement="A sum with Lap(1/(2 epsilon)) is epsilon-DP when one entry moves by one.",
    )
