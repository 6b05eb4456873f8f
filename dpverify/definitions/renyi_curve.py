"""The trade-off curve and the privacy profile of a region that Renyi bounds leave.

The profile is the region's support function delta(epsilon) = max p - e^epsilon q. The maximiser is bracketed between
two points whose tangents are steeper and flatter than e^epsilon; the tangents bound the maximum **from above**, so
delta, like the region, is never smaller than the definition implies. Never above the textbook conversions, which use
one inequality of the region each (Canonne, Kamath, Steinke 2020, arXiv 2004.00010, Proposition 12).

Result: (q, p) is possible exactly when the divergences of Bernoulli(p) from Bernoulli(q), and back, keep the bound at
every claimed order: necessary by data processing, sufficient because the two Bernoulli laws are themselves such a pair
(the binary reduction of Asoodeh, Liao, Calmon, Kosut 2021, arXiv 2008.06529). It is convex, because the divergences are
jointly quasi-convex (van Erven, Harremoes 2014, Theorem 13), and it is the same for (Q, P).
Method: for p >= q write d = log(p/q), t = log((1-q)/(1-p)), s = order - 1. With p and 1-p adding up to 1, e^(s D(p|q))
- 1 = p expm1(s d) + (1-p) expm1(-s t), which keeps its digits and has KL as its limit s -> 0. The log of the left side
plus 1 is convex and increasing in d (forward), and that of D(q|p) in t (backward); so Newton's method started outside
stays outside. **Side of the error: the region is never smaller than the definition implies**: it is widened by
`ROUNDING`, and stopping early or leaving out orders only widens it. Limits: false-positive rates between 0 and `LEAST`
count as `LEAST`. Often confused with the region of the conversion P(S) <= (e^epsilon Q(S))^((order-1)/order), which
forgets 1-p and the way back, and is larger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.subjects import Float
from dpverify.definitions.curve import rates, symmetric_profile

_TURNS, _POINTS = 60, 256  # sections of the bracket, and points looked at in each (at least 1 an epsilon)
_TIGHT = 1e-12  # relative gap between the tangents' bound and the point reached, at which the search ends
_CLIP = 700.0


ROUNDING = 1e-11  # widening, relative to p (forward) and to 1 - p (backward)
LEAST = 1e-300  # smallest positive rate that is told apart
_NEARLY_ONE = 1 - 1e-13  # a p beyond it is rounded outward to 1
_BIG = 600.0  # beyond it e^x is handled by its logarithm
_SETTLED = 1e-14  # relative Newton step that counts as none
_ROUNDS, _STEPS = 40, 12


def region_tradeoff(alpha: ArrayLike, orders: Orders, *, widest: float = np.inf) -> Float:
    """Least 1 - p allowed at rates `alpha`, of any shape; never above what the definition implies."""
    alpha = rates(alpha)
    inside = (alpha > 0) & (alpha < 1)
    result = np.where(alpha > 0, 0.0, 1.0)
    q = np.maximum(alpha[inside], LEAST)
    edge = boundary(q, orders, widest=widest)
    result[inside] = np.maximum((1 - q) * np.exp(edge.rest), 0.0)
    return result


def region_profile(epsilon: ArrayLike, orders: Orders, *, widest: float = np.inf) -> Float:
    """Largest delta allowed at `epsilon` (nats, any sign and shape); never below what the definition implies."""
    return symmetric_profile(epsilon, lambda above: _support(above, orders, widest))


def _support(epsilon: Float, orders: Orders, widest: float) -> Float:
    """max over the region of p - e^epsilon q, for epsilons >= 0 of shape (n,), from above."""
    finite = np.where(np.isinf(epsilon), 0.0, epsilon)
    inner = max(1, min(31, _POINTS // max(1, epsilon.size)))
    shares = np.linspace(0.0, 1.0, inner + 2)[1:-1, None]
    # The region is symmetric about p = 1 - q, where its slope passes 1: no maximiser has q > 1/2.
    ends = np.broadcast_to(np.log([[LEAST], [0.5]]), (2, epsilon.size))
    bracket = np.stack([ends, *_heights(ends, finite, orders, widest)])  # place, height, slope; two ends; epsilons
    # Should the maximiser lie below LEAST: p rises with q, so p - e^epsilon q stays below p(LEAST).
    least = boundary(np.array([LEAST]), orders, widest=widest)
    beyond = np.where(least.slope < finite, LEAST * np.exp(least.ratio), 0.0)
    upper = np.ones_like(epsilon)
    for _ in range(_TURNS):
        (near, far), (low, high), (steep, flat) = bracket
        with np.errstate(over="ignore", invalid="ignore"):
            width = np.exp(np.minimum(finite + near, _CLIP)) * np.expm1(far - near)
            upper = np.fmin(
                low + np.expm1(steep - finite) * width, high - np.expm1(np.minimum(flat - finite, 0)) * width
            )
        if np.all(upper - np.maximum(low, high) <= _TIGHT * np.abs(upper)):
            break
        x = near + shares * (far - near)
        looked = np.stack([x, *_heights(x, finite, orders, widest)])
        points = np.concatenate([bracket[:, :1], looked, bracket[:, 1:]], axis=1)
        flatter = points[2] < finite
        flatter[-1] = True
        right = np.maximum(np.argmax(flatter, axis=0), 1)
        bracket = np.take_along_axis(points, np.stack([right - 1, right])[None], axis=1)
    result = np.where(np.isinf(epsilon), 0.0, np.maximum(upper, beyond) * (1 + ROUNDING))
    return np.asarray(np.clip(result, 0.0, 1.0))


def _heights(x: Float, epsilon: Float, orders: Orders, widest: float) -> tuple[Float, Float]:
    """p - e^epsilon q and log dp/dq at q = e^x; x of shape (k, n)."""
    edge = boundary(np.exp(x).ravel(), orders, widest=widest)
    ratio = edge.ratio.reshape(x.shape)
    height = np.exp(x + ratio) * -np.expm1(np.minimum(epsilon - ratio, _CLIP))
    return height, edge.slope.reshape(x.shape)


class Orders(Protocol):
    """The claimed orders, as s = order - 1 in [0, inf], where 0 stands for the KL divergence."""

    @property
    def turns(self) -> int:
        """How many turns it takes before "none goes inward" ends the search."""
        ...

    def candidates(self, rates: Float, turn: int, chosen: Float) -> Float:
        """Values of s to look at in this turn, shape (k, 1) or (k, n); turn 0 does not look at `chosen`."""
        ...

    def between(self, candidates: Float, gains: Float) -> Float | None:
        """An s, shape (n,), that may go further inward than the candidates, which go `gains` far, shape (k, n)."""
        ...

    def bound(self, s: Float) -> Float:
        """The divergence allowed at order 1 + s."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """The largest p allowed at each rate q, in logarithms; arrays of shape (n,).

    Attributes
    ----------
    ratio, rest : Float
        log(p/q) and log((1-p)/(1-q)).
    slope : Float
        log dp/dq of the constraint that binds: its tangent lies outside the region.
    """

    ratio: Float
    rest: Float
    slope: Float


class _Forward:
    """D(p|q) <= bound, in the unknown d = log(p/q)."""

    def __init__(self, q: Float) -> None:
        self.q, self.other, self.log = q, 1 - q, np.log(q)

    def start(self, s: Float, bound: Float) -> Float:
        """A d that is no smaller than the solution for any of the candidates."""
        # KL >= (p - q)^2 / (2 p (1 - q)), solved for p; and p^(s+1) q^-s alone must not exceed e^(s bound).
        half = bound * self.other
        near = np.log1p((half + np.sqrt(half * half + 2 * half * self.q)) / self.q)
        term = (bound - self.log / s) / (1 + 1 / s) if np.all(s > 0) else -self.log
        start = np.minimum(np.minimum(near, term), np.log(_NEARLY_ONE) - self.log)
        return np.asarray(np.min(start, axis=0))

    def relate(self, d: Float) -> tuple[Float, Float]:
        """(log(p/q), log((1-p)/(1-q))) at the unknown."""
        gap = np.exp(self.log + d) * -np.expm1(-d)
        return d, np.log1p(-np.minimum(gap / self.other, 1.0))

    def step(self, d: Float, s: Float, bound: Float) -> Float:
        """Newton's step inward; negative where the bound is kept already."""
        d, rest = self.relate(d)
        p = np.exp(self.log + d)
        left = self.other * np.exp(rest)
        if np.all(s == 0):
            return np.asarray((p * d + left * rest - bound) / (p * (d - rest)))
        up, down = np.expm1(np.minimum(s * d, _BIG)), np.expm1(s * rest)
        excess = p * up + left * down
        height, slope = np.log1p(excess), (1 + s) * p * (up - down) / (1 + excess)
        big = s * d > _BIG
        if np.any(big):  # the first term alone, and a slope too steep: both err outward
            height, slope = np.where(big, self.log + (1 + s) * d, height), np.where(big, 1 + s, slope)
        return np.asarray((height - s * bound) / slope)

    def log_slope(self, ratio: Float, rest: Float, s: Float) -> Float:
        """log dp/dq along the level line of order 1 + s."""
        return ratio + _steepness(ratio - rest, s)


