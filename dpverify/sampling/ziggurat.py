"""Normal, exponential and Laplace draws by the ziggurat: one word, one product, one comparison, 99 times in 100.

What it is: a layer of the tables (below) is drawn uniformly, then a point x uniformly on its
width; x is accepted at once if it lies under the next layer, else with the right probability; otherwise everything is
drawn again. The tail is exact, not cut: Marsaglia's exponential rejection for the normal, memorylessness (base edge
plus a fresh draw) for the exponential.

Bits of the one word, disjoint: 0-7 the layer, 11-62 the magnitude, 63 the sign (two's complement). Overlapping layer
and magnitude bits are the flaw of the original code: Doornik, "An Improved Ziggurat Method to Generate Normal Random
Samples" (2005). The point is (2k + 1) 2**-53 of the layer's width, so the law is exactly symmetric, and zero never
occurs.

Rests on: Marsaglia and Tsang (J. Stat. Softw. 5(8), 2000); Marsaglia, "Generating a variable from the tail of
the normal distribution" (Technometrics 6, 1964). Assumes what :mod:`dpverify.sampling.xoshiro` assumes.

Limits: floating-point values on a grid that differs from layer to layer (steps up to 2e-15), so the low bits reveal the
layer: fine for auditing a mechanism with real-valued noise, but not a noise for *releases* (Mironov 2012), nor for
events of probability below about 1e-14. Normal values beyond about 12.2 (probability 2e-34), where the tail's uniforms
run out of bits, never occur.

Not to be confused with numpy's ziggurats, which use the random words differently and so give other numbers for the same
law.

The ziggurat's tables: 256 layers of equal area under a falling density, computed on import.

What it is: for an unnormalised density f on [0, inf), falling, with f(0) = 1, the edges x_1 = r > x_2 > ... >
x_256 = 0 and the area v with

    v = r f(r) + tail(r)                     (layer 0: the base strip, with the tail hung on it)
    v = x_i (f(x_{i+1}) - f(x_i))            (layers 1 to 255: rectangles)

so that a uniform layer and a uniform point in it give a uniform point under f. The recurrence x_{i+1} = f^-1(f(x_i) + v
/ x_i) reaches f = 1 after 255 steps for one r only, which bisection finds to the last bit.

Rests on: Marsaglia and Tsang, "The Ziggurat Method for Generating Random Variables" (J. Stat. Softw. 5(8),
2000). Limits: rounding adds up over the layers; edges are good to about 2e-13 relative, and so is every layer's share.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

from dpverify.sampling.intrinsics import likely
from dpverify.sampling.xoshiro import Real, next_uint64, uniform_open

LAYERS = 256

FloatArray: TypeAlias = npt.NDArray[np.float64]
Curve: TypeAlias = Callable[[float], float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ziggurat:
    """One density's layers."""

    base: float
    """The base edge r = x_1; beyond it lies the tail."""
    area: float
    """The area v of every layer, in units of the unnormalised density."""
    edge: FloatArray
    """Shape (257,): x_0 = v / f(r), the width that the base strip would have without its tail; then x_1 = r down to
    x_256 = 0."""
    height: FloatArray
    """Shape (257,): 0, then f(x_1) up to f(x_256) = 1: layer i spans the heights i to i + 1."""


def build(density: Curve, inverse: Curve, tail: Curve, *, low: float, high: float) -> Ziggurat:
    """Cut a falling density into layers of equal area.

    Parameters
    ----------
    density, inverse : callable
        f with f(0) = 1, and its inverse on (0, 1].
    tail : callable
        r -> integral of f over [r, inf).
    low, high : float
        A bracket of the base edge r: at `low` the layers overshoot f = 1, at `high` they stay below.

    Returns
    -------
    Ziggurat
        With read-only arrays.
    """

    def edges(base: float) -> tuple[float, list[float]]:
        """Return how far the last layer rises above one, and the edges x_0 ... x_255 for this base."""
        area = base * density(base) + tail(base)
        found = [area / density(base), base]
        while len(found) < LAYERS:
            top = density(found[-1]) + area / found[-1]
            if top >= 1.0:
                return math.inf, found
            found.append(inverse(top))
        return density(found[-1]) + area / found[-1] - 1.0, found

    while (middle := 0.5 * (low + high)) not in (low, high):
        low, high = (middle, high) if edges(middle)[0] > 0.0 else (low, middle)
    edge = np.array([*edges(high)[1], 0.0])
    height = np.array([0.0, *(density(x) for x in edge[1:])])
    edge.setflags(write=False)
    height.setflags(write=False)
    return Ziggurat(base=high, area=high * density(high) + tail(high), edge=edge, height=height)


NORMAL = build(
    lambda x: math.exp(-0.5 * x * x),
    lambda y: math.sqrt(-2.0 * math.log(y)),
    lambda r: math.sqrt(0.5 * math.pi) * math.erfc(r / math.sqrt(2.0)),
    low=2.0,
    high=6.0,
)
"""Layers of exp(-x^2 / 2), the half normal."""

EXPONENTIAL = build(lambda x: math.exp(-x), lambda y: -math.log(y), lambda r: math.exp(-r), low=4.0, high=12.0)
"""Layers of exp(-x)."""


