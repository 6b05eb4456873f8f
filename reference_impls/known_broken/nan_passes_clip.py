"""A noisy sum of square roots, clipped to [0, 1], that a negative record turns into NaN.

Wrong line: ``np.clip(np.sqrt(records), 0, 1)``: clipping keeps NaN, the sum becomes NaN, and no noise changes that.
Source: dp-recorder (PETS 2026), NaN through np.clip; google/differential-privacy pull request 405 (ClampFloat64). One
negative record shows with certainty: true epsilon infinite.

Outputs must be finite numbers here, so a release is two of them: the noisy sum, or 0 where it is NaN, and whether it
is NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.laws.coarse import CoarseLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.recording.tape import Tape
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.inputs import Float, records
from reference_impls.mechanisms.mechanism_claims import add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.replayable import Replayable


@dataclass(frozen=True, slots=True, kw_only=True)
class NanPassesClip(EpsilonScaled, Replayable):
    """Subject ``nan-passes-clip``. Data sets: numeric records; outputs: float64 (noisy sum, is it NaN), (size, 2)."""

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy sums with their flags, shape (size, 2)."""
        noisy = with_laplace(np.array([self._sum(dataset)]), self.scale(1.0), size, rng=rng)
        lost = np.isnan(noisy)
        return np.concatenate([np.where(lost, 0.0, noisy), lost], axis=1)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """One noisy sum and its flag."""
        noisy = tape.perturb("sum", self._sum(dataset), law="laplace", scale=self.scale(1.0), sensitivity=1.0)
        lost = np.isnan(noisy)
        return np.append(np.where(lost, 0.0, noisy), lost)

    def output_law(self, dataset: Dataset) -> CoarseLaw:
        """The law of the flag alone, which is certain."""
        lost = math.isnan(self._sum(dataset))
        return CoarseLaw(cells=DiscreteLaw.from_fractions([Fraction(not lost), Fraction(lost)]))

    def _sum(self, dataset: Dataset) -> float:
        with np.errstate(invalid="ignore"):
            roots = np.sqrt(records(dataset))
        return float(np.clip(roots, 0.0, 1.0).sum())


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("nan-passes-clip", NanPassesClip)
    add_pure_claim(
        registry,
        "nan-passes-clip",
        "broken",
        relation="add-remove",
        size=3,
        low=-1.0,
        high=1.0,
        epsilon=1.0,
        source=("dp-recorder", "NaN through np.clip"),
        statement="A noisy sum of square roots clipped to [0, 1] is epsilon-DP.",
    )
