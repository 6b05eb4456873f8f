"""The sharper confidence region for (p, q): the product of two tail probabilities, inverted.

U1 = P_p(K1 >= k1) and U2 = P_q(K2 <= k2) are independent and super-uniform at the true p and q. By Fisher's product
P(U1 U2 <= c) <= c (1 - ln c), so with c (1 - ln c) = alpha the set {U1(p) U2(q) > c} is a region of coverage 1 - alpha:
unlike a rectangle it excludes the corner where both estimates are wrong at once. With exponents a + b = 2, P(U1^a U2^b
<= c) <= (b c^(1/b) - a c^(1/a)) / (b - a) (Good, "On the weighted combination of significance tests", JRSS B 1955): a
small `share` = a/2 spends the error on q, where that is the more uncertain one.

Its boundary towards small p and large q is the curve a ln U1 = t, b ln U2 = ln c - t, with t from ln c to 0. A cell
of it, from s to t, lies inside {p >= p(s), q <= q(t)}; a bound's least value over these corners is sound for any
partition.

Assumptions and limits: those of `dpverify.stats.region`. Fisher's method as a test of one point hypothesis is
different: here the product is inverted into a region.

A claim given as a curve is refuted by how much the whole region lies outside the allowed one: every privacy claim
bounds, for each event, p by a non-decreasing function of q (1 minus its trade-off function; min(1, e^epsilon q + delta)
for an (epsilon, delta) claim). If p > allowed(q) everywhere in a region of coverage 1 - alpha, the claim is refuted
with an error probability of at most alpha (Dong, Roth and Su, arXiv 1905.02383, for the curves). The curve is the
claim's, known before the counts; one event, one direction. A positive bound on epsilon is no refutation unless it
exceeds the claimed value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from scipy import special

from dpverify.core import light_optimize as optimize
from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.stats.intervals import (
    SMALLEST_LEVEL,
    check_counts,
    check_level,
    clopper_pearson_lower,
    clopper_pearson_upper,
)
from dpverify.stats.region import ANY, Bound, Method, RectangleRegion, Region, evaluated
from dpverify.stats.rounding import FloatArray, down

__all__ = ["JointRegion", "RectangleRegion", "Region", "planned_share", "product_log_constant", "region_from_counts"]

FIRST_NODES = 20
"""Nodes a side of the first, coarse partition of the boundary."""

SPLIT = 8
"""Number of pieces into which a cell that may contain the minimum is cut."""

LARGEST_CELLS = 1500
RELATIVE_LOSS, ABSOLUTE_LOSS = 5e-4, 1e-7
"""Refinement ends when the staircase loses at most this part of the bound."""

PROBIT_END = 3.0
"""Beyond this the tail of a level is one cell of the first partition."""

LARGEST_LEVEL = 1.0 - 1e-9
"""Levels are capped here (which enlarges the region), so that none rounds to 1."""

PLANNED_SHARES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9, 0.05, 0.95)


Allowed = Callable[[FloatArray], FloatArray]
"""The largest p that a claim allows to an event of probability q under the neighbour; non-decreasing, vectorised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointRegion(Checked):
    """The region {U1(p)^a U2(q)^b > c}, a = 2 share, b = 2 - a, by Fisher's (a = b = 1) or Good's product bound.

    Raises
    ------
    InputError
        For values outside these ranges, and for an alpha so small that the share takes one side below 1e-300.

    Notes
    -----
    Side of the error: every bound from it is at most the bound's minimum over the exact region, and at least that
    minimum less 5e-4 of it (more only next to zero, where 1500 cells end the refinement).
    """

    k1: int
    n1: int
    """`k1`, `n1`: number of draws under P in which the event was seen, and number of draws."""
    k2: int
    n2: int
    """`k2`, `n2`: the same under Q."""
    alpha: float
    """Error probability of the region, in [1e-296, 1) for an even share."""
    share: float = 0.5
    """P's part of the two exponents, in [0.05, 0.95], chosen before the counts are seen; see `planned_share`. 0.5 is
    Fisher's product."""
    log_constant: float = field(init=False, repr=False, compare=False)

    def validate(self) -> None:
        """Check the counts, and that both levels are large enough."""
        check_counts(self.k1, self.n1)
        check_counts(self.k2, self.n2)
        object.__setattr__(self, "log_constant", product_log_constant(self.alpha, share=self.share))
        if self.log_constant / (2.0 * min(self.share, 1.0 - self.share)) <= math.log(SMALLEST_LEVEL):
            raise InputError(
                f"alpha = {self.alpha!r} with share = {self.share!r}",
                allowed=f"levels above {SMALLEST_LEVEL:g} on both sides",
                remedy="move the share towards 0.5 or use RectangleRegion",
            )

    def corners(self) -> tuple[FloatArray, FloatArray]:
        """About 400 corners (p_i, q_i), both non-decreasing: a staircase around the region.

        Returns
        -------
        tuple of two ndarrays
            The region lies inside the union of {p >= p_i, q <= q_i}. For figures and checks; `minimum` refines the
            staircase where needed, and is more precise.
        """
        t = _nodes(self.log_constant, self.share, 200)
        return self._p(t[:-1]), self._q(t[1:])

    def minimum(self, bound: Bound, *, unless: tuple[float, float] = ANY) -> float:
        """Least value of a bound over the region, by branch and bound along the boundary curve.

        Parameters
        ----------
        bound : callable
            ``bound(p, q)`` of two arrays of one shape, increasing in p and decreasing in q; may be -inf.
        unless : tuple of float
            Refinement ends when the minimum is known to be below the first number or above the second.

        Returns
        -------
        float
            Never above the minimum over the region: each cell of the boundary is bounded at its outer corner. Where
            refinement ended by `unless`, on the same side of that number as the minimum.

        Raises
        ------
        InputError
            When the bound gives nan or another shape.
        """
        nodes = _nodes(self.log_constant, self.share, FIRST_NODES)
        left, right = nodes[:-1], nodes[1:]
        low_p = _first_p(self.k1, self.n1, self.log_constant, self.share)
        high_q = _first_q(self.k2, self.n2, self.log_constant, self.share)
        cells = evaluated(bound, low_p, high_q)
        attained = float(np.min(evaluated(bound, low_p[1:], high_q[:-1])))  # points on the curve
        while math.isfinite(attained) and attained >= unless[0] and float(np.min(cells)) <= unless[1]:
            active = cells < attained - max(ABSOLUTE_LOSS, RELATIVE_LOSS * abs(attained))
            count = int(active.sum())
            if count == 0 or cells.size + SPLIT * count > LARGEST_CELLS:
                break
            steps = np.arange(1, SPLIT) / SPLIT
            inner = left[active, None] + (right - left)[active, None] * steps
            p, q = self._p(inner.ravel()).reshape(inner.shape), self._q(inner.ravel()).reshape(inner.shape)
            new = [
                np.column_stack([left[active], inner]).ravel(),
                np.column_stack([inner, right[active]]).ravel(),
                np.column_stack([low_p[active], p]).ravel(),
                np.column_stack([q, high_q[active]]).ravel(),
            ]
            values = evaluated(bound, np.concatenate([new[2], p.ravel()]), np.concatenate([new[3], q.ravel()]))
            attained = min(attained, float(np.min(values[new[2].size :])))
            old = [left, right, low_p, high_q]
            left, right, low_p, high_q = (np.concatenate([a[~active], b]) for a, b in zip(old, new, strict=True))
            cells = np.concatenate([cells[~active], values[: new[2].size]])
        return float(np.min(cells))

    def _p(self, t: FloatArray) -> FloatArray:
        return _p(self.k1, self.n1, self.log_constant, self.share, t)

    def _q(self, t: FloatArray) -> FloatArray:
        return _q(self.k2, self.n2, self.log_constant, self.share, t)


