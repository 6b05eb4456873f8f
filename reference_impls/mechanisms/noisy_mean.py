"""A mean that hides the number of records: (sum + noise) / (number + noise), half of epsilon each.

dp_auditorium's mean with a noisy count both in the mean and in the noise scale (Kong, Munoz Medina, Ribero,
Syed, "DP-Auditorium", 2023): values are clamped to [low, high]; the sum gets Laplace noise of scale 2 (high -
low) / epsilon and the count Lap(2 / epsilon), at least 1 afterwards; the quotient is post-processing.
epsilon-DP when a record is added or removed and max(|low|, |high|) <= high - low. Its three variants that use
the true number somewhere are known broken (`known_broken/mean_true_size.py`).

The law is known in cells of the quotient (`output_law`). They show that the whole epsilon is spent, in the far tail
below 0: there the count sits at its floor and both halves add up. So 90 % of the noise breaks the claim (1.111 at
epsilon = 1), however little the quotient shows near its centre, where sampling looks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.laws.coarse import CoarseLaw
from dpverify.laws.laplace_quotient import LaplaceQuotient
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.inputs import Float, records
from reference_impls.mechanisms.mechanism_claims import add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled

_OUTWARD = np.array([0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
EDGES = np.concatenate([-_OUTWARD[::-1], [0.0], _OUTWARD])
"""Where the quotient is cut, in noise scales of the sum: dense where the mass is, far out where the cost is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMean(EpsilonScaled):
    """Subject ``noisy-mean``. Data sets: numeric records; outputs: float64, shape (size,).

    Attributes
    ----------
    low, high : float
        Records are clamped to this range; max(|low|, |high|) <= high - low.
    """

    low: float = 0.0
    high: float = 1.0

    def validate(self) -> None:
        """The range holds 0, or lies no farther from it than it is wide."""
        if not max(abs(self.low), abs(self.high)) <= self.high - self.low < np.inf:
            raise InputError(
                f"range [{self.low}, {self.high}]",
                allowed="finite, with max(|low|, |high|) <= high - low",
                remedy="centre the records, or widen the range to hold 0",
            )

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy means, shape (size,)."""
        noisy = with_laplace(sum_and_size(dataset, self.low, self.high), self._scales(), size, rng=rng)
        return noisy[:, 0] / np.maximum(noisy[:, 1], 1.0)

    def output_law(self, dataset: Dataset) -> CoarseLaw:
        """The law of the cell of `EDGES` that the quotient falls into: its divergences are lower bounds."""
        total, number = sum_and_size(dataset, self.low, self.high).tolist()
        numerator_scale, denominator_scale = self._scales().tolist()
        quotient = LaplaceQuotient(
            numerator=total,
            denominator=number,
            numerator_scale=numerator_scale,
            denominator_scale=denominator_scale,
        )
        return quotient.cells(numerator_scale * EDGES)

    def _scales(self) -> Float:
        return np.array([self.scale(2.0 * (self.high - self.low)), self.scale(2.0)])


def sum_and_size(dataset: Dataset, low: float, high: float) -> Float:
    """(sum of the records clamped to [low, high], number of records), shape (2,)."""
    values = np.clip(records(dataset), low, high)
    return np.array([values.sum(), values.size])


def register(registry: Registry) -> None:
    """Register the mechanism, its claim and its noise deficit."""
    registry.mechanisms.add("noisy-mean", NoisyMean)
    add_pure_claim(
        registry,
        "noisy-mean",
        "stands",
        relation="add-remove",
        size=3,
        low=0.0,
        high=1.0,
        epsilon=1.0,
        parameters={"low": 0.0, "high": 1.0},
        source=("dp_auditorium", "mean, noisy count and noisy scale"),
        statement="A mean from a noisy sum and a noisy count is epsilon-DP.",
        noise_deficit="broken",
    )
