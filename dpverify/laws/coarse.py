"""A coarsening of a law: the output seen through a finite partition, for laws that are exact there and nowhere else.

Basis: which cell of a fixed partition the output fell into is post-processing of it, so by data processing
(van Erven and Harremoes 2014, Theorem 9; Dong, Roth, Su 2019, Lemma 1) every divergence between the cells is a **lower
bound** of the divergence between the outputs. A violation found in the cells is one of the mechanism; a bound that
holds for the cells need not hold for it. So such a pair proves and refutes, and never certifies: `enclosure` is None.

Assumption: both laws are cut by the same, public partition; partitions that are stated must agree. Not to be confused
with a mechanism that releases the cell itself, whose law is a `DiscreteLaw`.

Gaussian noise seen in cells of the line has exact proofs where two normal laws have different spreads: cell
probabilities are differences of normal tails, each taken on the side where nothing cancels (`log_ndtr` in floats, erfc
in balls). For neighbours with one and the same spread use `GaussianLaw`, which is not a coarsening; cells are for
mechanisms whose spread depends on the data, where the densities' comparison needs quadrature and cannot be proved.
Every divergence is a lower bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, logsumexp

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.balls import exact_ball
from dpverify.laws.discrete import DiscreteLaw

_RELATIVE = 2.0**-40
"""Bound on the error of `log_ndtr`, relative to 1 + its size (observed: below 2^-47), standardising included."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoarseLaw:
    """The known part of a law: the probabilities of the cells of a public partition."""

    cells: DiscreteLaw
    """Exact probabilities of the cells, in an order that both laws of a pair share."""
    partition: bytes = b""
    """Identifies the partition (the bytes of the edges), where it may depend on the data."""

    def against(self, other: object) -> LawPair:
        """The pair (self, other); UnsupportedError unless `other` is a coarsening by the same partition."""
        if not isinstance(other, CoarseLaw):
            raise UnsupportedError(f"a coarsening can be compared only with another, not with {type(other).__name__}")
        if self.partition != other.partition:
            raise UnsupportedError("two coarsenings by different partitions: cells that follow the data show nothing")
        return CoarsePair(cells=self.cells.against(other.cells))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoarsePair:
    """Two coarsenings compared: every number is exact for the cells and a lower bound for the outputs."""

    cells: LawPair
    """The pair of cell laws."""

    def swap(self) -> CoarsePair:
        """The pair (Q, P)."""
        return CoarsePair(cells=self.cells.swap())

    def epsilon(self, delta: float) -> Enclosed:
        """Smallest epsilon at `delta` that the cells allow: never above the outputs' own."""
        return self.cells.epsilon(delta)

    def delta(self, epsilon: float) -> Enclosed:
        """The hockey-stick divergence of the cells: never above the outputs' own."""
        return self.cells.delta(epsilon)

    def renyi(self, order: float) -> Enclosed:
        """Renyi divergence of the cells: never above the outputs' own."""
        return self.cells.renyi(order)

    def tradeoff(self, alpha: ArrayLike) -> Float:
        """UnsupportedError: the cells' curve is above that of the outputs, and a figure would not show it."""
        raise UnsupportedError("the trade-off curve of a law of which only a coarsening is known")

    def prove(self, measure: Measure) -> Enclosed | None:
        """A proved enclosure of the cells' measure, which is a lower bound of the outputs': enough to refute."""
        return self.cells.prove(measure)

    def enclosure(self, measure: Measure) -> Enclosed | None:
        """None: no upper bound is known, for any measure."""
        del measure
        return None


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
    cuts = _checked(np.array([location]), np.array([spread]), edges)
    logs, error = _log_cells(np.array([location]), np.array([spread]), cuts)

    def enclose() -> list[flint.arb]:
        return _ball_cells(_standardised(location, spread, cuts))

    return CoarseLaw(
        cells=DiscreteLaw(log_probabilities=logs[0], error=error, enclose=enclose), partition=cuts.tobytes()
    )


