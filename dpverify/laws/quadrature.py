"""Adaptive Clenshaw-Curtis integration on the line, in panels, with an estimate of its error.

Basis: on a panel without a kink the 33-point rule is far more accurate than the nested 17-point rule, so
their difference bounds its error in practice (not in proof: results are never `proved`). Kinks and jumps inside a panel
are cornered by halving; the rules look at the panels' ends, which Gauss rules do not, so that a kink beside an end is
seen. Assumptions: the integrand bends on lengths of about `scale` near the anchors and more slowly elsewhere, and is
finite; values beyond 2^52 scales are left out. A narrow peak that no anchor names can be missed: name it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from dpverify.core.errors import UnsupportedError
from dpverify.core.subjects import Float

_NEAR = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64], dtype=np.float64)
_FAR = 2.0 ** np.arange(7, 53)
_TOLERANCE = 1e-13  # relative, over the whole integral
_ROUNDING = 2.0**-50
_ROUNDS = 60
_PANELS = 20_000


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
