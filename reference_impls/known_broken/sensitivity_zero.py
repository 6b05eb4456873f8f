"""A bounded sum whose sensitivity comes from the lower bound twice, which makes it 0 for records in [0, 100].

Wrong line: ``max(abs(lower), abs(lower))``. Source: diffprivlib's LinearRegression
(IBM/differential-privacy-library issues 104, 105, 110); synthcity's PrivBayes had a sensitivity that evaluates
to 0 as well (dp-recorder, PETS 2026). With a lower bound of 0 there is no noise at all: true epsilon infinite,
and the sensitivity claimed by the code is 0 instead of 100.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.rules import Finite
from dpverify.core.subjects import Dataset, Guarantee
from dpverify.definitions.number_bounds import SensitivityBound
from dpverify.definitions.pure_dp import PureDP
from dpverify.recording.tape import Tape
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.inputs import Float, records
from reference_impls.mechanisms.mechanism_claims import add_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.replayable import Replayable


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityZero(EpsilonScaled, Replayable):
    """Subject ``sensitivity-zero``. Data sets: numeric records; outputs: float64, shape (size,).

    Attributes
    ----------
    lower, upper : float
        Records are clamped to this range.
    """

    lower: Finite = 0.0
    upper: Finite = 100.0

    def sensitivity(self) -> float:
        """What the code takes for the L1 sensitivity of the sum when a record is added or removed."""
        return max(abs(self.lower), abs(self.lower))

    def query(self, dataset: Dataset) -> Float:
        """The sum of the clamped records, shape (1,)."""
        return np.array([np.clip(records(dataset), self.lower, self.upper).sum()])

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent "noisy" sums, shape (size,)."""
        return with_laplace(self.query(dataset), self.scale(self.sensitivity()), size, rng=rng)[:, 0]

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """One "noisy" sum: at the default range there is no noise."""
        believed = self.sensitivity()
        return tape.perturb("sum", self.query(dataset), law="laplace", scale=self.scale(believed), sensitivity=believed)


def register(registry: Registry) -> None:
    """Register the mechanism, its privacy claim and its sensitivity claim."""
    registry.known_broken.add("sensitivity-zero", SensitivityZero)
    _add(registry, "privacy", PureDP(epsilon=1.0), "A clamped sum with noise for its sensitivity is epsilon-DP.")
    _add(registry, "sensitivity", SensitivityBound(bound=0.0, norm="l1"), "The clamped sum has the sensitivity used.")


def _add(registry: Registry, kind: str, guarantee: Guarantee, statement: str) -> None:
    add_claim(
        registry,
        f"sensitivity-zero-{kind}",
        "broken",
        guarantee=guarantee,
        parameters={"epsilon": 1.0, "lower": 0.0, "upper": 100.0},
        relation="add-remove",
        size=3,
        low=0.0,
        high=100.0,
        subject="sensitivity-zero",
        source=("diffprivlib", "issues 104, 105, 110"),
        statement=statement,
    )
