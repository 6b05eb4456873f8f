"""A median by the exponential mechanism: a number of [low, high], likelier the nearer it is to the middle record.

Dwork and Roth, "The Algorithmic Foundations of Differential Privacy" (2014), section 3.4; Smith, "Privacy-preserving
statistical estimation with optimal convergence rates" (STOC 2011). A number's score is -|records below it - n / 2|.
Replacing a record moves the score by at most 1 everywhere, so the density e^(epsilon score / 2) is epsilon-DP under
``replace``: half of the exponent pays for the constant that makes it a density.

The score is constant between records: one of the n + 1 gaps is drawn by its weight, then a uniform number in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Finite
from dpverify.core.subjects import Dataset
from reference_impls.mechanisms.inputs import Float, records
from reference_impls.mechanisms.mechanism_claims import add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentialMedian(EpsilonScaled):
    """Subject ``exponential-median``. Data sets: numeric records; outputs: float64, shape (size,).

    Attributes
    ----------
    low, high : float
        Records are clamped to this range, and outputs lie in it.
    """

    low: Finite = 0.0
    high: Finite = 10.0

    factor: ClassVar[float] = 0.5
    """Of epsilon times the score, in the exponent."""

    def validate(self) -> None:
        """The range is not empty."""
        if not self.low < self.high:
            raise InputError(f"range [{self.low}, {self.high}]", allowed="low < high")

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent medians, shape (size,)."""
        ends, masses = self.gaps(dataset)
        gap = rng.choice(masses.size, size, p=masses)
        return np.asarray(ends[gap] + rng.random(size) * np.diff(ends)[gap])

    def gaps(self, dataset: Dataset) -> tuple[Float, Float]:
        """Ends of the gaps, shape (n + 2,), and the probability of each gap, shape (n + 1,)."""
        ends = np.sort(np.clip(np.concatenate([records(dataset), [self.low, self.high]]), self.low, self.high))
        width, half = np.diff(ends), (ends.size - 2) / 2.0
        score = -np.abs(np.arange(width.size) - half)
        weight = width * np.exp(self.factor * self.epsilon / self.noise_multiplier * (score - score[width > 0].max()))
        return ends, weight / weight.sum()


def register(registry: Registry) -> None:
    """Register the mechanism and its claim."""
    registry.mechanisms.add("exponential-median", ExponentialMedian)
    add_pure_claim(
        registry,
        "exponential-median",
        "stands",
        relation="replace",
        size=4,
        low=0.0,
        high=10.0,
        epsilon=1.0,
        source=("Dwork and Roth 2014", "section 3.4"),
        statement="The median by the exponential mechanism is epsilon-DP where a record is replaced.",
    )
