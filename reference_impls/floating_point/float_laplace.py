"""The Laplace mechanism by inversion, in doubles and in singles: which outputs are possible depends on the answer.

Wrong line: ``answer + noise``, both floats, rounded to the grid of the sum. Source: Mironov, "On Significance of the
Least Significant Bits for Differential Privacy" (CCS 2012), section 4; the inversion is numpy's (``Generator.laplace``)
and that of most textbooks: u uniform on the multiples of 2^-53, log(2 u) or -log(2 - 2 u) times the scale. DP-Sniper
(S&P 2021) shows epsilon >= 0.252 where 0.1 is claimed.

True epsilon: infinite. At the answers 0 and 1: outputs within 1/4 of 0 are multiples of 2^-53 when the answer is 1, for
so are 1 and all noise in [-2, -1/2]; when it is 0 the output is the noise, whose last bits lie lower in all binades
below. Such outputs come with probability (1 - e^(-1 / (4 scale))) / 2 and more (`impossible_at_least`), far above any
delta. The same in single precision, with 2^-24 for 2^-53.

Limits: one query. What an event of a histogram sees of it is nothing: in real numbers the mechanism is sound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from reference_impls.mechanisms.inputs import Float, single_answer
from reference_impls.mechanisms.mechanism_claims import add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled

Number = TypeVar("Number", np.float32, np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatLaplace(EpsilonScaled):
    """Subject ``float-laplace``. Data sets: one query answer; outputs: float64, shape (size,)."""

    def query(self, dataset: Dataset) -> Float:
        """The answer, shape (1,)."""
        return single_answer(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy answers, shape (size,)."""
        return single_answer(dataset) + self.scale(1.0) * inverted(_uniform(53, size, rng))


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleLaplace(EpsilonScaled):
    """Subject ``single-precision-laplace``. Data sets: one query answer; outputs: float32, shape (size,)."""

    BITS: ClassVar[int] = 24

    def query(self, dataset: Dataset) -> Float:
        """The answer, shape (1,)."""
        return single_answer(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[np.float32]:
        """Independent noisy answers, shape (size,)."""
        uniform = _uniform(self.BITS, size, rng).astype(np.float32)
        noisy: NDArray[np.float32] = single_answer(dataset).astype(np.float32) + self._single_scale * inverted(uniform)
        return noisy

    @property
    def _single_scale(self) -> np.float32:
        return np.float32(self.scale(1.0))


def inverted(uniform: NDArray[Number]) -> NDArray[Number]:
    """Laplace noise of scale 1 from uniforms in (0, 1), in their own precision."""
    noise: NDArray[Number] = np.where(uniform >= 0.5, -np.log(2 - uniform - uniform), np.log(uniform + uniform))
    return noise


def _uniform(bits: int, size: int, rng: np.random.Generator) -> Float:
    """Multiples of 2^-bits in (0, 1): exact in doubles, and in singles for 24 bits."""
    return np.asarray(rng.integers(1, 2**bits, size=size) * 2.0**-bits)


def impossible_at_least(scale: float) -> float:
    """A lower bound on how often an output at answer 0 is impossible at 1: half of what comes within 1/4 of 0.

    Half, for the last bits of the noise of one binade are as often set as not.
    """
    return -math.expm1(-0.25 / scale) / 2.0


def register(registry: Registry) -> None:
    """Register both and their broken claims."""
    for subject, factory, words in (
        ("float-laplace", FloatLaplace, "by inversion in doubles"),
        ("single-precision-laplace", SingleLaplace, "by inversion in single precision"),
    ):
        registry.known_broken.add(subject, factory)
        add_pure_claim(
            registry,
            subject,
            "broken",
            relation="one-query",
            size=1,
            source=("Mironov 2012", "section 4"),
            statement=f"A query of sensitivity 1 with Lap(1/epsilon) {words} is epsilon-DP.",
            suites=("floating-point",),
        )
