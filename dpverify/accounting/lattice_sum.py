"""The sum behind the subsampled Gaussian's Renyi divergence: E[L^p - 1 - p (L - 1)] under N(0, 1), on a lattice.

L(z) = 1 - q + q e^(s (z - s/2)) is the likelihood ratio of the mixture against N(0, 1), s = 1 / sigma. Its mean is 1,
so the expectation is E[L^p] - 1, and every term is >= 0 when p > 1 or p < 0: nothing cancels, however small the
divergence. With x = L - 1, l = log(1 + x), e = p l each term is (e^e - 1 - e) + p (l - x), of which the first and the
last bracket come from series where they are small. The lattice is centred at s/2, where x = 0, so that x keeps its
digits there.

Here are the table of nodes, shared by all powers, and the sum; windows, error bounds and sides are those of
``subsampled_gaussian``. Not to be confused with the two erfc series of Mironov, Talwar, Zhang (2019), which alternate.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from dpverify.accounting.vector_exp import vector_exp
from dpverify.core.subjects import Float

LOG_RATIO, CURVED, WEIGHTED, HALF_SQUARE, WEIGHT = range(5)
"""Rows of a table: l = log L; l - x where x is below e^40; x times the weight; z^2 / 2; the weight, density times h.

The weight may underflow where its product with x does not.
"""

ROOT_2PI = math.sqrt(2.0 * math.pi)
_SMALL = 0.5  # |e| below which e^e - 1 - e is summed as a series; the 13 terms leave 3e-16 of it
_SMALL_RATIO = 0.05  # the same for log(1 + x) - x, with 12 terms
_REORDER = {"reassoc", "contract"}  # of sums of terms of one sign, so that they vectorise
_LOST = 40.0  # the log of x beyond which 1 - q is lost beside it
_C = tuple(1.0 / math.factorial(k) for k in range(2, 15))


@njit(cache=True, nogil=True, error_model="numpy")
def table(q: float, s: float, spacing: float, first: int, count: int) -> Float:
    """Nodes z = s/2 + k spacing, k = first, ..., first + count - 1; shape (5, count). q in (0, 1)."""
    rows = np.empty((5, count))
    stay, log_q, scale = 1.0 - q, math.log(q), spacing / ROOT_2PI
    for i in range(count):
        step = (first + i) * spacing
        z = 0.5 * s + step
        half, log_x = 0.5 * z * z, s * step + log_q  # x + q = e^log_x
        rows[0, i], rows[3, i], rows[4, i] = log_x, half, scale * vector_exp(-half)
        rows[1, i] = vector_exp(min(log_x, _LOST))
        rows[2, i] = scale * vector_exp(log_x - half)
    for i in range(count):
        u, x = s * (first + i) * spacing, rows[1, i] - q
        if abs(u) < 1.0:
            x = q * math.expm1(u)
            rows[2, i] = rows[4, i] * x
        else:
            rows[2, i] -= rows[4, i] * q
        if abs(x) < _SMALL_RATIO:
            series = 0.0
            for k in range(13, 1, -1):
                series = 1.0 / k - x * series
            rows[1, i] = -x * x * series
            rows[0, i] = x + rows[1, i]
        else:
            if rows[0, i] < _LOST:  # else L is e^log_x
                rows[0, i] = math.log1p(x) if x > -0.5 else math.log(stay + q * math.exp(u))
            rows[1, i] = rows[0, i] - x
    return rows


@njit(cache=True, nogil=True, error_model="numpy")
def _first_at_least(values: Float, count: int, bound: float) -> int:
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if values[middle] < bound:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_REORDER)
def _near(power: float, rows: Float, start: int, stop: int) -> tuple[float, float]:
    """The terms with |e| < 1/2, and the same weighted by z^2 / 2."""
    total, size = 0.0, 0.0
    for i in range(start, stop):
        e = power * rows[0, i]
        high = _C[6] + e * (_C[7] + e * (_C[8] + e * (_C[9] + e * (_C[10] + e * (_C[11] + e * _C[12])))))
        series = _C[0] + e * (_C[1] + e * (_C[2] + e * (_C[3] + e * (_C[4] + e * (_C[5] + e * high)))))
        term = rows[4, i] * (e * e * series + power * rows[1, i])
        total += term
        size += term * rows[3, i]
    return total, size


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_REORDER)
def _far(power: float, rows: Float, start: int, stop: int, scale: float, shift: float) -> tuple[float, float]:
    """The other terms; of L^p alone where there is a shift."""
    total, size = 0.0, 0.0
    beside = 1.0 if shift == 0.0 else 0.0
    for i in range(start, stop):
        e = power * rows[0, i]
        term = scale * vector_exp(e - rows[3, i] - shift)
        total += term - beside * (rows[4, i] + power * rows[2, i])
        size += term * (abs(e) + rows[3, i])
    return total, size


@njit(cache=True, nogil=True, error_model="numpy")
def lattice_sum(power: float, rows: Float, count: int, spacing: float, shift: float) -> tuple[float, float]:
    """Sum over the first `count` nodes, times e^-shift, and how large its exponents were.

    Parameters
    ----------
    power : float
        Above 1 or below 0.
    shift : float
        0, or an exponent so large that beside it only L^p counts: then that alone is summed.

    Returns
    -------
    tuple of float
        The sum, and the sum of terms weighted by the size of their exponents (for the rounding error).
    """
    scale = spacing / ROOT_2PI
    if shift > 0.0:
        return _far(power, rows, 0, count, scale, shift)
    near = _SMALL / abs(power)
    start, stop = _first_at_least(rows[0], count, -near), _first_at_least(rows[0], count, min(near, _LOST - 1.0))
    left, left_size = _far(power, rows, 0, start, scale, shift)
    middle, middle_size = _near(power, rows, start, stop)
    right, right_size = _far(power, rows, stop, count, scale, shift)
    return left + middle + right, left_size + middle_size + right_size


@njit(cache=True, nogil=True, error_model="numpy")
def highest_exponent(power: float, rows: Float, count: int) -> float:
    """Largest p l - z^2 / 2 among the first `count` nodes."""
    top = -np.inf
    for i in range(count):
        top = max(top, power * rows[0, i] - rows[3, i])
    return top