@lru_cache(maxsize=16)
def _nodes(log_constant: float, share: float, count: int) -> FloatArray:
    """Positions t from ln c to 0, spaced evenly in the probit of U1 and in the probit of U2."""
    end, a, b = log_constant, 2.0 * share, 2.0 * (1.0 - share)
    of_p = a * special.log_ndtr(np.linspace(special.ndtri_exp(end / a), PROBIT_END, count))
    of_q = end - b * special.log_ndtr(np.linspace(special.ndtri_exp(end / b), PROBIT_END, count))
    inner = np.concatenate([of_p, of_q])
    inner = inner[(inner > 0.999999 * end) & (inner < 1e-6 * end)]
    return _frozen(np.unique(np.concatenate([[end, 0.5 * end, 0.0], inner])))


# Several bounds are computed for one region, and planning compares regions that differ in one count; the roots at the
# first nodes are cached for all of them.


@lru_cache(maxsize=16)
def _first_p(k: int, n: int, log_constant: float, share: float) -> FloatArray:
    return _frozen(_p(k, n, log_constant, share, _nodes(log_constant, share, FIRST_NODES)[:-1]))


@lru_cache(maxsize=16)
def _first_q(k: int, n: int, log_constant: float, share: float) -> FloatArray:
    return _frozen(_q(k, n, log_constant, share, _nodes(log_constant, share, FIRST_NODES)[1:]))


def _p(k: int, n: int, log_constant: float, share: float, t: FloatArray) -> FloatArray:
    level = np.exp(np.maximum(t, log_constant) / (2.0 * share))
    return clopper_pearson_lower(k, n, alpha=np.minimum(level, LARGEST_LEVEL))


def _q(k: int, n: int, log_constant: float, share: float, t: FloatArray) -> FloatArray:
    level = np.exp((log_constant - np.minimum(t, 0.0)) / (2.0 * (1.0 - share)))
    return clopper_pearson_upper(k, n, alpha=np.minimum(level, LARGEST_LEVEL))


