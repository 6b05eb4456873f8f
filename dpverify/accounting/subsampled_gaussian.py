"""Renyi divergence of the Poisson-subsampled Gaussian at any real orders, both directions, never below the truth.

M = (1 - q) N(0, sigma^2) + q N(1, sigma^2) against A = N(0, sigma^2), and A against M. In units of sigma, with
s = 1 / sigma and L the likelihood ratio, (alpha - 1) D_alpha = log E[L^p] with z from N(0, 1) and p = alpha from M
towards A, p = 1 - alpha back. The first is the larger one for every order (Mironov, Talwar, Zhang 2019, arXiv
1908.10530, Theorem 5: A and N(1, sigma^2) are reflections of each other), so it is the cost of a step.

G = E[L^p] - 1 = E[L^p - 1 - p (L - 1)] is a sum over a lattice of spacing h (``lattice_sum``; every term >= 0). What is
added to it:

* the spacing's error: f analytic in |Im z| < Y has |sum - integral| <= 2 M(y) / (e^(2 pi y / h) - 1) for y < Y, M(y)
  bounding the integral of |f| on the lines |Im z| <= y (Trefethen, Weideman 2014, Theorem 5.1). Here Y = pi sigma,
  where L meets 0; |density| grows by e^(y^2/2); and L cos(s y / 2) <= |L(z + iy)| <= L(z), hence
  M <= e^(y^2/2) (c (1 + G) + |p| + |p - 1|) with c = 1 for p > 1 and c = cos(s y / 2)^p for p < 0;
* the nodes left out. For p > 1, left of z1 < 0 the terms are at most min(p - 1, p (p - 1) q^2 / (2 (1 - q))) density;
  right of z1 >= p s they are at most L^p density, whose logarithm falls by z1 - p s or more per unit. For p < 0
  likewise, sides exchanged. Where 1 - q is below `_LOST` of L, L^p is q^p e^(p u), u = s (z - s/2), up to a factor
  e^(p _LOST), and the sum over that is a Gaussian's;
* rounding, from the size of the exponents that went into the sum (a count of operations, not a proof).

`TRUNCATION` is what spacing and window may add, relative to G. For sigma < `LEAST_SIGMA` or q / sigma < `LEAST_EFFECT`
the bound is Minkowski's, (alpha / (alpha - 1)) log(1 - q + q e^((alpha - 1) s^2 / 2)): sound and cheap, not tight. No
value exceeds that without sampling. Not to be confused with sampling without replacement, nor with neighbours that
replace a record.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from dpverify.accounting.lattice_sum import LOG_RATIO, ROOT_2PI, highest_exponent, lattice_sum, table
from dpverify.core.subjects import Float

TRUNCATION = 1e-12
"""Relative error of the lattice in e^((alpha - 1) D) - 1."""
LEAST_SIGMA = 0.02
"""Below it the lattice would be too long; a noise multiplier so small hides nothing."""
LEAST_EFFECT = 1e-120
"""q / sigma below which squares come near the least double."""
LEAST_ORDER = 1.0 + 1e-6
"""Orders below it get the (larger) value at it: towards 1 the rounding of a sum of order alpha - 1 would show."""

_UNIT = 2.0**-53
_CANCELLING = 200.0  # units of rounding for alpha / (alpha - 1): how far the brackets of a term cancel
_EXPONENT = 8.0  # units of rounding for each unit of an exponent
_LARGE = 600.0  # exponents above it are taken out of the sum
_LOST_LOG = 40.0
_LOST = math.exp(-_LOST_LOG)
_TRIES = 4
_WIDEST = 0.6  # spacing: the sum over a whole Gaussian is then its integral up to 3e-24
_STEEPEST = 1.2  # s y / 2 backwards: cos stays away from 0
_LEAST = 5e-324  # added where a product may fall below it
_LONGEST = 16384  # nodes of a table; orders that need more (above some 4000 sigma, for sigma > 80) are left to the cap
_LARGEST_SHIFT = 1e8  # backwards, alpha s above it is left to the cap
_LOG_2 = math.log(2.0)
_ROOT_HALF = math.sqrt(0.5)


@njit(cache=True, nogil=True, error_model="numpy")
def _on_lattice(q: float, s: float) -> bool:
    return s * LEAST_SIGMA <= 1.0 and q * s >= LEAST_EFFECT


@njit(cache=True, nogil=True, error_model="numpy")
def _minkowski(order: float, q: float, s: float) -> float:
    """(alpha / (alpha - 1)) log(1 - q + q e^((alpha - 1) s^2 / 2)), from the triangle inequality in L^alpha."""
    exponent = 0.5 * (order - 1.0) * s * s
    if exponent < 1e-290:  # its digits are going; log(1 - q + q e^x) is q x to the last of them
        return 0.5 * (q * order * s) * s * (1.0 + 8.0 * _UNIT) + _LEAST
    if exponent < 1.0:
        value = math.log1p(q * math.expm1(exponent))
    else:
        value = exponent + math.log(q) + math.log1p(-math.exp(-exponent))  # log(q (e^exponent - 1))
        value = math.log1p(math.exp(value)) if value < _LARGE else value
    # Up to _LARGE the exponent is below 2000, which its exponential multiplies the rounding by.
    value = order / (order - 1.0) * value * (1.0 + 8000.0 * _UNIT)
    return min(value, 0.5 * order * s * s * (1.0 + 4.0 * _UNIT)) + _LEAST


@njit(cache=True, nogil=True, error_model="numpy")
def _doubts(order: float, q: float, s: float) -> float:
    """-log of what the error may be: TRUNCATION times a guess at G, relative to the norms in the bound."""
    square = 2.0 * math.log(q) + (math.log(math.expm1(s * s)) if s < 5.0 else s * s) - _LOG_2
    linear = math.log(q) + 2.0 * math.log(s) - _LOG_2
    guess = math.log(order - 1.0) + min(square, linear, 0.0)
    return -math.log(TRUNCATION) + math.log(2.0 * order + 1.0) - min(guess, 0.0) + 2.0


@njit(cache=True, nogil=True, error_model="numpy")
def _spacing(doubts: float, growth: float, strip: float) -> float:
    """Largest h with max over y < strip of 2 pi y / h - growth y^2 / 2 >= doubts."""
    if math.sqrt(2.0 * doubts / growth) <= strip:
        return min(_WIDEST, math.pi * math.sqrt(2.0 / (doubts * growth)))
    return min(_WIDEST, 2.0 * math.pi * strip / (doubts + 0.5 * growth * strip * strip))


@njit(cache=True, nogil=True, error_model="numpy")
def _below(z: float) -> float:
    return 0.5 * math.erfc(-z * _ROOT_HALF)


@njit(cache=True, nogil=True, error_model="numpy")
def _ripple(y: float, spacing: float, widening: float) -> float:
    """2 e^(y^2/2 + widening) / (e^(2 pi y / h) - 1)."""
    turns = 2.0 * math.pi * y / spacing
    return 2.0 * math.exp(0.5 * y * y + widening - turns) / -math.expm1(-turns)


@njit(cache=True, nogil=True, error_model="numpy")
def _geometric(term: float, fall: float) -> float:
    """term (r + r^2 + ...) with r = e^-fall."""
    return term / math.expm1(fall) if fall < 700.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _logarithm(total: float, size: float, added: float, shift: float, cancelling: float) -> tuple[float, float]:
    """log E[L^p] from above, and the share of `added` in G; `total` and `added` are times e^-shift."""
    rounding = _UNIT * (_CANCELLING * cancelling * total + _EXPONENT * size)
    upper = total + rounding + added
    share = added / total if total > 0.0 else np.inf
    if shift == 0.0:
        return math.log1p(upper) * (1.0 + 4.0 * _UNIT), share
    return (shift + math.log(upper)) * (1.0 + 4.0 * _UNIT), share


@njit(cache=True, nogil=True, error_model="numpy")
def _towards_base(
    order: float, q: float, s: float, spacing: float, first: int, rows: Float, reach: float, ripple: float, left: float
) -> tuple[float, float]:
    """log E[L^alpha] from above, and the share of truncation in it; `rows` reach as far as `_forward` lets them.

    `ripple` is the spacing's error relative to the norms, `left` the normal mass left of the nodes.
    """
    scale, mode = spacing / ROOT_2PI, order * s
    lowest, nodes = 0.5 * s + first * spacing, rows.shape[1]
    count = min(nodes, math.ceil((mode + reach - lowest) / spacing) + 1)
    last = lowest + (count - 1) * spacing
    open_end = last < mode + reach - spacing  # the table ends where L is q e^u
    # log of the integral of q^p e^(p u) density, the whole of it
    whole = order * (math.log(q) + 0.5 * (order - 1.0) * s * s + _LOST)
    shift = 0.0
    if 0.5 * order * (order - 1.0) * s * s > _LARGE:
        top = highest_exponent(order, rows, count)
        if open_end:
            top = max(top, whole)
        shift = top if top > _LARGE else 0.0
    total, size = lattice_sum(order, rows, count, spacing, shift)
    added = 0.0
    exponents = order * (abs(math.log(q)) + 0.5 * (order - 1.0) * s * s)
    if not open_end:
        edge = order * rows[LOG_RATIO, count - 1] - 0.5 * last * last - shift
        added += _geometric(scale * math.exp(edge), spacing * (last - mode))
    elif mode > last + reach:
        part = math.exp(whole - shift)
        total += part
        size += part * exponents
    else:
        z = last + spacing
        part = 0.0
        while z < mode + reach:
            part += scale * math.exp(whole - 0.5 * (z - mode) ** 2 - shift)
            z += spacing
        total += part
        size += part * (exponents + reach * reach)
        part = scale * math.exp(whole - 0.5 * (z - mode) ** 2 - shift)
        added += part + _geometric(part, spacing * (z - mode))
    left *= min(order - 1.0, 0.5 * order * (order - 1.0) * q * q / (1.0 - q))
    beside = 0.0 if shift == 0.0 else 2.0 * order  # the terms beside L^p, and 1 in E[L^p] = 1 + G
    added += ripple * total + (2.0 * order * ripple + left + beside) * (1.0 if shift == 0.0 else math.exp(-shift))
    return _logarithm(total, size, added, shift, order / (order - 1.0))


@njit(cache=True, nogil=True, error_model="numpy")
def _forward(q: float, s: float, orders: Float, times: float, out: Float) -> None:
    """Add `times` D_alpha(M | A) to `out` for q in (0, 1)."""
    if not _on_lattice(q, s):
        for i in range(orders.size):
            out[i] += times * _minkowski(orders[i], q, s)
        return
    least, most = max(orders.min(), LEAST_ORDER), max(orders.max(), LEAST_ORDER)
    doubts = _doubts(least, q, s)
    certain = 0.5 * s + (_LOST_LOG + math.log((1.0 - q) / q)) / s  # from here on 1 - q is lost in L
    longest = 0.0
    for _ in range(_TRIES):
        spacing, reach = _spacing(doubts, 1.0, math.pi / s), math.sqrt(2.0 * doubts)
        end = min(max(certain, s + reach), most * s + reach)
        first = math.floor((-reach - 0.5 * s) / spacing)
        nodes = (end - 0.5 * s) / spacing - first + 3.0
        if nodes > _LONGEST:
            nodes, longest = float(_LONGEST), (0.5 * s + (first + _LONGEST - 2.0) * spacing - reach) / s
        else:
            longest = np.inf
        rows = table(q, s, spacing, first, int(nodes))
        if least > longest:
            break
        y = min(2.0 * math.pi / spacing, math.pi / s)
        ripple, left = _ripple(y, spacing, 0.0), _below(0.5 * s + first * spacing)
        share = _towards_base(least, q, s, spacing, first, rows, reach, ripple, left)[1]
        if share <= TRUNCATION:
            break
        doubts += math.log(min(share, 1.0) / TRUNCATION) + 1.0
    for i in range(orders.size):
        order = max(orders[i], LEAST_ORDER)
        if order <= longest and 0.5 * order * order * s * s < np.inf:
            value = _towards_base(order, q, s, spacing, first, rows, reach, ripple, left)[0] / (order - 1.0)
            whole = 0.5 * orders[i] * s * s
            out[i] += times * min(value, whole) * (1.0 + 4.0 * _UNIT)
        else:
            out[i] += times * _minkowski(orders[i], q, s)


@njit(cache=True, nogil=True, error_model="numpy")
def _from_base(order: float, q: float, s: float, doubts: float) -> tuple[float, float]:
    """log E[L^(1 - alpha)] from above, and the share of truncation in it."""
    power = 1.0 - order
    strip = 2.0 * _STEEPEST / s
    # -log cos v <= 0.71 v^2 up to v = 1.2
    growth = 1.0 + 0.355 * (order - 1.0) * s * s
    spacing, reach = _spacing(doubts, growth, strip), math.sqrt(2.0 * doubts)
    scale = spacing / ROOT_2PI
    flat = 0.5 * s + math.log((1.0 - q) / (q * (order - 1.0) * s)) / s  # left of it L^p rises by less than e^-z
    first = math.floor((min(0.0, max(power * s, flat)) - reach - 1.0 - 0.5 * s) / spacing)
    lowest = 0.5 * s + first * spacing
    nodes = (s + reach - lowest) / spacing + 2.0
    if nodes > _LONGEST:
        return np.inf, 0.0
    count = int(nodes)
    rows = table(q, s, spacing, first, count)
    top = highest_exponent(power, rows, count)
    shift = top if top > _LARGE else 0.0
    total, size = lattice_sum(power, rows, count, spacing, shift)
    # Left: the logarithm of L^p density falls by at least -z - |p| s w per unit, w the share of the shifted part in M.
    share = 1.0 / (1.0 + (1.0 - q) / q * math.exp(-s * first * spacing))
    fall = spacing * (-lowest + power * s * share)
    if not fall > 0.0:
        return np.inf, np.inf
    edge = power * rows[LOG_RATIO, 0] - 0.5 * lowest * lowest - shift
    added = _geometric(scale * math.exp(edge), fall)
    # Right: L > 1, where the term is at most |p| L.
    last = lowest + (count - 1) * spacing
    right = -power * ((1.0 - q) * _below(-last) + q * _below(s - last))
    y = min(2.0 * math.pi / (spacing * growth), strip)
    wider = power * math.log(math.cos(0.5 * s * y))
    rest = (1.0 - 2.0 * power) * math.exp(-shift)
    added += _ripple(y, spacing, wider) * (total + math.exp(-shift)) + _ripple(y, spacing, 0.0) * rest
    added += right * math.exp(-shift)
    if shift > 0.0:
        added += math.exp(-shift) + rest
    return _logarithm(total, size, added, shift, order / (order - 1.0))


@njit(cache=True, nogil=True, error_model="numpy")
def _backward(q: float, s: float, orders: Float, out: Float) -> None:
    """D_alpha(A | M) into `out` for q in (0, 1)."""
    for i in range(orders.size):
        order = max(orders[i], LEAST_ORDER)
        # The divergence is convex in its second argument (van Erven, Harremoes 2014, Theorem 12); and L >= 1 - q.
        cap = min(0.5 * (q * orders[i] * s) * s, -math.log1p(-q)) * (1.0 + 8.0 * _UNIT) + _LEAST
        if _on_lattice(q, s) and order * s < _LARGEST_SHIFT:
            doubts = _doubts(order, q, s)
            for _ in range(_TRIES):
                value, share = _from_base(order, q, s, doubts)
                if share <= TRUNCATION:
                    break
                doubts += math.log(min(share, 1.0) / TRUNCATION) + 1.0
            cap = min(cap, value / (order - 1.0) * (1.0 + 4.0 * _UNIT))
        out[i] = cap


@njit(cache=True, nogil=True, error_model="numpy")
def _sum(rates: Float, scales: Float, times: Float, orders: Float, out: Float) -> None:
    for i in range(rates.size):
        s = 1.0 / scales[i]
        if rates[i] == 1.0:
            for j in range(orders.size):
                out[j] += times[i] * (0.5 * orders[j] * s * s * (1.0 + 4.0 * _UNIT) + _LEAST)
        elif rates[i] > 0.0:
            _forward(rates[i], s, orders, times[i], out)


def curve_sum(rates: Float, sigmas: Float, counts: Float, orders: Float) -> Float:
    """Sum over i of counts[i] times D_alpha(M_i | A_i), never below the truth.

    Parameters
    ----------
    rates, sigmas, counts : ndarray of float64, shape (n,)
        q in [0, 1], sigma > 0, and how often each is run.
    orders : ndarray of float64, shape (k,)
        Finite, above 1.

    Returns
    -------
    ndarray of float64, shape (k,)
        In nats; +inf beyond the largest double. Memory does not grow with n.
    """
    out = np.zeros(orders.size)
    if orders.size:
        _sum(rates, sigmas, counts, orders, out)
    return out * (1.0 + 2.0 * (rates.size + 2) * _UNIT)


def reverse_curve(rate: float, sigma: float, orders: Float) -> Float:
    """D_alpha(A | M), shape of `orders` (k,), never below the truth."""
    out = np.zeros(orders.size)
    s = 1.0 / sigma
    if rate == 1.0:
        out[:] = 0.5 * orders * s * s * (1.0 + 4.0 * _UNIT) + _LEAST
    elif rate > 0.0:
        _backward(rate, s, orders, out)
    return out
