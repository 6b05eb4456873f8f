"""Histogram encoding: a value as a vector with a single 1, plus Lap(2 / epsilon) on every entry.

Wang, Blocki, Li, Jha, "Locally Differentially Private Protocols for Frequency Estimation" (USENIX Security 2017),
section 4.2. SHE releases the noisy vector: two values move two entries by one, so it is exactly epsilon-DP (local
model). THE releases which entries exceed a threshold, which is post-processing and costs less than epsilon: an entry is
above with probability p where the 1 is and q elsewhere, and two values cost ln(p (1 - q) / (q (1 - p))), 0.89209 at
epsilon = 1 and a threshold of 0.67. The claim about THE is made at that number, because at epsilon even 90 % of the
noise would meet it (0.981).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.rules import Probability
from dpverify.core.subjects import Dataset
from dpverify.laws.balls import exact_ball
from dpverify.laws.density import LaplaceLaw
from dpverify.laws.discrete import DiscreteLaw
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.encoding import BitEncoding, Encoding, add_encoding
from reference_impls.mechanisms.inputs import Float, category


@dataclass(frozen=True, slots=True, kw_only=True)
class SummationHistogramEncoding(Encoding):
    """Subject ``summation-histogram-encoding``. Data sets: one value; outputs: float64, shape (size, categories)."""

    def query(self, dataset: Dataset) -> Float:
        """The vector that is noised, shape (categories,)."""
        return np.asarray(np.eye(self.categories)[category(dataset, self.categories)])

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy vectors, shape (size, categories)."""
        return with_laplace(self.query(dataset), self.scale(2.0), size, rng=rng)

    def output_law(self, dataset: Dataset) -> LaplaceLaw:
        """Independent Laplace around the vector."""
        return LaplaceLaw(locations=self.query(dataset), scales=np.array(self.scale(2.0)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdHistogramEncoding(BitEncoding):
    """Subject ``threshold-histogram-encoding``. Data sets: one value; outputs: int64, shape (size,).

    Bit i of an output says whether entry i exceeds the threshold.

    Attributes
    ----------
    threshold : float
        In [0, 1].
    """

    threshold: Probability = 0.67

    def bits(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Which entries of independent noisy vectors exceed the threshold, shape (size, categories)."""
        vector = np.eye(self.categories)[category(dataset, self.categories)]
        return np.asarray(with_laplace(vector, self.scale(2.0), size, rng=rng) > self.threshold)

    def output_law(self, dataset: Dataset) -> DiscreteLaw:
        """Products of independent bits, in balls."""
        truth = category(dataset, self.categories)
        scale, threshold = Fraction(self.scale(2.0)), Fraction(self.threshold)

        def enclose() -> list[flint.arb]:
            one = 1 - exact_ball((threshold - 1) / scale).exp() / 2
            zero = exact_ball(-threshold / scale).exp() / 2
            table = [flint.arb(1)]
            for place in range(self.categories):  # the last place is the highest bit
                chance = one if place == truth else zero
                table = [each * (1 - chance) for each in table] + [each * chance for each in table]
            return table

        return DiscreteLaw.from_balls(enclose)


def register(registry: Registry) -> None:
    """Register both mechanisms, their claims for four values, and their noise deficits."""
    faces = (
        ("summation", SummationHistogramEncoding, "SHE", 1.0),
        ("threshold", ThresholdHistogramEncoding, "THE", 0.8921),
    )
    for kind, factory, short, claimed in faces:
        statement = f"{short} with noise for epsilon = 1 is {claimed:g}-DP for any two values."
        add_encoding(registry, f"{kind}-histogram-encoding", factory, short=short, claimed=claimed, statement=statement)
