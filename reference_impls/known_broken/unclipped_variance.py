"""A variance whose records are clipped into a new array, and then taken from the old one.

Wrong line: ``np.cov(raw)`` right after ``clipped = np.clip(raw, ...)``. Source: SmartNoise's DPcovariance, which
censors its data and releases the covariance of the data as they came (smartnoise-sdk issue 622, mended in 624). One
column is enough: the covariance of a column with itself is its variance. For n records in [low, high], one of them
replaced, the sample variance (over n - 1) moves by at most (high - low)^2 / n, which the noise is scaled to.

True epsilon: the square of the records' own range over the range assumed, times epsilon (`true_epsilon`): 25 epsilon
for records up to 5 and a range of [-1, 1]. Beside `unclipped_sum.py`: there the clipping is missing, here it is lost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Finite
from dpverify.core.subjects import Dataset, Guarantee
from dpverify.definitions.number_bounds import SensitivityBound
from dpverify.definitions.pure_dp import PureDP
from reference_impls.mechanisms.inputs import Float, records
from reference_impls.mechanisms.laplace_on_query import LaplaceOnNumber
from reference_impls.mechanisms.mechanism_claims import add_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled

SIZE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class UnclippedVariance(EpsilonScaled, LaplaceOnNumber):
    """Subject ``unclipped-variance``. Data sets: at least two numeric records; outputs: float64, shape (size,).

    Attributes
    ----------
    low, high : float
        The range that records are clipped to, in an array that nothing reads.
    """

    low: Finite = -1.0
    high: Finite = 1.0

    def validate(self) -> None:
        """The range is not empty."""
        if not self.low < self.high:
            raise InputError(f"range [{self.low}, {self.high}]", allowed="low < high")

    def query(self, dataset: Dataset) -> Float:
        """The sample variance of the records as they come, shape (1,)."""
        raw = records(dataset)
        if raw.size < 2:
            raise InputError(f"{raw.size} records", allowed="at least two")
        clipped = np.clip(raw, self.low, self.high)
        del clipped  # the bug: this one was meant
        return np.array([np.cov(raw)])

    def laplace_scale(self, dataset: Dataset) -> float:
        """For records that are clipped; their number is public."""
        return self.scale((self.high - self.low) ** 2 / records(dataset).size)


def true_epsilon(epsilon: float, spread: float, assumed: float) -> float:
    """(spread / assumed)^2 epsilon, for records that spread over a range of one width and a range assumed."""
    return (spread / assumed) ** 2 * epsilon


def register(registry: Registry) -> None:
    """Register the mechanism, its privacy claim and its sensitivity claim."""
    registry.known_broken.add("unclipped-variance", UnclippedVariance)
    _add(registry, "privacy", PureDP(epsilon=1.0), "A variance with noise for records in [-1, 1] is epsilon-DP.")
    bound = SensitivityBound(bound=4.0 / SIZE, norm="l1")
    _add(registry, "sensitivity", bound, "The variance has the sensitivity of its noise.")


def _add(registry: Registry, kind: str, guarantee: Guarantee, statement: str) -> None:
    add_claim(
        registry,
        f"unclipped-variance-{kind}",
        "broken",
        guarantee=guarantee,
        parameters={"epsilon": 1.0, "low": -1.0, "high": 1.0},
        relation="replace",
        size=SIZE,
        low=-5.0,
        high=5.0,
        subject="unclipped-variance",
        source=("SmartNoise", "smartnoise-sdk issue 622"),
        statement=statement,
    )
