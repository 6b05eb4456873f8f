"""k-ary randomised response: tell the truth with weight e^epsilon, any other value with weight 1.

Warner (1965) for k = 2; Kairouz, Oh, Viswanath (2014) for k values, also called generalised randomised response (GRR).
Exactly epsilon-DP for any two values (local model), and finite, so that the claim can be certified by enumeration.
Not to be confused with the unary encodings (SUE, OUE), which answer with a vector of bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.rules import Between
from dpverify.core.subjects import Dataset
from dpverify.laws.discrete import DiscreteLaw
from reference_impls.mechanisms.inputs import Integer, category
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomisedResponse(EpsilonScaled):
    """Subject ``randomised-response``. Data sets: one value in 0..categories-1; outputs: int64, shape (size,).

    The multiplier acts on 1 / epsilon, which is what stands for a noise scale here.

    Attributes
    ----------
    categories : int
        k, at least 2.
    """

    categories: Annotated[int, Between(2, math.inf)] = 4

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """Independent answers: the truth, or one of the others uniformly."""
        truth = category(dataset, self.categories)
        lie = (self.categories - 1) * math.exp(-self.epsilon / self.noise_multiplier)
        honest = rng.random(size) < 1.0 / (1.0 + lie)
        other = (truth + rng.integers(1, self.categories, size=size)) % self.categories
        return np.where(honest, truth, other)

    def counts(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """How often each value was answered, shape (categories,)."""
        return np.bincount(self.sample(dataset, size, rng=rng), minlength=self.categories)

    def output_law(self, dataset: Dataset) -> DiscreteLaw:
        """Weight e^(epsilon / multiplier) on the truth, 1 on every other value."""
        truth = category(dataset, self.categories)
        weight = Fraction(self.epsilon) / Fraction(self.noise_multiplier)
        return DiscreteLaw.from_log_weights([weight if i == truth else 0.0 for i in range(self.categories)])


def register(registry: Registry) -> None:
    """Register the mechanism, its claim at epsilon 1 with four values, and its noise deficit."""
    registry.mechanisms.add("randomised-response", RandomisedResponse)
    add_pure_claim(
        registry,
        "randomised-response",
        "stands",
        relation="value",
        size=4,
        low=0.0,
        high=3.0,
        epsilon=1.0,
        parameters={"categories": 4},
        source=(BENCHMARK, "GRR"),
        statement="k-ary randomised response is epsilon-DP for any two values.",
        noise_deficit="broken",
    )
