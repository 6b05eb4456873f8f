"""Subset selection: the answer is a set of w values, e^epsilon times as likely to hold the truth as not to.

Wang, Wu, Hu, Huang, Wang, Wang, Zhao, Zhu, "Mutual Information Optimally Local Private Discrete Distribution
Estimation" (2016); Ye, Barg, "Optimal Schemes for Discrete Distribution Estimation Under Locally Differential
Privacy" (IEEE Trans. Inf. Theory 2018). w = the whole number nearest to k / (e^epsilon + 1), at least 1, where it is
randomised response. Exactly epsilon-DP for any two values (local model); all sets of one size are outcomes 0, 1 ... in
lexicographic order, few enough here to be certified by enumeration. The multiplier acts on 1 / epsilon, not on w.
"""

from __future__ import annotations

import itertools
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

_MOST = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsetSelection(EpsilonScaled):
    """Subject ``subset-selection``. Data sets: one value in 0..categories-1; outputs: int64 indices of sets, (size,).

    Attributes
    ----------
    categories : int
        k, 2 to 16.
    """

    categories: Annotated[int, Between(2, _MOST)] = 6

    def width(self) -> int:
        """w, the size of an answer."""
        return max(1, round(self.categories / (math.exp(self.epsilon) + 1.0)))

    def sets(self) -> list[tuple[int, ...]]:
        """The answers, in the order of their indices."""
        return list(itertools.combinations(range(self.categories), self.width()))

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """Independent answers: with or without the truth, then uniform among such sets."""
        truth, k, w = category(dataset, self.categories), self.categories, self.width()
        holding = np.array([truth in each for each in self.sets()])
        odds = w / (k - w) * math.exp(self.epsilon / self.noise_multiplier)  # of the truth being in the answer
        honest = rng.random(size) < odds / (1.0 + odds)
        out = rng.choice(np.flatnonzero(~holding), size)
        out[honest] = rng.choice(np.flatnonzero(holding), int(honest.sum()))
        return out.astype(np.int64)

    def counts(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """How often each set was answered, shape (k over w,)."""
        return np.bincount(self.sample(dataset, size, rng=rng), minlength=len(self.sets()))

    def output_law(self, dataset: Dataset) -> DiscreteLaw:
        """Weight e^(epsilon / multiplier) on sets with the truth, 1 on every other."""
        truth = category(dataset, self.categories)
        weight = Fraction(self.epsilon) / Fraction(self.noise_multiplier)
        return DiscreteLaw.from_log_weights([weight if truth in each else 0.0 for each in self.sets()])


def register(registry: Registry) -> None:
    """Register the mechanism, its claim at epsilon 1 with six values (sets of two), and its noise deficit."""
    registry.mechanisms.add("subset-selection", SubsetSelection)
    add_pure_claim(
        registry,
        "subset-selection",
        "stands",
        relation="value",
        size=6,
        low=0.0,
        high=5.0,
        epsilon=1.0,
        parameters={"categories": 6},
        source=(BENCHMARK, "SS"),
        statement="Subset selection is epsilon-DP for any two values.",
        noise_deficit="broken",
    )
