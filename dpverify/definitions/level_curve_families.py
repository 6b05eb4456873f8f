"""What a noise parameter promises: from (epsilon, delta) to the parameter that a calibration chooses, and its curve.

Results: the classic Gaussian, sigma = sqrt(2 ln(1.25/delta)) / epsilon (Dwork, Roth 2014, Theorem A.1, epsilon < 1);
the analytic one, mu with delta(epsilon; mu) = delta (Balle, Wang 2018, Theorem 8); rho with epsilon = rho + 2
sqrt(rho ln(1/delta)), which is what rho-zCDP implies (Bun, Steinke 2016, Proposition 1.3); Laplace noise of scale
1/epsilon (its curve: Dong, Roth, Su 2019, appendix). Each family's curve is the least upper bound on what all pairs
with one parameter promise.

Limits: sensitivity 1 and one released number for the Laplace curve. Not to be confused with what the noise truly gives:
the classic curve lies above that of the Gaussian noise it chooses, wherever its theorem holds. Nor is the ``zcdp``
family's curve rho-zCDP itself, which is far stronger than all of the (epsilon, delta) that it implies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Float, PrivacyGuarantee
from dpverify.definitions.curve import rates, symmetric_profile, times_exp
from dpverify.definitions.gdp import GDP

POINTS = 2000
"""Pairs of a curve that has no closed form; any finite set of them allows a little more, never less."""

ROUNDING = 1e-13
SHOWN = 8
"""Points of such a curve that are measured beside the stated pair."""

MOST_MU = 1e3
LEAST = 1e-12
STEEPEST = 700.0
"""Epsilons whose exponential is a double, with room for products."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProfileBounds:
    """What finitely many claims (epsilon_i, delta_i) of one mechanism say together, both ways.

    Each says p <= e^epsilon q + delta of every event, and of its complement with p and q swapped: a line in (q, p). So
    the profile is the lower convex hull of the points (e^epsilon, delta), their mirror images, and (0, 1). Claims at
    epsilons above 700 are kept beside the hull, each for itself (which allows a little more).

    Attributes
    ----------
    slopes, heights : float64, shape (k,)
        The hull's vertices (e^epsilon, delta), slopes increasing from 0.
    far, floors : float64, shape (m,) and (m + 1,)
        Epsilons above 700, increasing, and the least delta claimed below the first of them (no claim: 1), up to it, ...
    """

    slopes: Float
    heights: Float
    far: Float
    floors: Float

    @classmethod
    def of(cls, epsilons: Float, deltas: Float) -> ProfileBounds:
        """From claims with epsilon >= 0 and delta in [0, 1], shape (n,)."""
        near, beyond = epsilons <= STEEPEST, np.flatnonzero(epsilons > STEEPEST)
        beyond = beyond[np.argsort(epsilons[beyond], kind="stable")]
        steep, high = np.exp(epsilons[near]), np.minimum(deltas[near], 1.0)
        flat, low = 1.0 / steep, 1.0 - (1.0 - high) / steep
        x, y = np.concatenate([[0.0], flat, steep]), np.concatenate([[1.0], low, high])
        order = np.lexsort([y, x])
        hull: list[tuple[float, float]] = []
        for point in zip(x[order].tolist(), y[order].tolist(), strict=True):
            if hull and point[1] >= hull[-1][1]:
                continue  # not decreasing: the point before says more
            while len(hull) > 1 and not _below(hull[-2], hull[-1], point):
                hull.pop()
            hull.append(point)
        slopes, heights = np.array(hull).T
        floors = np.minimum.accumulate(np.concatenate([[1.0], deltas[beyond]]))
        return cls(slopes=slopes, heights=heights, far=epsilons[beyond], floors=floors)

    def delta(self, epsilon: Float) -> Float:
        """The hull at e^epsilon, for epsilons >= 0 of shape (n,); what the steepest claim says beyond it."""
        with np.errstate(over="ignore"):
            hull = np.interp(np.exp(epsilon), self.slopes, self.heights)
        return np.asarray(np.minimum(hull, self.floors[np.searchsorted(self.far, epsilon, side="right")]))

    def tradeoff(self, alpha: Float) -> Float:
        """The highest of the lines 1 - delta - e^epsilon alpha; those of the far claims say something at 0 alone."""
        corners = -np.diff(self.heights) / np.diff(self.slopes)  # where neighbouring lines meet; decreasing
        line = np.searchsorted(-corners, -alpha)
        near = 1.0 - self.heights[line] - self.slopes[line] * alpha
        return np.asarray(np.maximum(near, np.where(alpha == 0.0, 1.0 - self.floors[-1], 0.0)))


