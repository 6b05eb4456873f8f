"""A mean that hides the number of records: (sum + noise) / (number + noise), half of epsilon each.

dp_auditorium's mean with a noisy count both in the mean and in the noise scale (Kong, Munoz Medina, Ribero,
Syed, "DP-Auditorium", 2023): values are clamped to [low, high]; the sum gets Laplace noise of scale 2 (high -
low) / epsilon and the count Lap(2 / epsilon), at least 1 afterwards; the quotient is post-processing.
epsilon-DP when a record is added or removed and max(|low|, |high|) <= high - low. Its three variants that use
the true number somewhere are known broken (`known_broken/mean_true_size.py` and neighbours). No noise deficit:
the quotient hides a tenth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.protocols import Dataset
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.calibrated import Calibrated, Float, records


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMean(Calibrated):
    """Subject ``noisy-mean``. Data sets: numeric records; outputs: float64, shape (size,).

    Attributes
    ----------
    low, high : float
        Records are clamped to this range; max(|low|, |high|) <= high - low.
    """

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        Calibrated.__post_init__(self)
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

    def _scales(self) -> Float:
        return np.array([self.scale(2.0 * (self.high - self.low)), self.scale(2.0)])


def sum_and_size(dataset: Dataset, low: float, high: float) -> Float:
    """(sum of the records clamped to [low, high], number of records), shape (2,)."""
    values = np.clip(records(dataset), low, high)
    return np.array([values.sum(), values.size])


def register(registry: Registry) -> None:
    """Register the mechanism and its claim."""
    registry.mechanisms.add("noisy-mean", NoisyMean)
    claim = Claim(
        id="noisy-mean",
        guarantee=PureDP(epsilon=1.0),
        relation="add-remove",
        subject="noisy-mean",
        parameters={"epsilon": 1.0, "low": 0.0, "high": 1.0},
        space=SearchSpace(size=3, low=0.0, high=1.0),
        source=Source(paper="dp_auditorium", locus="mean, noisy count and noisy scale"),
        statement="A mean from a noisy sum and a noisy count is epsilon-DP.",
    )
    registry.add_entry(SuiteEntry(claim=claim, expectation="stands", suites=("core", "standard")))