def _frozen(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array


def product_log_constant(alpha: float, *, share: float = 0.5) -> float:
    """ln c such that P(U1^a U2^b <= c) <= alpha for independent super-uniform U1, U2; a = 2 share, b = 2 - a.

    Parameters
    ----------
    alpha : float
        In [1e-300, 1).
    share : float
        In [0.05, 0.95]; at 0.5 this is Fisher's c (1 - ln c) = alpha.

    Raises
    ------
    InputError
        For values outside these ranges.

    Notes
    -----
    Error about 1e-11 relative in c, to either side: the levels' own slack (1e-6, outward) covers it.
    """
    check_level(alpha)
    if not 0.05 <= share <= 0.95:
        raise InputError(f"share = {share!r}", allowed="[0.05, 0.95]", remedy="0.5 is Fisher's product")
    a, b = sorted((2.0 * share, 2.0 * (1.0 - share)))

    def excess(log_c: float) -> float:
        # Good's formula, free of its 0/0 at a = b: c^(1/b) (1 - ln c / b * (e^x - 1)/x) with x = ln c (1/a - 1/b)
        ratio = float(special.exprel(log_c * (b - a) / (a * b)))
        return log_c / b + math.log1p(-log_c / b * ratio) - math.log(alpha)

    log_alpha = math.log(alpha)
    return float(optimize.brentq(excess, b * (2.0 * log_alpha - 5.0), b * log_alpha, xtol=1e-12, rtol=1e-14))


def region_from_counts(
    k1: int, n1: int, k2: int, n2: int, *, alpha: float, method: Method = "joint", share: float = 0.5
) -> JointRegion | RectangleRegion:
    """The region of a method by name: "joint" (JointRegion) or "split" (RectangleRegion); parameters as there."""
    if method == "joint":
        return JointRegion(k1=k1, n1=n1, k2=k2, n2=n2, alpha=alpha, share=share)
    if method == "split":
        return RectangleRegion(k1=k1, n1=n1, k2=k2, n2=n2, alpha=alpha, share=share)
    raise InputError(
        f"method = {method!r}", allowed='"joint" or "split"', remedy="choose it before looking at the counts"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A region whose least values are sought only inside ``unless``, by which others are told apart from them."""

    region: JointRegion | RectangleRegion
    unless: tuple[float, float]

    @property
    def alpha(self) -> float:
        """Error probability of the region."""
        return self.region.alpha

    def corners(self) -> tuple[FloatArray, FloatArray]:
        """The region's corners."""
        return self.region.corners()

    def minimum(self, bound: Bound) -> float:
        """Least value over the region, or one on its side of `unless`."""
        return self.region.minimum(bound, unless=self.unless)


def planned_share(
    k1: int, n1: int, k2: int, n2: int, *, alpha: float, bound: Callable[[Region], float], method: Method = "joint"
) -> float:
    """The share with the largest bound at planning counts: counts of other data, or expected ones.

    Parameters
    ----------
    k1, n1, k2, n2 : int
        Planning counts at the size of the audit. Never the counts that the share is then used on: that would void the
        region's coverage.
    alpha : float
        Error probability that the region will have.
    bound : callable
        Region to lower bound, such as ``epsilon_lower`` or ``lambda region: excess_lower(region, allowed)``.
    method : {"joint", "split"}
        The region that is planned.

    Returns
    -------
    float
        One of `PLANNED_SHARES`, 0.5 when none is better. A wrong plan costs power, never soundness.
    """
    best, share = -math.inf, 0.5
    for candidate in PLANNED_SHARES:
        try:
            region = region_from_counts(k1, n1, k2, n2, alpha=alpha, method=method, share=candidate)
        except InputError:
            if candidate == 0.5:
                raise
            continue  # alpha is too small for so uneven a share
        value = bound(Cut(region=region, unless=(best, math.inf)))
        if value > best:
            best, share = value, candidate
    return share


def excess_lower(region: Region, allowed: Allowed) -> float:
    """Lower confidence bound on p - allowed(q): by how much the event exceeds what the claim allows.

    Parameters
    ----------
    region : Region
        Confidence region of (p, q).
    allowed : callable
        The claim's curve: an array of q in [0, 1] to the largest p allowed, non-decreasing. It must not be rounded
        below the claim; the curve must cover its own numerical error.

    Returns
    -------
    float
        In [-1, 1], not clipped: above 0 the claim is refuted; a negative value shows the distance to a refutation. Side
        of the error: above the true excess with probability at most ``region.alpha``.

    Raises
    ------
    InputError
        When the curve gives nan or another shape than its argument's.
    """

    return region.minimum(_excess(allowed))


def refutes(region: JointRegion | RectangleRegion, allowed: Allowed) -> bool:
    """Whether ``excess_lower(region, allowed) > 0``, in a fraction of its time; errors as there."""
    return region.minimum(_excess(allowed), unless=(0.0, 0.0)) > 0.0


def _excess(allowed: Allowed) -> Bound:
    return lambda p, q: down(p - np.asarray(allowed(q), dtype=np.float64), 1)