def _below(first: tuple[float, float], middle: tuple[float, float], last: tuple[float, float]) -> bool:
    """Whether the middle point lies below the line through the others."""
    run, whole = middle[0] - first[0], last[0] - first[0]
    return (middle[1] - first[1]) * whole < (last[1] - first[1]) * run


class Polygon:
    """What curves made of finitely many claims share; a subclass has `promises` and says where it is measured."""

    __slots__ = ()

    promises: ProfileBounds

    def delta(self, epsilon: ArrayLike, *, reverse: bool = False) -> Float:
        """The profile; see `PrivacyGuarantee`."""
        return symmetric_profile(epsilon, lambda above: np.minimum(self.promises.delta(above) * (1 + ROUNDING), 1.0))

    def tradeoff(self, alpha: ArrayLike, *, reverse: bool = False) -> Float:
        """The curve; see `PrivacyGuarantee`."""
        alpha = rates(alpha)
        found = self.promises.tradeoff(alpha.ravel()).reshape(alpha.shape)
        return np.asarray(np.clip(found - ROUNDING * (1 - alpha), 0.0, 1 - alpha))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassicCurve(Polygon):
    """All pairs (t, 1.25 e^(-(t sigma)^2 / 2)) up to t = 1, where the theorem ends.

    A calibration that is used at an epsilon above 1 claims the formula for any epsilon; its curve goes on to
    delta = 1e-12 (or to the stated one).
    """

    sigma: float
    last: float
    promises: ProfileBounds

    @classmethod
    def stated(cls, epsilon: float, delta: float) -> ClassicCurve:
        """Of the sigma that the formula gives for (epsilon, delta)."""
        _require(epsilon > 0, f"epsilon = {epsilon}", "epsilon > 0")
        _require(0 < delta < 1, f"delta = {delta}", "0 < delta < 1")
        sigma = math.sqrt(2.0 * math.log(1.25 / delta)) / epsilon
        last = 1.0 if epsilon <= 1 else max(epsilon, math.sqrt(2.0 * math.log(1.25 / LEAST)) / sigma)
        levels = np.append(np.linspace(0.0, last, POINTS), epsilon)
        deltas = np.append(1.25 * np.exp(-0.5 * (levels[:-1] * sigma) ** 2), delta)
        return cls(sigma=sigma, last=last, promises=ProfileBounds.of(levels, deltas))

    def text(self) -> str:
        """What it is, for messages."""
        return f"classic Gaussian curve of sigma = {self.sigma:.6g}"

    def measures(self) -> tuple[Measure, ...]:
        """Delta at epsilons evenly along the part of the curve that says something."""
        first = min(math.sqrt(2.0 * math.log(1.25)) / self.sigma, self.last)
        return points(self, np.linspace(first, self.last, SHOWN))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConcentratedCurve(Polygon):
    """All pairs (rho + 2 sqrt(rho ln(1/delta)), delta) down to delta = 1e-12 (or to the stated one).

    Who computes rho by this formula promises these pairs, each of which rho-zCDP implies; they do not imply rho-zCDP,
    so no divergence is promised.
    """

    rho: float
    last: float
    promises: ProfileBounds

    @classmethod
    def stated(cls, epsilon: float, delta: float) -> ConcentratedCurve:
        """Of the rho whose pair at `delta` is (epsilon, delta)."""
        _require(0 < delta < 1, f"delta = {delta}", "0 < delta < 1")
        root = math.sqrt(-math.log(delta))
        rho = (epsilon / (math.sqrt(epsilon - math.log(delta)) + root)) ** 2
        if rho == 0.0:  # the curve is the point epsilon = 0, at every delta
            return cls(rho=0.0, last=epsilon, promises=ProfileBounds.of(np.array([epsilon]), np.array([0.0])))
        # evenly along the root of ln(1/delta), in which both epsilon and the deviations of the losses are linear
        roots = np.append(np.linspace(0.0, max(root, math.sqrt(-math.log(LEAST))), POINTS), root)
        levels = rho + 2.0 * math.sqrt(rho) * roots
        levels[-1] = epsilon
        return cls(
            rho=rho,
            last=float(levels.max()),
            promises=ProfileBounds.of(levels, np.append(np.exp(-(roots[:-1] ** 2)), delta)),
        )

    def text(self) -> str:
        """What it is, for messages."""
        return f"curve of the pairs that rho = {self.rho:.6g} is converted to"

    def measures(self) -> tuple[Measure, ...]:
        """Delta at epsilons evenly along the curve."""
        return points(self, np.linspace(min(self.rho, self.last), self.last, SHOWN))


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceCurve:
    """One number with Laplace noise of scale 1/epsilon, sensitivity 1: delta(t) = 1 - e^((t - epsilon)/2)."""

    epsilon: float

    @classmethod
    def stated(cls, epsilon: float, delta: float) -> LaplaceCurve:
        """Of the scale 1/epsilon; it is pure, so delta is 0."""
        _require(delta == 0, f"delta = {delta}", "delta = 0")
        return cls(epsilon=epsilon)

    def delta(self, epsilon: ArrayLike, *, reverse: bool = False) -> Float:
        """The profile; see `PrivacyGuarantee`."""
        return symmetric_profile(
            epsilon, lambda above: np.asarray(-np.expm1(np.minimum(above - self.epsilon, 0.0) / 2.0))
        )

    def tradeoff(self, alpha: ArrayLike, *, reverse: bool = False) -> Float:
        """The curve; see `PrivacyGuarantee`."""
        alpha = rates(alpha)
        small = math.exp(-self.epsilon)
        middle = small / (4.0 * np.maximum(np.maximum(alpha, small / 2.0), np.finfo(np.float64).tiny))
        steep = np.maximum(1.0 - times_exp(alpha, self.epsilon), 0.0)
        return np.where(alpha <= small / 2.0, steep, np.where(alpha <= 0.5, middle, small * (1.0 - alpha)))

    def text(self) -> str:
        """What it is, for messages."""
        return f"Laplace curve of scale 1/{self.epsilon:.6g}"

    def measures(self) -> tuple[Measure, ...]:
        """Delta at four epsilons below the claimed one."""
        return points(self, np.linspace(0.0, self.epsilon, 5)[:4])


