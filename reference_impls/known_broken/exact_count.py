"""A noisy sum released together with the exact number of records, although adding or removing one is the relation.

Wrong line: ``len(records)`` goes out as it is. Source: dp-recorder's list of toy bugs (PETS 2026), "len(data)"; the
reason behind Opacus issue 571 as well, and a fixed convention (not a bug) where only neighbours of equal size are
claimed. The sum alone is epsilon-DP; the number gives every neighbour away: true epsilon infinite.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.laws.coarse import CoarseLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.recording.tape import Tape
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.inputs import Float
from reference_impls.mechanisms.mechanism_claims import add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.noisy_mean import sum_and_size
from reference_impls.mechanisms.replayable import Replayable

_MOST = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactCount(EpsilonScaled, Replayable):
    """Subject ``exact-count``. Data sets: up to 64 numeric records; outputs: float64 (sum, number), (size, 2)."""

    def query(self, dataset: Dataset) -> Float:
        """The sum of the records clamped to [0, 1], and their number, shape (2,)."""
        return sum_and_size(dataset, 0.0, 1.0)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy sums beside the number of records, shape (size, 2)."""
        scales = np.array([self.scale(1.0), 0.0])
        return with_laplace(self.query(dataset), scales, size, rng=rng)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """One noisy sum and the number of records, which counts as public."""
        total, number = self.query(dataset)
        noisy = tape.perturb("sum", total, law="laplace", scale=self.scale(1.0), sensitivity=1.0)
        tape.publish("number of records", number)
        return np.append(noisy, number)

    def output_law(self, dataset: Dataset) -> CoarseLaw:
        """The law of the number alone: all its mass in one cell."""
        number = int(self.query(dataset)[1])
        if number > _MOST:
            raise InputError(f"{number} records", allowed=f"at most {_MOST}")
        return CoarseLaw(cells=DiscreteLaw.from_fractions([Fraction(cell == number) for cell in range(_MOST + 1)]))


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("exact-count", ExactCount)
    add_pure_claim(
        registry,
        "exact-count",
        "broken",
        relation="add-remove",
        size=3,
        low=0.0,
        high=1.0,
        epsilon=1.0,
        source=("dp-recorder", "len(data)"),
        statement="A noisy sum and the number of records are epsilon-DP together.",
    )