class _Backward:
    """D(q|p) <= bound, in the unknown t = log((1-q)/(1-p))."""

    def __init__(self, q: Float) -> None:
        self.q, self.other, self.log = q, 1 - q, np.log1p(-q)

    def start(self, s: Float, bound: Float) -> Float:
        """A t that is no smaller than the solution for any of the candidates."""
        near = -np.log1p(-np.minimum(bound + np.sqrt(bound * bound + 2 * bound * self.q / self.other), 1.0))
        # KL(q|p) >= q log q + (1-q) t; and (1-q) e^(s t) alone must not exceed e^(s bound).
        entropy = (bound - self.q * np.log(self.q)) / self.other
        term = bound - self.log / s if np.all(s > 0) else np.inf
        return np.asarray(np.min(np.minimum(np.minimum(near, entropy), term), axis=0))

    def relate(self, t: Float) -> tuple[Float, Float]:
        """(log(p/q), log((1-p)/(1-q))) at the unknown."""
        return np.log1p(self.other * -np.expm1(-t) / self.q), -t

    def step(self, t: Float, s: Float, bound: Float) -> Float:
        """Newton's step inward; negative where the bound is kept already."""
        ratio, _ = self.relate(t)
        share = -np.expm1(-ratio)  # (p - q) / p
        if np.all(s == 0):
            return np.asarray((self.other * t - self.q * ratio - bound) / share)
        up, down = np.expm1(np.minimum(s * t, _BIG)), np.expm1(-s * ratio)
        excess = self.other * up + self.q * down
        turned = self.other * np.exp(-t - ratio)  # (1-p) q / p
        height, slope = np.log1p(excess), s * (share + self.other * up - turned * down) / (1 + excess)
        big = s * t > _BIG
        if np.any(big):
            height, slope = np.where(big, self.log + s * t, height), np.where(big, s, slope)
        return np.asarray((height - s * bound) / slope)

    def log_slope(self, ratio: Float, rest: Float, s: Float) -> Float:
        """log dp/dq along the level line of order 1 + s."""
        return rest - _steepness(ratio - rest, s)