def analytic(epsilon: float, delta: float) -> PrivacyGuarantee:
    """mu-GDP with the mu whose profile is `delta` at `epsilon`."""
    _require(0 < delta < 1, f"delta = {delta}", "0 < delta < 1")

    def short(mu: float) -> float:
        return float(GDP(mu=mu).delta(epsilon)) - delta

    _require(short(MOST_MU) > 0, f"(epsilon, delta) = ({epsilon}, {delta})", f"pairs of Gaussian mu up to {MOST_MU:g}")
    return GDP(mu=float(brentq(short, 0.0, MOST_MU, xtol=1e-14, rtol=1e-14)))


def points(curve: PrivacyGuarantee, levels: Float) -> tuple[Measure, ...]:
    """Delta at these epsilons, none of them twice."""
    return tuple(
        Measure(kind="delta", argument=level, claimed=float(curve.delta(level)))
        for level in dict.fromkeys(levels.tolist())
    )


def _require(holds: bool, what: str, allowed: str) -> None:
    if not holds:
        raise InputError(f"LevelCurve: {what}", allowed=allowed)


FAMILIES = {
    "gaussian-classic": ClassicCurve.stated,
    "gaussian-analytic": analytic,
    "zcdp": ConcentratedCurve.stated,
    "laplace": LaplaceCurve.stated,
}
