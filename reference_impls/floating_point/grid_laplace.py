"""Laplace noise on a grid: whole multiples of one power of two are added to an answer that was rounded to them.

The discrete Laplace (two-sided geometric) mechanism: Ghosh, Roughgarden, Sundararajan, "Universally Utility-Maximizing
Privacy Mechanisms" (STOC 2009); on a grid of step g as Google's and OpenDP's libraries add Laplace noise. Sums of
multiples of g below 2^53 g are exact, so no rounding depends on the answer. Answers at most 1 apart stay so when they
are rounded (1 is a multiple of g), and the noise's weights fall by e^(-g epsilon) a step: epsilon-DP with exact noise.

The noise here is the difference of two of numpy's geometric draws, which invert an exponential draw: its edges are off
by 2^-52 of a place, among some 10^6 places that ever come, so each law is off by less than 1e-9 in total variation
together; the claim is (epsilon, 1e-9)-DP. Not to be confused with rounding the sum, which `float_laplace` does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.definitions.pure_dp import ApproxDP
from reference_impls.mechanisms.inputs import Float, single_answer
from reference_impls.mechanisms.mechanism_claims import add_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled

GRID = 2.0**-10


@dataclass(frozen=True, slots=True, kw_only=True)
class GridLaplace(EpsilonScaled):
    """Subject ``grid-laplace``. Data sets: one query answer; outputs: float64 multiples of 2^-10, shape (size,)."""

    def query(self, dataset: Dataset) -> Float:
        """The answer, rounded to the grid, shape (1,)."""
        return np.rint(single_answer(dataset) / GRID) * GRID

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy answers, shape (size,)."""
        stop = -math.expm1(-GRID / self.scale(1.0))
        steps = rng.geometric(stop, size=size) - rng.geometric(stop, size=size)
        return self.query(dataset) + steps * GRID


def register(registry: Registry) -> None:
    """Register the mechanism and its claim."""
    registry.mechanisms.add("grid-laplace", GridLaplace)
    add_claim(
        registry,
        "grid-laplace",
        "stands",
        guarantee=ApproxDP(epsilon=0.1, delta=1e-9),
        parameters={"epsilon": 0.1},
        relation="one-query",
        size=1,
        source=("Ghosh et al. 2009", "section 2"),
        statement="A query of sensitivity 1, rounded, with discrete Laplace noise on that grid is (epsilon, 1e-9)-DP.",
        suites=("floating-point",),
    )