def boundary(q: Float, orders: Orders, *, widest: float = np.inf) -> Boundary:
    """The largest p allowed at rates `q` in [LEAST, 1), shape (n,); every bound must be > 0.

    `orders`: the claimed orders and their bounds. `widest`: bound at order inf, where one is claimed: log(p/q) and
    log((1-q)/(1-p)) stay below it.
    """
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        ratio, rest, slope = np.ones((3, *q.shape))
        ahead = q < 0.5
        ratio[ahead], rest[ahead], slope[ahead] = _edge(_Forward(q[ahead]), orders, widest)
        # For p >= q, D(p|q) >= D(q|p) exactly when p + q <= 1: because r^a - r^(1-a) is convex for r >= 1, a >= 1/2.
        # So forward binds below the curve's fixed point, and backward above it (ROUNDING carries a p that was cut at
        # _NEARLY_ONE past 1, so to backward).
        behind = ~(ahead & (q * np.exp(ratio) + q <= 1))
        ratio[behind], rest[behind], slope[behind] = _edge(_Backward(q[behind]), orders, widest)
    return Boundary(ratio=ratio, rest=rest, slope=slope)


def _edge(side: _Forward | _Backward, orders: Orders, widest: float) -> tuple[Float, Float, Float]:
    place, binding = _solve(side, orders, widest)
    ratio, rest = side.relate(place + ROUNDING)
    return ratio, rest, side.log_slope(ratio, rest, binding)


def _solve(side: _Forward | _Backward, orders: Orders, widest: float) -> tuple[Float, Float]:
    """The unknown of one side, from outside, and the s that binds there (inf for `widest`)."""
    q = side.q
    s = orders.candidates(q, 0, q)
    place = np.minimum(side.start(s, orders.bound(s)), widest)
    capped = place == widest
    chosen = binding = np.zeros_like(q)
    for turn in range(_ROUNDS):
        s = orders.candidates(q, turn, chosen)
        gains = _usable(side.step(place, s, orders.bound(s)))
        chosen, most = _best(s, gains)
        between = orders.between(s, gains)
        if between is not None:
            gain = _usable(side.step(place, between, orders.bound(between)))
            chosen, most = np.where(gain > most, between, chosen), np.maximum(gain, most)
        inward = most > _SETTLED * place
        if turn == 0:  # the start itself may be the answer of the order that comes closest
            binding = np.where(capped, np.inf, chosen)
        elif turn >= orders.turns and not inward.any():
            break
        binding = np.where(inward, chosen, binding)
        bound = orders.bound(chosen)
        for _ in range(_STEPS):
            gain = _usable(side.step(place, chosen, bound))
            place = place - np.maximum(gain, 0.0)
            if not np.any(gain > _SETTLED * place):
                break
    return place, binding


def _usable(step: Float) -> Float:
    """Newton steps with "no step" for those that are no finite number: staying put errs outward."""
    return np.asarray(np.nan_to_num(step, nan=0.0, posinf=0.0))


def _best(s: Float, gains: Float) -> tuple[Float, Float]:
    """The candidate that goes furthest inward, and how far; shape (n,)."""
    index, column = np.argmax(gains, axis=0), np.arange(gains.shape[1])
    return np.broadcast_to(s, gains.shape)[index, column], gains[index, column]


def _steepness(distance: Float, s: Float) -> Float:
    """log of s/(1+s) (1 - e^-(1+s)x) / (1 - e^-sx), with its limits at s = 0 and s = inf."""
    inner = np.where(s == 0, distance, -np.expm1(-s * distance) / np.where(s == 0, 1.0, s))
    value = np.log(-np.expm1(-(1 + s) * distance)) - np.log1p(s) - np.log(inner)
    return np.where(np.isinf(s), 0.0, value)
