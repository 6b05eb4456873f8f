"""A whole privacy profile from above: one convex polygon that no composition of these losses exceeds.

Basis: bounds from above on delta at many epsilons, out of a few tilted sums on one grid
(:mod:`~dpverify.accounting.loss_direction`); delta is convex in x = e^epsilon, so the lower convex hull of points that
lie on or above it lies above it too, and its conjugate f(alpha) = max_i 1 - delta_i - x_i alpha lies on or below the
true trade-off curve (Dong, Roth, Su 2019, arXiv 1905.02383, Proposition 2.12). The worse order of the neighbours counts
at each epsilon, so the curve is symmetric: delta(-epsilon) = 1 - e^-epsilon + e^-epsilon delta(epsilon).

Side of the error: delta never below, f never above the truth, so that who claims the curve allows more, not less.
Limits: error bounds are those of floating point, carried by hand; nothing here is proved. Cost: a second or so a curve.
Not to be confused with :class:`~dpverify.accounting.accountants.pld.ComposedLosses`, which brackets one point a time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.loss_direction import LARGEST_GRID, WIDTH, Direction
from dpverify.accounting.loss_sum import LossSum, tilt_for
from dpverify.core.composition import Composition
from dpverify.core.subjects import Float
from dpverify.definitions.curve import levels, rates, times_exp

LEAST_DELTA = 1e-13
"""The profile is computed down to here, and constant beyond."""
LARGEST_EPSILON = 700.0
"""Its exponential is still a double; the profile is constant beyond."""
STEP, MOST_PIECES, NARROWEST = 0.2, 8, 1e-7
"""Differences of log delta above the first are cut, into so many pieces at most a time, but no closer than the last."""
_LEVELS = (0.2, 1e-2, 1e-4, 1e-6, 1e-9, 1e-12)  # deltas about which the tilted sums are sharp
_COARSE_LEVELS = (0.2, 1e-3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProfileCurve:
    """The polygon under a curve."""

    slopes: Float
    """Shape (k,): x = e^epsilon at its corners, rising from 0."""
    deltas: Float
    """Shape (k,): delta there: from 1, not rising, convex."""

    def delta(self, epsilon: ArrayLike) -> Float:
        """Largest delta at `epsilon` (nats, any sign and shape)."""
        array = levels(epsilon)
        with np.errstate(over="ignore", under="ignore"):
            at = np.exp(array)
        return np.asarray(np.interp(at, self.slopes, self.deltas), dtype=np.float64)

    def tradeoff(self, alpha: ArrayLike) -> Float:
        """Least false-negative rate at false-positive rates `alpha` (any shape)."""
        array = rates(alpha)
        lines = 1.0 - self.deltas - times_exp(array[..., None], np.log(np.maximum(self.slopes, 5e-324)))
        return np.asarray(np.clip(np.max(lines, axis=-1), 0.0, 1.0 - array), dtype=np.float64)


def curve_above(composition: Composition, *, delta: float, nodes: int = 160, coarse: bool = False) -> ProfileCurve:
    """The composition's profile from above.

    Parameters
    ----------
    delta : float
        In (0, 1): the curve passes through (epsilon, delta) with the accountant's own upper bound on epsilon, unless
        coarse.
    nodes : int
        Epsilons >= 0 at which it is computed, evenly; unless coarse, up to three times as many more where delta falls
        fast (at small rates it falls tenfold within a hundredth).
    coarse : bool
        A wider grid, sums that are sharp for deltas above 1e-4 only, no epsilon beyond, and no nodes but the even ones:
        for searches that ask many compositions.

    Notes
    -----
    Between neighbouring nodes the polygon is above the truth by about d^2 / 8 of it, d being the difference of
    log delta: at most half a percent, unless coarse or out of nodes.
    """
    width = 5 * WIDTH if coarse else WIDTH
    ways = [
        Direction.refined(losses, width=width, largest_grid=LARGEST_GRID, floor=0.0)
        for losses in compose(composition).by_direction
        if losses
    ]
    if not ways:
        return ProfileCurve(slopes=np.array([0.0, 1.0]), deltas=np.array([1.0, 0.0]))
    last = max(one.epsilon(min(1e-6 if coarse else LEAST_DELTA, delta / 10))[1] for one in ways)
    own = math.inf if coarse else max(one.epsilon(delta)[1] for one in ways)
    if not math.isfinite(last):  # mass at infinity, or no such delta on any grid: the profile ends where it is known
        last = own if math.isfinite(own) else 1.0
    last = min(last, LARGEST_EPSILON)
    epsilons = np.unique(np.concatenate([np.linspace(0.0, last, nodes), [own] if own < last else []]))
    sums = [_sums(one, coarse) for one in ways]
    deltas = _worst(sums, epsilons)
    while not coarse and (finer := _between(epsilons, deltas)).size and epsilons.size + finer.size <= 4 * nodes:
        more = np.concatenate([epsilons, finer])
        order = np.argsort(more, kind="stable")
        epsilons, deltas = more[order], np.concatenate([deltas, _worst(sums, finer)])[order]
    # The accountant's own answer, which may be a hair sharper than the sums at fixed tilts.
    deltas[epsilons >= own] = np.minimum(deltas[epsilons >= own], delta)
    return _hull(epsilons, np.minimum.accumulate(deltas))


def _between(epsilons: Float, deltas: Float) -> Float:
    """Further nodes where the logarithm of delta falls by more than `STEP` from one to the next."""
    falls = -np.diff(np.log(np.maximum(deltas, LEAST_DELTA)))
    pieces = np.minimum(np.ceil(falls / STEP), MOST_PIECES)
    pieces[np.diff(epsilons) < NARROWEST] = 1
    steps = [
        np.linspace(epsilons[at], epsilons[at + 1], int(pieces[at]) + 1)[1:-1] for at in np.flatnonzero(pieces > 1)
    ]
    return np.concatenate(steps) if steps else np.zeros(0)


def _sums(one: Direction, coarse: bool) -> list[tuple[float, LossSum]]:
    """Tilted sums with the losses about which they are sharp."""
    sums: list[tuple[float, LossSum]] = []
    for level in _COARSE_LEVELS if coarse else _LEVELS:
        over, _ = one.sums(tilt_for(one.coarse, log_delta=math.log(level)))
        sums.append((float(over.losses[int(np.argmax(over.masses))]), over))
    return sums


def _worst(ways: list[list[tuple[float, LossSum]]], epsilons: Float) -> Float:
    """Upper bounds on delta at epsilons >= 0 in the worse direction."""
    return np.asarray(np.max([_above(sums, epsilons) for sums in ways], axis=0), dtype=np.float64)


def _above(sums: list[tuple[float, LossSum]], epsilons: Float) -> Float:
    """Upper bounds on delta at epsilons >= 0 in one direction."""
    best = np.ones(epsilons.size)
    for index, epsilon in enumerate(epsilons):
        nearest = sorted(sums, key=lambda pair: abs(pair[0] - epsilon))[:2]
        best[index] = min(over.delta_above(float(epsilon)) for _, over in nearest)
    return best


def _hull(epsilons: Float, deltas: Float) -> ProfileCurve:
    """The lower convex hull of the points (e^epsilon, delta), of their mirror images, and of (0, 1)."""
    down = np.exp(-epsilons[::-1])
    mirrored = np.minimum(1.0 - down + down * deltas[::-1], 1.0)
    keep = slice(0, -1) if epsilons[0] == 0.0 else slice(None)
    slopes = np.concatenate([[0.0], down[keep], np.exp(epsilons)])
    heights = np.concatenate([[1.0], mirrored[keep], deltas])
    corners: list[int] = []
    for index in range(slopes.size):
        while len(corners) >= 2:
            first, middle = corners[-2], corners[-1]
            run, rise = slopes[index] - slopes[first], heights[index] - heights[first]
            if (heights[middle] - heights[first]) * run < rise * (slopes[middle] - slopes[first]):
                break
            corners.pop()
        corners.append(index)
    return ProfileCurve(slopes=slopes[corners], deltas=heights[corners])
