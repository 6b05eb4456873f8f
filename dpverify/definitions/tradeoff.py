"""f-differential privacy for any convex piecewise-linear curve f (Dong, Roth, Su 2019, arXiv 1905.02383, section 2).

f(alpha) bounds from below the false-negative rate of any test with false-positive rate alpha under D', from D to D';
for (D', D) the bound is the inverse of f, so the curve need not be symmetric. Every finite alphabet and every PLD on a
grid gives such a curve. Exact: the profile is the largest value over the curve's vertices.
Not to be confused with a receiver operating characteristic, which is 1 - f.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import PROBABILITY, Each
from dpverify.core.subjects import Float
from dpverify.definitions.curve import levels, rates, times_exp
from dpverify.definitions.parameters import Parametrised

CONVEX = 1e-12  # how far rounding of the given numbers may bend the curve the wrong way


@dataclass(frozen=True, slots=True, kw_only=True)
class Tradeoff(Parametrised):
    """The claim that from D to D' no test does better than the polygon through (alphas[i], betas[i]).

    Attributes
    ----------
    alphas : tuple of float
        False-positive rates, strictly increasing from 0 to 1.
    betas : tuple of float
        False-negative rates, convex, not increasing, at most 1 - alpha; so the last one is 0.

    Raises
    ------
    InputError
        For any other curve; the message names the first offending vertex.
    """

    alphas: Annotated[tuple[float, ...], Each(PROBABILITY)]
    betas: Annotated[tuple[float, ...], Each(PROBABILITY)]

    def validate(self) -> None:
        """The polygon is one that a test can have."""
        alphas, betas = self.alphas, self.betas
        if len(alphas) != len(betas) or len(alphas) < 2:
            what = f"Tradeoff with {len(alphas)} alphas and {len(betas)} betas"
            raise InputError(what, allowed="as many of the one as of the other, at least two")
        if alphas[0] != 0 or alphas[-1] != 1:
            what = f"Tradeoff: alphas from {alphas[0]} to {alphas[-1]}"
            raise InputError(what, allowed="alphas from 0 to 1", remedy="add the end points: f(1) = 0")
        points = list(zip(alphas, betas, strict=True))
        for (a, b), (c, d) in pairwise(points):
            if c <= a or d > b:
                what = f"Tradeoff: vertex ({c}, {d}) after ({a}, {b})"
                raise InputError(what, allowed="strictly increasing alphas and betas that do not increase")
        for a, b in points:
            if b > 1 - a + CONVEX:
                raise InputError(f"Tradeoff: vertex ({a}, {b})", allowed="beta <= 1 - alpha: guessing does as well")
        for (a, b), (c, d), (e, f) in zip(points, points[1:], points[2:], strict=False):
            if d * (e - a) > b * (e - c) + f * (c - a) + CONVEX * (e - a):
                what = f"Tradeoff: vertex ({c}, {d}) lies above the line from ({a}, {b}) to ({e}, {f})"
                raise InputError(what, allowed="a convex curve", remedy="leave the vertex out: mixing tests beats it")

    @classmethod
    def examples(cls) -> tuple[Tradeoff, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(alphas=(0, 0.25, 1), betas=(1, 0.25, 0)),
            cls(alphas=(0, 0.1, 0.4, 0.9, 1), betas=(0.95, 0.6, 0.2, 0, 0)),
            cls(alphas=(0, 1), betas=(1, 0)),
            cls(alphas=(0, 1), betas=(0, 0)),
            cls(alphas=(0, 0.5, 1), betas=(1, 0, 0)),
        )

    def measures(self) -> tuple[Measure, ...]:
        """Delta at the slope of every edge, which together say all of the curve, at increasing epsilon.

        A measure carries no direction, so the claimed delta is the larger of the two directions'.
        """
        edges = [(c - a, b - d) for (a, b), (c, d) in pairwise(zip(self.alphas, self.betas, strict=True)) if b > d]
        slopes = sorted({abs(math.log(rise / run)) for run, rise in edges}) or [0.0]
        claimed = np.maximum(self.delta(slopes), self.delta(slopes, reverse=True))
        return tuple(
            Measure(kind="delta", argument=epsilon, claimed=float(delta))
            for epsilon, delta in zip(slopes, claimed, strict=True)
        )

    def delta(self, epsilon: ArrayLike, *, reverse: bool = False) -> Float:
        """Largest delta allowed at `epsilon` (nats, any sign and shape) from D to D', or back if `reverse`."""
        epsilon = levels(epsilon)
        alphas, betas = self._vertices(reverse)
        with np.errstate(over="ignore"):
            heights = 1 - betas - times_exp(alphas, epsilon[..., None])
        return np.asarray(np.clip(np.max(heights, axis=-1), 0.0, 1.0))

    def tradeoff(self, alpha: ArrayLike, *, reverse: bool = False) -> Float:
        """Least false-negative rate allowed at rates `alpha` (any shape) from D to D', or back if `reverse`."""
        alphas, betas = self._vertices(reverse)
        return np.asarray(np.interp(rates(alpha), alphas, betas), dtype=np.float64)

    def _vertices(self, reverse: bool) -> tuple[Float, Float]:
        alphas, betas = np.array(self.alphas), np.array(self.betas)
        if not reverse:
            return alphas, betas
        # The inverse takes the least alpha at each beta, and is 0 beyond f(0).
        heights, first = np.unique(betas, return_index=True)
        places = alphas[first]
        if heights[-1] < 1:
            heights, places = np.append(heights, 1.0), np.append(places, 0.0)
        return heights, places


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("Tradeoff", Tradeoff)
