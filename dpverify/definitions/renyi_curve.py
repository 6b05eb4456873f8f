"""The trade-off curve and the privacy profile of a region that Renyi bounds leave (see ``renyi_region``).

The profile is the region's support function delta(epsilon) = max p - e^epsilon q. The maximiser is bracketed between
two points whose tangents are steeper and flatter than e^epsilon; the tangents bound the maximum **from above**, so
delta, like the region, is never smaller than the definition implies. Never above the textbook conversions, which use
one inequality of the region each (Canonne, Kamath, Steinke 2020, arXiv 2004.00010, Proposition 12).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.subjects import Float
from dpverify.definitions.curve import rates, symmetric_profile
from dpverify.definitions.renyi_region import LEAST, ROUNDING, Orders, boundary

_TURNS, _POINTS = 60, 256  # sections of the bracket, and points looked at in each (at least 1 an epsilon)
_TIGHT = 1e-12  # relative gap between the tangents' bound and the point reached, at which the search ends
_CLIP = 700.0


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
