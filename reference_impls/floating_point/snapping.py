"""The snapping mechanism: Laplace noise in doubles, rounded to a grid so coarse that their low bits are gone.

Mironov, "On Significance of the Least Significant Bits for Differential Privacy" (CCS 2012), section 5.2: clamp_B(round
to the nearest multiple of L (clamp_B(q) + S lambda ln U)), where S is a fair sign, U is uniform on (0, 1) with every
double as likely as the reals that round to it, and L is the least power of two that is not below lambda.

What it costs, derived here (the paper's bound is another): in real numbers rounding and clamping are post-processing,
so 1 / lambda. In doubles an output is an interval of U whose ends are moved. A logarithm off by at most one unit in
the last place, a product and a sum move an end, seen as an answer, by less than s = 2^-48 B: 2^-51 of noise of at most
2 B + L, 2^-53 of a sum of at most B + L, 2^-52 lambda for the grid of U, with L <= B. Moving both ends of an interval
of length L >= lambda, or the end of a tail, by s changes its probability by a factor of at most 1 + 2.2 s / lambda,
under either answer. So epsilon <= 1 / lambda + 2^-45 B / lambda (`epsilon_of`; factors of second order and answers one
apart but for their last bit are in what is left of the power).

Limits: one query of sensitivity 1; far more noise than grid points for small epsilon. Not to be confused with rounding
the *noise*, which leaves a grid that is moved by the answer.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.laws.balls import exact_ball
from dpverify.laws.discrete import DiscreteLaw
from reference_impls.mechanisms.inputs import Float, single_answer
from reference_impls.mechanisms.mechanism_claims import add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled

MOVED = 2.0**-48
"""By how much of B an end of an interval is moved at most."""

MOST_SCALES = 16.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapping(EpsilonScaled):
    """Subject ``snapping``. Data sets: one query answer; outputs: float64 multiples of the grid, shape (size,).

    Attributes
    ----------
    bound : float
        B: answers and outputs are clamped to [-B, B]; a multiple of the grid, and at most 16 noise scales, so that
        noise of 2 B + L comes with U above 2^-50, far from where the binades of U end.
    """

    bound: float = 64.0

    def validate(self) -> None:
        """The bound is a multiple of the grid, and within what doubles can hold exactly."""
        if not (self.grid <= self.bound <= MOST_SCALES * self.scale(1.0) and self.bound % self.grid == 0):
            raise InputError(
                f"bound = {self.bound}",
                allowed=f"a multiple of the grid, {self.grid:g} here, and at most {MOST_SCALES:g} noise scales",
            )

    @property
    def grid(self) -> float:
        """The least power of two that is not below the noise's scale."""
        fraction, exponent = math.frexp(self.scale(1.0))
        return math.ldexp(1.0, exponent - (fraction == 0.5))

    def query(self, dataset: Dataset) -> Float:
        """The answer, clamped, shape (1,)."""
        return np.clip(single_answer(dataset), -self.bound, self.bound)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent outputs, shape (size,)."""
        signs = 2.0 * rng.integers(0, 2, size=size) - 1.0
        noisy = self.query(dataset) + signs * (self.scale(1.0) * np.log(full_uniform(size, rng=rng)))
        return np.clip(np.rint(noisy / self.grid) * self.grid, -self.bound, self.bound) + 0.0  # no negative zero

    def output_law(self, dataset: Dataset) -> DiscreteLaw:
        """Exact, in balls as wide as the ends may be moved: the outcomes are -B, -B + L, ..., B."""
        answer, scale = float(self.query(dataset)[0]), self.scale(1.0)
        steps = round(self.bound / self.grid)
        moved = 4.0 * MOVED * self.bound / scale

        def beyond(place: float) -> flint.arb:  # on its far side: the smaller one, so that nothing cancels
            return exact_ball(-abs(Fraction(place) - Fraction(answer)) / Fraction(scale)).exp() / 2

        def between(low: float, high: float) -> flint.arb:
            if low < answer < high:
                return 1 - beyond(low) - beyond(high)
            return beyond(low) - beyond(high) if answer <= low else beyond(high) - beyond(low)

        def enclose() -> list[flint.arb]:
            ends = [(k + 0.5) * self.grid for k in range(-steps, steps)]
            lowest = beyond(ends[0]) if ends[0] <= answer else 1 - beyond(ends[0])
            highest = beyond(ends[-1]) if ends[-1] >= answer else 1 - beyond(ends[-1])
            inner = [between(low, high) for low, high in itertools.pairwise(ends)]
            return [share * flint.arb(1, moved) for share in (lowest, *inner, highest)]

        return DiscreteLaw.from_balls(enclose)


def full_uniform(size: int, *, rng: np.random.Generator) -> Float:
    """Uniform on (0, 1), a double as likely as what is rounded down to it: shape (size,).

    The binade [2^-(z + 1), 2^-z) comes with probability 2^-(z + 1) for z below 63 (the rest, 2^-63, goes to z = 63).
    """
    words = rng.integers(0, 2**63, size=size, dtype=np.int64) | np.int64(-(2**63))
    zeros = np.frexp((words & -words).astype(np.float64))[1] - 1  # of trailing zeros, 63 at most
    return np.asarray(np.ldexp(1.0 + rng.integers(0, 2**52, size=size) * 2.0**-52, -1 - zeros))


def epsilon_of(scale: float, bound: float) -> float:
    """What the mechanism costs at sensitivity 1; never below the truth."""
    return math.nextafter((1.0 + 2.0**-45 * bound) / scale, math.inf)


def register(registry: Registry) -> None:
    """Register the mechanism and its claim."""
    registry.mechanisms.add("snapping", Snapping)
    mechanism = Snapping(epsilon=0.1)
    add_pure_claim(
        registry,
        "snapping",
        "stands",
        relation="one-query",
        size=1,
        low=-64.0,
        high=64.0,
        claimed=epsilon_of(mechanism.scale(1.0), mechanism.bound),
        parameters={"bound": mechanism.bound},
        source=("Mironov 2012", "section 5.2"),
        statement="The snapping mechanism with Lap(lambda) and bound B is (1 + 2^-45 B) / lambda-DP.",
        suites=("floating-point",),
    )
