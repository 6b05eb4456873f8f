"""A calibration, held to all that its noise parameter promises: level curves (Lokna et al., Delta-Siege, CCS 2023).

An implementation turns (epsilon, delta) into a noise parameter, and all pairs with one parameter give the *same*
algorithm. So it promises all of them at once, and a violation at any pair of this level curve refutes the calibration,
even where the stated pair itself holds: noise with a wrong tail, or one that is cut off, often shows elsewhere only.

Profile and curve are the least upper bounds over the level curve (closed forms but for the classic Gaussian and zCDP,
where they come from 2000 of the pairs and allow a little more). Assumption: the implementation takes other pairs too,
and computes the parameter by the family's formula. Not to be confused with ``ApproxDP``, which promises the stated pair
alone, nor with ``ZCDP``, which promises more than all the pairs that it is converted to.

f-differential privacy for any convex piecewise-linear curve f (Dong, Roth, Su 2019, arXiv 1905.02383, section 2).

f(alpha) bounds from below the false-negative rate of any test with false-positive rate alpha under D', from D to D';
for (D', D) the bound is the inverse of f, so the curve need not be symmetric. Every finite alphabet and every PLD on a
grid gives such a curve. Exact: the profile is the largest value over the curve's vertices.
Not to be confused with a receiver operating characteristic, which is 1 - f.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import BELOW_ONE, NON_NEGATIVE, PROBABILITY, Each
from dpverify.core.subjects import Float, PrivacyGuarantee
from dpverify.definitions.curve import levels, rates, times_exp
from dpverify.definitions.level_curve_families import FAMILIES
from dpverify.definitions.parameters import Parametrised, sentence

CONVEX = 1e-12  # how far rounding of the given numbers may bend the curve the wrong way


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False)
class LevelCurve:
    """The claim that the noise parameter which `family` computes from (epsilon, delta) keeps every pair that shares it.

    Written out ``LevelCurve(family="gaussian-analytic", epsilon=1, delta=1e-5)``; sensitivity 1. The number is kept as
    `claimed_delta`, because ``.delta`` is the profile that every guarantee offers; hence an ``__init__`` by hand.

    Attributes
    ----------
    family : str
        ``gaussian-classic`` (sigma = sqrt(2 ln(1.25/delta)) / epsilon), ``gaussian-analytic`` (the exact sigma),
        ``zcdp`` (rho by epsilon = rho + 2 sqrt(rho ln(1/delta)): the pairs that this rho is converted to, and not
        rho-zCDP itself) or ``laplace`` (scale 1/epsilon, delta = 0, one number).
    epsilon : float
        In nats, finite, >= 0; > 0 for ``gaussian-classic``.
    claimed_delta : float
        The parameter `delta`, in (0, 1); 0 for ``laplace``.

    Raises
    ------
    InputError
        For another family and for parameters outside these ranges.
    """

    family: str
    epsilon: float
    claimed_delta: float

    def __init__(self, *, family: str, epsilon: float, delta: float = 0.0) -> None:
        if family not in FAMILIES:
            raise InputError(f"LevelCurve: family = {family!r}", allowed=", ".join(f'"{name}"' for name in FAMILIES))
        object.__setattr__(self, "family", family)
        object.__setattr__(self, "epsilon", NON_NEGATIVE.number("LevelCurve: epsilon", epsilon))
        object.__setattr__(self, "claimed_delta", BELOW_ONE.number("LevelCurve: delta", delta))
        _ = self.curve

    def __repr__(self) -> str:
        return self.text()

    @classmethod
    def examples(cls) -> tuple[LevelCurve, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(family="gaussian-classic", epsilon=0.9, delta=1e-3),
            cls(family="gaussian-classic", epsilon=4, delta=0.05),
            cls(family="gaussian-analytic", epsilon=1, delta=1e-5),
            cls(family="gaussian-analytic", epsilon=0, delta=0.1),
            cls(family="zcdp", epsilon=1, delta=1e-5),
            cls(family="laplace", epsilon=1),
            cls(family="laplace", epsilon=0),
        )

    @property
    def curve(self) -> PrivacyGuarantee:
        """The guarantee of the noise parameter."""
        return _curve(self.family, self.epsilon, self.claimed_delta)

    def text(self) -> str:
        """``LevelCurve(family="gaussian-classic", epsilon=0.9, delta=0.001)``."""
        return sentence("LevelCurve", family=self.family, epsilon=self.epsilon, delta=self.claimed_delta)

    def measures(self) -> tuple[Measure, ...]:
        """The stated pair both ways, and points of the curve: all that the parameter's own guarantee measures."""
        stated = (
            Measure(kind="epsilon", argument=self.claimed_delta, claimed=self.epsilon),
            Measure(kind="delta", argument=self.epsilon, claimed=self.claimed_delta),
        )
        places = {(measure.kind, measure.argument) for measure in stated}
        others = (m for m in self.curve.measures() if (m.kind, m.argument) not in places)
        return (*stated, *others)

    def delta(self, epsilon: ArrayLike, *, reverse: bool = False) -> Float:
        """Largest delta allowed at `epsilon` (nats, any sign and shape); the same in both directions."""
        return self.curve.delta(epsilon, reverse=reverse)

    def tradeoff(self, alpha: ArrayLike, *, reverse: bool = False) -> Float:
        """Least false-negative rate allowed at false-positive rates `alpha` (any shape); same in both directions."""
        return self.curve.tradeoff(alpha, reverse=reverse)

    def refutation(self, measure: Measure) -> str:
        """What it means that the measure is exceeded: which promise of the calibration is broken, and where."""
        stated = measure in self.measures()[:2]
        where = (
            "the stated pair" if stated else f"{measure.label()} <= {measure.claimed:.4g}, a point of its level curve"
        )
        return f"refutes the {self.family} calibration for ({self.epsilon:g}, {self.claimed_delta:g}), at {where}"


@lru_cache(maxsize=64)
def _curve(family: str, epsilon: float, delta: float) -> PrivacyGuarantee:
    return FAMILIES[family](epsilon, delta)


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
    registry.definitions.add("LevelCurve", LevelCurve)
    registry.definitions.add("Tradeoff", Tradeoff)