def mixed_gaussian_cells(locations: Float, spreads: Float, counts: NDArray[np.int64], edges: Float) -> CoarseLaw:
    """`gaussian_cells` of a mixture: which of the normal numbers it was is not seen.

    The numbers are those of a `MixtureLaw` of the parts' cells; thousands of parts are done at once.

    Parameters
    ----------
    locations, spreads : ndarray, shape (r,)
        As `gaussian_cells`.
    counts : ndarray, shape (r,)
        Whole numbers >= 1 that the weights are proportional to.
    edges : ndarray, shape (k,)
        As `gaussian_cells`.

    Raises
    ------
    InputError
        As `gaussian_cells`.
    """
    cuts = _checked(locations, spreads, edges)
    if not (counts.shape == locations.shape and counts.dtype == np.int64 and np.all(counts >= 1)):
        raise InputError(f"counts of shape {counts.shape}", allowed=f"whole numbers >= 1, shape {locations.shape}")
    logs, error = _log_cells(locations, spreads, cuts)
    total = int(counts.sum())
    different, which = np.unique(counts, return_inverse=True)
    log_weights = np.array([math.log(count / total) for count in different.tolist()])
    stacked = log_weights[which][:, None] + logs
    largest = float(np.max(np.abs(stacked)))

    def enclose() -> list[flint.arb]:
        sums = [flint.arb(0)] * (cuts.size + 1)
        for location, spread, count in zip(locations.tolist(), spreads.tolist(), counts.tolist(), strict=True):
            weight = exact_ball(Fraction(count, total))
            cells = _ball_cells(_standardised(location, spread, cuts))
            sums = [sum_ + weight * cell for sum_, cell in zip(sums, cells, strict=True)]
        return sums

    return CoarseLaw(
        cells=DiscreteLaw(
            log_probabilities=np.minimum(logsumexp(stacked, axis=0), 0.0),
            error=error + 2.0**-52 * (largest + counts.size + 8),
            enclose=enclose,
        ),
        partition=cuts.tobytes(),
    )


def _checked(locations: Float, spreads: Float, edges: Float) -> Float:
    """The edges; InputError for invalid normal laws or partitions."""
    cuts = np.asarray(edges, dtype=np.float64)
    if locations.ndim != 1 or locations.size == 0 or spreads.shape != locations.shape:
        raise InputError(f"locations of shape {locations.shape}", allowed="as many spreads, shape (r,), r >= 1")
    wrong = np.flatnonzero(~(np.isfinite(locations) & (spreads > 0) & (spreads < np.inf)))
    if wrong.size:
        location, spread = locations[wrong[0]], spreads[wrong[0]]
        raise InputError(f"a normal law around {location} of spread {spread}", allowed="finite numbers, spread > 0")
    if cuts.ndim != 1 or cuts.size == 0 or not np.isfinite(cuts).all() or not np.all(np.diff(cuts) > 0):
        raise InputError(f"edges of shape {cuts.shape}", allowed="finite numbers that rise, shape (k,), k >= 1")
    return cuts


def _log_cells(locations: Float, spreads: Float, cuts: Float) -> tuple[Float, float]:
    """Log-probabilities of the k + 1 cells of each law, shape (r, k + 1), and a bound on their errors."""
    points = (cuts - locations[:, None]) / spreads[:, None]
    below, above = log_ndtr(points), log_ndtr(-points)
    lower = points[:, 1:] <= -points[:, :-1]  # the lighter tails
    outer = np.where(lower, below[:, 1:], above[:, :-1])
    rest = np.where(lower, below[:, :-1], above[:, 1:])
    share = -np.expm1(rest - outer)
    if not np.all(share > 0):
        raise InputError("two edges that no double tells apart here", allowed="edges further apart")
    logs = np.concatenate([below[:, :1], outer + np.log(share), above[:, -1:]], axis=1)
    errors = _RELATIVE * (1.0 + np.max(-logs, axis=1)) * 2.0 / np.min(share, axis=1, initial=1.0)
    return np.minimum(logs, 0.0), float(errors.max())


def _standardised(location: float, spread: float, cuts: Float) -> list[Fraction]:
    return [(Fraction(cut) - Fraction(location)) / Fraction(spread) for cut in cuts.tolist()]


def _ball_cells(points: list[Fraction]) -> list[flint.arb]:
    root = flint.arb(2).sqrt()
    scaled = [exact_ball(point) / root for point in points]
    below, above = [(-point).erfc() / 2 for point in scaled], [point.erfc() / 2 for point in scaled]
    inner = [
        below[i + 1] - below[i] if points[i + 1] <= -points[i] else above[i] - above[i + 1]
        for i in range(len(points) - 1)
    ]
    return [below[0], *inner, above[-1]]
