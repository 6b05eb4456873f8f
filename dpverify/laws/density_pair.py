"""Two densities on the line compared by numerical integration; the error is an estimate and never `proved`.

Results it rests on: delta(epsilon) is the integral of (p - e^epsilon q)_+, Renyi that of p^alpha q^(1-alpha). The
largest log-ratio is found where it is known where to look: between kinks the ratio of two mixtures of Laplace noise
of one scale is a Moebius function of e^(2x/scale), so it is monotone and peaks at a kink. Elsewhere epsilon at
delta = 0 raises UnsupportedError: a maximum over a grid would be a guess.

Integration is adaptive Clenshaw-Curtis on the line, in panels, with an estimate of its error: on a panel without a kink
the 33-point rule is far more accurate than the nested 17-point rule, so their difference bounds its error in practice
(not in proof: results are never `proved`). Kinks and jumps inside a panel are cornered by halving; the rules look at
the panels' ends, which Gauss rules do not, so that a kink beside an end is seen. The integrand is taken to bend on
lengths of about `scale` near the anchors and more slowly elsewhere, and to be finite; values beyond 2^52 scales are
left out. A narrow peak that no anchor names can be missed: name it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.subjects import Float
from dpverify.laws.discrete_pair import DiscretePair
from dpverify.laws.epsilon_at_delta import check_delta, smallest_epsilon

if TYPE_CHECKING:
    from dpverify.laws.density import DensityLaw


_UNIT = 2.0**-53
_ENOUGH = 1e-16  # below what the densities' own rounding does to a delta
_LARGEST_TAIL = 1e-9  # of a Renyi integral, beyond the last panel
_CELLS = 32  # per panel, for the trade-off curve
_CELL_RULE = np.polynomial.legendre.leggauss(6)


_NEAR = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64], dtype=np.float64)
_FAR = 2.0 ** np.arange(7, 53)
_TOLERANCE = 1e-13  # relative, over the whole integral
_ROUNDING = 2.0**-50
_ROUNDS = 60
_PANELS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DensityPair:
    """P with density `p` against Q with density `q`, in nats."""

    p: DensityLaw
    q: DensityLaw
    _edges: Float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_edges", self._panels(()))

    def _support(self) -> tuple[float, float]:
        p, q = self.p, self.q
        return min(p.support[0], q.support[0]), max(p.support[1], q.support[1])

    def _panels(self, further: tuple[float, ...]) -> Float:
        p, q = self.p, self.q
        ends = [end for end in (*p.support, *q.support) if math.isfinite(end)]
        return panel_edges((*p.kinks, *q.kinks, *ends, *further), min(p.scale, q.scale), self._support())

    def _logs(self, points: Float) -> tuple[Float, Float]:
        """log p and log(p / q), the latter -inf where p is 0 and +inf where only q is."""
        log_p, log_q = self.p.log_at(points), self.q.log_at(points)
        return log_p, np.subtract(log_p, log_q, out=np.full(log_p.shape, -np.inf), where=log_p > -np.inf)

    def swap(self) -> DensityPair:
        """The pair (Q, P)."""
        return DensityPair(p=self.q, q=self.p)

    def delta(self, epsilon: float) -> Enclosed:
        """The hockey-stick divergence at any real or infinite `epsilon`; error by quadrature, estimated."""
        if math.isnan(epsilon):
            raise InputError("epsilon nan", allowed="a number")

        def excess(points: Float) -> Float:
            log_p, ratio = self._logs(points)
            if epsilon == math.inf:
                return np.where(ratio == np.inf, np.exp(log_p), 0.0)
            return np.exp(log_p) * -np.expm1(np.minimum(epsilon - ratio, 0.0))

        value, error = integrate(excess, self._edges, enough=_ENOUGH)
        if epsilon == math.inf and value == 0:
            return Enclosed(value=0.0)
        return Enclosed(value=min(max(value, 0.0), 1.0), error=error + self.p.defect + self.q.defect)

    def epsilon(self, delta: float) -> Enclosed:
        """Smallest epsilon at `delta`, by root search; at delta = 0 only for Laplace mixtures of one scale."""
        check_delta(delta)
        return self._largest_ratio() if delta == 0 else smallest_epsilon(self.delta, delta)

    def _largest_ratio(self) -> Enclosed:
        p, q = self.p, self.q
        if p.decay_scale is not None and p.decay_scale == q.decay_scale:
            kinks = np.array([*p.kinks, *q.kinks])
            log_p, ratio = self._logs(kinks)
            size = 16 + 4 * float(np.max(np.abs(log_p) + np.abs(ratio) + np.abs(kinks) / p.decay_scale))
            return Enclosed(value=max(0.0, float(np.max(ratio))), error=_UNIT * size)
        if self._uncovered():
            return Enclosed(value=math.inf)
        raise UnsupportedError("the largest log-ratio of two general densities (ask for epsilon at delta > 0)")

    def _uncovered(self) -> bool:
        beyond = self.delta(math.inf)
        return beyond.lower > 0

    def renyi(self, order: float) -> Enclosed:
        """Renyi divergence of `order` in [1, inf]; error by quadrature, estimated.

        Raises UnsupportedError when a tail does not die out (an infinite divergence, or one out of reach).
        """
        if not order >= 1:
            raise InputError(f"order {order}", allowed="a number in [1, inf]")
        if math.isinf(order):
            return self._largest_ratio()
        if self._uncovered():
            return Enclosed(value=math.inf)
        defects = self.p.defect + self.q.defect
        if order == 1:
            value, error = integrate(self._kullback, self._edges)
            return Enclosed(value=max(0.0, value), error=error + defects * (1 + abs(value)))

        def exponent(points: Float) -> Float:
            log_p, ratio = self._logs(points)
            return np.where(log_p > -np.inf, log_p + (order - 1) * np.where(log_p > -np.inf, ratio, 0.0), -np.inf)

        place, peak = _summit(exponent, self._edges)
        open_ends = np.isinf(self._support())
        ends = self._edges[[0, -1]][open_ends]
        log_p, ratio = self._logs(np.array([place]))
        rounding = _UNIT * (16 + 8 * order * float(abs(log_p[0]) + abs(ratio[0])))
        total = error = tails = math.inf
        if not np.any(exponent(ends) >= peak - 1):  # else the summit is out there
            total, error = integrate(lambda x: np.exp(exponent(x) - peak), self._panels((place,)), noise=rounding)
            tails = float(np.sum(np.abs(ends) * np.exp(exponent(ends) - peak)))
        if not tails <= _LARGEST_TAIL * total or math.isinf(total):
            raise UnsupportedError("the integrand has no end in sight: the divergence is infinite or out of reach")
        error += tails
        value = (peak + math.log(total)) / (order - 1)
        spread = (error / total + (2 * order - 1) * defects) / (order - 1)
        return Enclosed(value=max(0.0, value), error=spread)

    def _kullback(self, points: Float) -> Float:
        log_p, ratio = self._logs(points)
        density = np.exp(log_p)
        return density * np.where(density > 0, ratio, 0.0)

    def tradeoff(self, alpha: ArrayLike) -> Float:
        """The curve of the best test that sees only a fine cell: never below the true curve, up to quadrature error."""
        edges = self._edges
        shares = np.arange(_CELLS) / _CELLS
        left = (edges[:-1, None] + np.diff(edges)[:, None] * shares).ravel()
        right = np.append(left[1:], edges[-1])
        nodes, weights = _CELL_RULE
        half = ((right - left) / 2)[:, None]
        points = ((left + right) / 2)[:, None] + half * nodes

        def masses(law: DensityLaw) -> Float:
            mass = (half * np.exp(law.log_at(points))) @ weights
            return np.asarray(mass / np.sum(mass), dtype=np.float64)

        p, q = masses(self.p), masses(self.q)
        logs = [np.log(m, out=np.full(m.shape, -np.inf), where=m > 0) for m in (p, q)]
        return DiscretePair(log_p=logs[0], log_q=logs[1]).tradeoff(alpha)

    def prove(self, measure: Measure) -> Enclosed | None:
        """None: quadrature proves nothing."""
        return None

    def enclosure(self, measure: Measure) -> Enclosed | None:
        """None, for the same reason."""
        return None


def _summit(function: Callable[[Float], Float], edges: Float) -> tuple[float, float]:
    """Where `function` is largest, and its value there."""
    from scipy.optimize import minimize_scalar  # slow to load, and not every audit comes here

    values = function(edges)
    best = int(np.argmax(values))
    low, high = edges[max(best - 1, 0)], edges[min(best + 1, edges.size - 1)]
    floor = values[best] - 1e6  # the search needs finite numbers

    def depth(x: float) -> float:
        return -max(float(function(np.array([x]))[0]), float(floor))

    found = minimize_scalar(depth, bounds=(low, high), method="bounded")
    place, peak = float(found.x), -depth(float(found.x))
    return (place, peak) if peak > values[best] else (float(edges[best]), float(values[best]))


def _clenshaw_curtis(intervals: int) -> tuple[Float, Float]:
    """Nodes from 1 to -1 and weights on [-1, 1]; `intervals` is even."""
    angles = np.pi * np.arange(intervals + 1) / intervals
    j = np.arange(1, intervals // 2 + 1)
    factors = np.where(j == intervals // 2, 1.0, 2.0) / (4.0 * j**2 - 1)
    weights = 2 / intervals * (1 - np.cos(2 * np.outer(angles, j)) @ factors)
    weights[[0, -1]] /= 2
    return np.cos(angles), weights


_NODES, _FINE = _clenshaw_curtis(32)
_COARSE = _clenshaw_curtis(16)[1]


def panel_edges(anchors: Iterable[float], scale: float, support: tuple[float, float]) -> Float:
    """Sorted panel edges, shape (m,): dense around each anchor, geometric outside, cut at the support."""
    places = np.array(sorted(set(anchors)), dtype=np.float64)
    low, high = support
    ends = [end for end in support if np.isfinite(end)]
    if places.size == 0:
        places = np.array(ends[:1] or [0.0])
    near = (places[:, None] + scale * np.concatenate((-_NEAR[:0:-1], _NEAR))).ravel()
    edges = np.concatenate((places[0] - scale * _FAR, near, places[-1] + scale * _FAR, ends))
    return np.unique(edges[(edges >= low) & (edges <= high)])


def integrate(
    function: Callable[[Float], Float], edges: Float, *, enough: float = 0.0, noise: float = _ROUNDING
) -> tuple[float, float]:
    """Integral of `function` (vectorised) over [edges[0], edges[-1]] and the estimated absolute error.

    Panels are halved until the error is relatively 1e-13, or absolutely `enough`, or down to the function's own
    relative rounding `noise`, which no halving mends. Raises UnsupportedError where the integrand is not finite.
    """
    left, right = edges[:-1], edges[1:]
    total = error = magnitude = 0.0
    for turn in range(_ROUNDS):
        half = (right - left) / 2
        values = function(((left + right) / 2)[:, None] + half[:, None] * _NODES)
        if not np.all(np.isfinite(values)):
            raise UnsupportedError(
                "the integrand is not finite: the integral is infinite or out of reach of quadrature"
            )
        fine, coarse = half * (values @ _FINE), half * (values[:, ::2] @ _COARSE)
        gap = np.abs(fine - coarse)
        size = magnitude + float(np.sum(np.abs(fine)))
        bad = gap > np.maximum(max(_TOLERANCE * size, enough) / edges.size, noise * np.abs(fine))
        if turn == _ROUNDS - 1 or left.size > _PANELS:
            bad[:] = False  # give up; the gaps say so
        total += float(np.sum(fine[~bad]))
        magnitude += float(np.sum(np.abs(fine[~bad])))
        error += float(np.sum(gap[~bad]))
        if not bad.any():
            break
        middle = (left[bad] + right[bad]) / 2
        left, right = np.concatenate((left[bad], middle)), np.concatenate((middle, right[bad]))
    return total, error + noise * magnitude