_LAYER = np.uint64(LAYERS - 1)  # masks the low eight bits
_ONE = np.uint64(1)
# For each layer: the width of one of 2**53 steps, and the |x| below which a draw is accepted at once.
_NORMAL_STEP, _NORMAL_INNER, _NORMAL_HEIGHT = NORMAL.edge[:-1] * 2.0**-53, NORMAL.edge[1:], NORMAL.height
_NORMAL_BASE = NORMAL.base
_EXPONENTIAL_STEP, _EXPONENTIAL_INNER = EXPONENTIAL.edge[:-1] * 2.0**-53, EXPONENTIAL.edge[1:]
_EXPONENTIAL_HEIGHT, _EXPONENTIAL_BASE = EXPONENTIAL.height, EXPONENTIAL.base


@njit(cache=True, nogil=True, forceinline=True)
def normal(s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> Real:
    """Draw a float64 from the standard normal law N(0, 1)."""
    word, s0, s1, s2, s3 = next_uint64(s0, s1, s2, s3)
    layer = word & _LAYER
    x = ((np.int64(word) >> 10) | 1) * _NORMAL_STEP[layer]
    if likely(abs(x) < _NORMAL_INNER[layer]):
        return x, s0, s1, s2, s3
    return _normal_outside(layer, x, s0, s1, s2, s3)


@njit(cache=True, nogil=True)
def _normal_outside(layer: np.uint64, x: float, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> Real:
    """Finish a normal draw outside its layer's inner part: by wedge, by tail, or by starting again."""
    while True:
        if layer == 0:
            return _normal_tail(x, s0, s1, s2, s3)
        u, s0, s1, s2, s3 = uniform_open(s0, s1, s2, s3)
        floor, ceiling = _NORMAL_HEIGHT[layer], _NORMAL_HEIGHT[layer + _ONE]
        if floor + u * (ceiling - floor) < math.exp(-0.5 * x * x):
            return x, s0, s1, s2, s3
        word, s0, s1, s2, s3 = next_uint64(s0, s1, s2, s3)
        layer = word & _LAYER
        x = ((np.int64(word) >> 10) | 1) * _NORMAL_STEP[layer]
        if abs(x) < _NORMAL_INNER[layer]:
            return x, s0, s1, s2, s3


@njit(cache=True, nogil=True)
def _normal_tail(sign: float, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> Real:
    """Draw a normal beyond the base edge, on the side of `sign` (Marsaglia 1964)."""
    while True:
        u, s0, s1, s2, s3 = uniform_open(s0, s1, s2, s3)
        v, s0, s1, s2, s3 = uniform_open(s0, s1, s2, s3)
        excess = -math.log(u) / _NORMAL_BASE
        if -2.0 * math.log(v) > excess * excess:
            return math.copysign(_NORMAL_BASE + excess, sign), s0, s1, s2, s3


@njit(cache=True, nogil=True, forceinline=True)
def exponential(s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> Real:
    """Draw a positive float64 from the exponential law of mean 1."""
    word, s0, s1, s2, s3 = next_uint64(s0, s1, s2, s3)
    layer = word & _LAYER
    x = (np.int64(word >> 11) | 1) * _EXPONENTIAL_STEP[layer]
    if likely(x < _EXPONENTIAL_INNER[layer]):
        return x, s0, s1, s2, s3
    return _exponential_outside(layer, x, s0, s1, s2, s3)


@njit(cache=True, nogil=True, forceinline=True)
def laplace(s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> Real:
    """Draw a float64 from the Laplace law of location 0 and scale 1 (variance 2): an exponential with a sign bit."""
    word, s0, s1, s2, s3 = next_uint64(s0, s1, s2, s3)
    layer = word & _LAYER
    x = ((np.int64(word) >> 10) | 1) * _EXPONENTIAL_STEP[layer]
    if likely(abs(x) < _EXPONENTIAL_INNER[layer]):
        return x, s0, s1, s2, s3
    magnitude, s0, s1, s2, s3 = _exponential_outside(layer, abs(x), s0, s1, s2, s3)
    return math.copysign(magnitude, x), s0, s1, s2, s3


@njit(cache=True, nogil=True)
def _exponential_outside(
    layer: np.uint64, x: float, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64
) -> Real:
    """Finish an exponential draw outside its layer's inner part: by wedge, by tail, or by starting again."""
    passed = 0.0
    while True:
        if layer == 0:
            passed += _EXPONENTIAL_BASE  # memoryless: beyond the base edge the law is the same again
        else:
            u, s0, s1, s2, s3 = uniform_open(s0, s1, s2, s3)
            floor, ceiling = _EXPONENTIAL_HEIGHT[layer], _EXPONENTIAL_HEIGHT[layer + _ONE]
            if floor + u * (ceiling - floor) < math.exp(-x):
                return passed + x, s0, s1, s2, s3
        word, s0, s1, s2, s3 = next_uint64(s0, s1, s2, s3)
        layer = word & _LAYER
        x = (np.int64(word >> 11) | 1) * _EXPONENTIAL_STEP[layer]
        if x < _EXPONENTIAL_INNER[layer]:
            return passed + x, s0, s1, s2, s3
