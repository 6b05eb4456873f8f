"""The ziggurat's tables: 256 layers of equal area under a falling density, computed on import.

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

LAYERS = 256

FloatArray: TypeAlias = npt.NDArray[np.float64]
Curve: TypeAlias = Callable[[float], float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ziggurat:
    """One density's layers.

    Attributes
    ----------
    base : float
        The base edge r = x_1; beyond it lies the tail.
    area : float
        The area v of every layer, in units of the unnormalised density.
    edge : float64 array of shape (257,)
        x_0 = v / f(r), the width that the base strip would have without its tail; then x_1 = r down to x_256
        = 0.
    height : float64 array of shape (257,)
        0, then f(x_1) up to f(x_256) = 1: layer i spans the heights i to i + 1.
    """

    base: float
    area: float
    edge: FloatArray
    height: FloatArray


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
