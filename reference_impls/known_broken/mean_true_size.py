"""Means that use the true number of records, although adding or removing one is what neighbours do.

Wrong line: ``len(records)`` in the mean, in the noise scale, or in both, where only a noisy count may be used
(`mechanisms/noisy_mean.py`). Source: dp_auditorium's four mean mechanisms (Kong, Munoz Medina, Ribero, Syed,
"DP-Auditorium", 2023), of which the sound one is the fourth; the same bug in the wild is Opacus' expected batch
size, rate x len(data) (opacus issue 571). The noise is the range times k / epsilon over the number, k = 1
(Laplace) or sqrt(2 ln(1.25 / delta)) (Gaussian); whoever uses a noisy count has half of epsilon left for the
mean.

True epsilon: infinite wherever the *scale* is the true one (two scales: the ratio of the tails has no bound).
With true mean and noisy scale it is 1.303 at epsilon = 0.1 (Laplace; no record against one), 1.193 at 1, and
below the claim at 2; with Gaussian noise delta(0.1) is 0.026 for the 1e-5 claimed, while at epsilon = 0.5 this
pair meets the claim. So the claims here are at 0.1. Sizes below 1 count as 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import BelowOne
from dpverify.core.subjects import Dataset, Guarantee
from dpverify.core.transcript import NoiseLaw
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.recording.tape import Tape
from reference_impls.mechanisms.additive_noise import with_gaussian, with_laplace
from reference_impls.mechanisms.inputs import Float
from reference_impls.mechanisms.mechanism_claims import add_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.noisy_mean import sum_and_size
from reference_impls.mechanisms.replayable import Replayable

Size = Literal["true", "noisy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanTrueSize(EpsilonScaled, Replayable):
    """Subject ``mean-true-size``. Data sets: numeric records; outputs: float64, shape (size,).

    Attributes
    ----------
    mean_size, scale_size : "true" or "noisy"
        Which number of records divides the sum, and which one the noise scale; not both noisy.
    delta : float
        0 for Laplace noise, else Gaussian noise for this delta.
    low, high : float
        Records are clamped to this range.
    """

    mean_size: Size = "true"
    scale_size: Size = "true"
    delta: BelowOne = 0.0
    low: float = 0.0
    high: float = 1.0

    def validate(self) -> None:
        """At least one of the two sizes is the true one, and the range is not empty."""
        if self.mean_size == self.scale_size == "noisy":
            raise InputError("a noisy count in both places", allowed="at least one true", remedy="that one is sound")
        if not self.low < self.high:
            raise InputError(f"range [{self.low}, {self.high}]", allowed="low < high")

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy means, shape (size,)."""
        total, number = sum_and_size(dataset, self.low, self.high)
        shares = 1.0 if self.mean_size == self.scale_size == "true" else 2.0
        sizes = {"true": np.full(size, max(number, 1.0)), "noisy": np.empty(0)}
        if shares == 2.0:
            noisy = with_laplace(np.array([number]), self.scale(2.0), size, rng=rng)[:, 0]
            sizes["noisy"] = np.maximum(noisy, 1.0)
        factor = math.sqrt(2.0 * math.log(1.25 / self.delta)) if self.delta > 0 else 1.0
        scale = self.scale(factor * shares * (self.high - self.low))
        draw = with_gaussian if self.delta > 0 else with_laplace
        noise = draw(np.zeros(1), scale, size, rng=rng)[:, 0]
        return np.asarray(total / sizes[self.mean_size] + noise / sizes[self.scale_size])

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """One noisy mean; a noisy count stays hidden."""
        total, number = sum_and_size(dataset, self.low, self.high)
        shares = 1.0 if self.mean_size == self.scale_size == "true" else 2.0
        sizes = {"true": max(float(number), 1.0)}
        if shares == 2.0:
            count = tape.perturb(
                "number", number, law="laplace", scale=self.scale(2.0), sensitivity=1.0, released=False
            )
            sizes["noisy"] = max(float(count[0]), 1.0)
        factor = math.sqrt(2.0 * math.log(1.25 / self.delta)) if self.delta > 0 else 1.0
        scale = self.scale(factor * shares * (self.high - self.low)) / sizes[self.scale_size]
        law: NoiseLaw = "gaussian" if self.delta > 0 else "laplace"
        return tape.perturb("mean", total / sizes[self.mean_size], law=law, scale=scale)


def register(registry: Registry) -> None:
    """Register the mechanism and six broken claims: where the true number is used, and which noise."""
    registry.known_broken.add("mean-true-size", MeanTrueSize)
    uses: tuple[tuple[Size, Size], ...] = (("true", "true"), ("noisy", "true"), ("true", "noisy"))
    for mean_size, scale_size in uses:
        _add(registry, mean_size, scale_size, "laplace", 0.0)
        _add(registry, mean_size, scale_size, "gaussian", 1e-5)


def _add(registry: Registry, mean_size: Size, scale_size: Size, noise: str, delta: float) -> None:
    epsilon = 0.1
    guarantee: Guarantee = ApproxDP(epsilon=epsilon, delta=delta) if delta > 0 else PureDP(epsilon=epsilon)
    add_claim(
        registry,
        f"mean-true-size-{mean_size}-{scale_size}-{noise}",
        "broken",
        guarantee=guarantee,
        parameters={"epsilon": epsilon, "delta": delta, "mean_size": mean_size, "scale_size": scale_size},
        relation="add-remove",
        size=2 if scale_size == "true" else 1,
        low=0.0,
        high=1.0,
        subject="mean-true-size",
        source=("dp_auditorium", f"mean, {mean_size} count in the mean, {scale_size} in the scale"),
        statement=f"A mean with a {mean_size} count and a noise scale from a {scale_size} count meets the bound.",
    )
