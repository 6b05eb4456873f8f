"""Masses of cells of a normal and of a chi-square, and of a binomial's sizes, in doubles and in ball arithmetic.

What :mod:`~reference_impls.papers.blsgd.lemmas.batch_norm` adds up. Edges increase; m of them part the line into m + 1
cells. Doubles are taken from the nearer tail, so that a cell far out keeps its digits, and carry rounding errors; balls
enclose. The binomial is cut to a window around its mean, and the mass outside is bounded (Bernstein).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaincc, gammaln, ndtr

from dpverify.laws.balls import exact_ball

Float = NDArray[np.float64]
TAIL = 1e-20
"""Of the binomial, left out of the window and enclosed."""


@lru_cache(maxsize=64)
def binomial(records: int, q: float) -> tuple[Float, Float, float]:
    """The window of sizes around n q, their probabilities, and a bound on the mass outside."""
    middle, deviation = records * q, math.sqrt(records * q * (1.0 - q))
    # Bernstein: both tails at t are below 2 exp(-t^2 / (2 (variance + t / 3)))
    goal = math.log(2.0 / TAIL)
    reach = goal / 3.0 + math.sqrt(goal * goal / 9.0 + 2.0 * goal * deviation**2)
    sizes = np.arange(max(0, math.floor(middle - reach)), min(records, math.ceil(middle + reach)) + 1.0)
    logs = gammaln(records + 1) - gammaln(sizes + 1) - gammaln(records - sizes + 1)
    weights = np.exp(logs + sizes * math.log(q) + (records - sizes) * math.log1p(-q))
    return sizes, weights / weights.sum(), 0.0 if sizes.size == records + 1 else TAIL


def binomial_balls(records: int, q: float, sizes: Float) -> list[flint.arb]:
    """Probabilities of the sizes, whole numbers one after the other."""
    rate, first = exact_ball(q), int(sizes[0])
    choose = flint.arb(records + 1).lgamma() - flint.arb(first + 1).lgamma() - flint.arb(records - first + 1).lgamma()
    at = (choose + first * rate.log() + (records - first) * (1 - rate).log()).exp()
    found = []
    for size in range(first, int(sizes[-1]) + 1):
        found.append(at)
        at = at * (records - size) / (size + 1) * rate / (1 - rate)
    return found


def normal_cells(edges: Float) -> Float:
    """Masses between the edges, shape (..., m) to (..., m + 1), from the nearer tail."""
    below, above = ndtr(edges), ndtr(-edges)
    return _between(below, above)


def chi_square_cells(free: int, edges: Float) -> Float:
    """The same for a chi-square with `free` degrees of freedom, edges above 0."""
    shape, at = free / 2.0, edges / 2.0
    return _between(
        np.asarray(gammainc(shape, at), dtype=np.float64), np.asarray(gammaincc(shape, at), dtype=np.float64)
    )


def _between(below: Float, above: Float) -> Float:
    start = np.zeros((*below.shape[:-1], 1))
    low = np.diff(np.concatenate([start, below, start + 1.0], axis=-1))
    high = -np.diff(np.concatenate([start + 1.0, above, start], axis=-1))
    left = np.concatenate([start, below], axis=-1) < 0.5
    return np.where(left, low, high)


def normal_balls(edges: list[flint.arb]) -> list[flint.arb]:
    """As :func:`normal_cells`, in balls."""
    root = flint.arb(2).sqrt()
    return _steps(edges, lambda at: (-at / root).erfc() / 2)


def chi_square_balls(free: int, edges: list[flint.arb]) -> list[flint.arb]:
    """As :func:`chi_square_cells`, in balls."""
    shape = flint.arb(free) / 2
    return _steps(edges, lambda at: (at / 2).gamma_lower(shape, regularized=1))


def _steps(places: list[flint.arb], law: Callable[[flint.arb], flint.arb]) -> list[flint.arb]:
    values = [flint.arb(0), *(law(place) for place in places), flint.arb(1)]
    return [after - before for before, after in pairwise(values)]
