"""Unary encoding: a value as a vector with a single 1, each bit of which is flipped on its own.

SUE (symmetric; basic RAPPOR of Erlingsson, Pihur, Korolova 2014): every bit is kept with probability
e^(epsilon/2) / (e^(epsilon/2) + 1). OUE (optimised; Wang, Blocki, Li, Jha, USENIX Security 2017, section 4.3): the 1 is
kept with probability 1/2, and a 0 becomes 1 with probability 1 / (e^epsilon + 1). Both are exactly epsilon-DP for any
two values (local model), since two vectors differ in two bits; the alphabet of 2^categories vectors is small here, and
the claim is certified by enumeration.

Not to be confused with `rappor.py`, which encodes by a Bloom filter, nor with randomised response, which answers with
one value. The multiplier acts on 1 / epsilon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.laws.discrete import DiscreteLaw
from reference_impls.mechanisms.encoding import BitEncoding, add_encoding
from reference_impls.mechanisms.inputs import category


@dataclass(frozen=True, slots=True, kw_only=True)
class SymmetricUnaryEncoding(BitEncoding):
    """Subject ``symmetric-unary-encoding``. Data sets: one value in 0..categories-1; outputs: int64, shape (size,)."""

    def log_odds(self) -> tuple[Fraction, Fraction]:
        """Log-odds of keeping the 1, and of keeping a 0."""
        half = Fraction(self.epsilon) / Fraction(self.noise_multiplier) / 2
        return half, half

    def bits(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Independent noisy vectors, shape (size, categories)."""
        truth = category(dataset, self.categories)
        one, zero = (1.0 / (1.0 + math.exp(-odds)) for odds in self.log_odds())
        chances = np.full(self.categories, 1.0 - zero)
        chances[truth] = one
        return np.asarray(rng.random((size, self.categories)) < chances)

    def output_law(self, dataset: Dataset) -> DiscreteLaw:
        """Exact log-weights: the log-odds of every bit that was kept; the same multiset for all values."""
        truth = category(dataset, self.categories)
        one, zero = self.log_odds()
        weights = []
        for vector in range(1 << self.categories):
            zeros = self.categories - 1 - (vector & ~(1 << truth)).bit_count()
            weights.append(zeros * zero + (one if vector >> truth & 1 else 0))
        return DiscreteLaw.from_log_weights(weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizedUnaryEncoding(SymmetricUnaryEncoding):
    """Subject ``optimized-unary-encoding``: a fair coin for the 1, all of epsilon for the zeros."""

    def log_odds(self) -> tuple[Fraction, Fraction]:
        """Log-odds of keeping the 1, and of keeping a 0."""
        return Fraction(0), Fraction(self.epsilon) / Fraction(self.noise_multiplier)


def register(registry: Registry) -> None:
    """Register both mechanisms, their claims for four values, and their noise deficits."""
    faces = (("symmetric", SymmetricUnaryEncoding, "SUE"), ("optimized", OptimizedUnaryEncoding, "OUE"))
    for kind, factory, short in faces:
        statement = f"{short} is epsilon-DP for any two values."
        add_encoding(registry, f"{kind}-unary-encoding", factory, short=short, claimed=1.0, statement=statement)
