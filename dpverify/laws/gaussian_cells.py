"""Gaussian noise seen in cells of the line: exact proofs where two normal laws have different spreads.

What it rests on: cell probabilities are differences of normal tails, each taken on the side where nothing cancels
(scipy's `log_ndtr` in floats, Arb's erfc in balls). For neighbours with one and the same spread use `GaussianLaw`,
which is not a coarsening; this is for mechanisms whose spread depends on the data, where the densities' comparison
needs quadrature and cannot be proved. Every divergence is a lower bound (see `coarse`).
"""

from __future__ import annotations

from fractions import Fraction

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from dpverify.core.errors import InputError
from dpverify.laws.balls import exact_ball
from dpverify.laws.coarse import CoarseLaw
from dpverify.laws.discrete import DiscreteLaw

Float = NDArray[np.float64]

_RELATIVE = 2.0**-40
"""Bound on the error of `log_ndtr`, relative to 1 + its size (observed: below 2^-47), standardising included."""


def gaussian_cells(location: float, spread: float, edges: Float) -> CoarseLaw:
    """The law of the cell that a normal number falls into: below the first edge, between neighbours, above the last.

    Parameters
    ----------
    location, spread : float
        Mean and standard deviation, finite; spread > 0.
    edges : ndarray, shape (k,)
        Rising, finite and public.

    Raises
    ------
    InputError
        For other numbers, or a cell that is lighter than doubles can tell.
    """
    cuts = np.asarray(edges, dtype=np.float64)
    if not (np.isfinite(location) and 0 < spread < np.inf):
        raise InputError(f"a normal law around {location} of spread {spread}", allowed="finite numbers, spread > 0")
    if cuts.ndim != 1 or cuts.size == 0 or not np.isfinite(cuts).all() or not np.all(np.diff(cuts) > 0):
        raise InputError(f"edges of shape {cuts.shape}", allowed="finite numbers that rise, shape (k,), k >= 1")
    points = (cuts - location) / spread
    below, above = log_ndtr(points), log_ndtr(-points)
    lower = points[1:] <= -points[:-1]  # the lighter tails
    outer, rest = np.where(lower, below[1:], above[:-1]), np.where(lower, below[:-1], above[1:])
    share = -np.expm1(rest - outer)
    if not np.all(share > 0):
        raise InputError("two edges that no double tells apart here", allowed="edges further apart")
    logs = np.concatenate([below[:1], outer + np.log(share), above[-1:]])
    error = _RELATIVE * (1.0 + float(np.max(-logs))) * 2.0 / float(np.min(share, initial=1.0))

    def enclose() -> list[flint.arb]:
        return _ball_cells([(Fraction(cut) - Fraction(location)) / Fraction(spread) for cut in cuts.tolist()])

    return CoarseLaw(cells=DiscreteLaw(log_probabilities=np.minimum(logs, 0.0), error=error, enclose=enclose))


def _ball_cells(points: list[Fraction]) -> list[flint.arb]:
    root = flint.arb(2).sqrt()
    scaled = [exact_ball(point) / root for point in points]
    below, above = [(-point).erfc() / 2 for point in scaled], [point.erfc() / 2 for point in scaled]
    inner = [
        below[i + 1] - below[i] if points[i + 1] <= -points[i] else above[i] - above[i + 1]
        for i in range(len(points) - 1)
    ]
    return [below[0], *inner, above[-1]]
