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

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.protocols import Dataset
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from dpverify.laws.balls import exact_ball
from dpverify.laws.density import LaplaceLaw
from dpverify.laws.discrete import DiscreteLaw
from reference_impls.known_broken.noise_deficit import add_noise_deficit
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.calibrated import Calibrated, Float, Integer, category

_MOST = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class SummationHistogramEncoding(Calibrated):
    """Subject ``summation-histogram-encoding``. Data sets: one value; outputs: float64, shape (size, categories).

    Attributes
    ----------
    categories : int
        k, 2 to 12.
    """

    categories: int = 4

    def __post_init__(self) -> None:
        Calibrated.__post_init__(self)
        if not 2 <= self.categories <= _MOST:
            raise InputError(f"{self.categories} categories", allowed=f"2 to {_MOST}")

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
class ThresholdHistogramEncoding(Calibrated):
    """Subject ``threshold-histogram-encoding``. Data sets: one value; outputs: int64, shape (size,).

    Bit i of an output says whether entry i exceeds the threshold.

    Attributes
    ----------
    categories : int
        k, 2 to 12.
    threshold : float
        In [0, 1].
    """

    categories: int = 4
    threshold: float = 0.67

    def __post_init__(self) -> None:
        Calibrated.__post_init__(self)
        if not (2 <= self.categories <= _MOST and 0 <= self.threshold <= 1):
            raise InputError(
                f"{self.categories} categories, threshold {self.threshold}",
                allowed=f"2 to {_MOST} categories, a threshold in [0, 1]",
            )

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """Independent answers, shape (size,)."""
        vector = np.eye(self.categories)[category(dataset, self.categories)]
        above = with_laplace(vector, self.scale(2.0), size, rng=rng) > self.threshold
        return np.asarray(above @ (1 << np.arange(self.categories)), dtype=np.int64)

    def counts(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """How often each answer came, shape (2^categories,)."""
        return np.bincount(self.sample(dataset, size, rng=rng), minlength=1 << self.categories)

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
        name = f"{kind}-histogram-encoding"
        registry.mechanisms.add(name, factory)
        claim = Claim(
            id=name,
            guarantee=PureDP(epsilon=claimed),
            relation="value",
            subject=name,
            parameters={"epsilon": 1.0, "categories": 4},
            space=SearchSpace(size=4, low=0.0, high=3.0),
            source=Source(paper="field's standard benchmark", locus=short),
            statement=f"{short} with noise for epsilon = 1 is {claimed:g}-DP for any two values.",
        )
        registry.add_entry(SuiteEntry(claim=claim, expectation="stands", suites=("core", "standard")))
        add_noise_deficit(registry, factory, claim)
