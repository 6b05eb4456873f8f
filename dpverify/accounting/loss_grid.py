"""Two laws on a grid around one privacy loss: one that costs no less in any composition, one that costs no more.

Basis: the hockey-stick divergence of a composition is E(1 - e^(epsilon - L_1 - ... - L_T))_+, convex and
falling in each x_i = e^(-L_i). So (1) replacing a piece of the loss by a mean-preserving spread of x, or by a larger L,
gives a law that costs no less ("connect the dots", Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022); (2) merging a
piece into one loss log(P(piece) / Q(piece)), or taking a smaller L, gives one that costs no more (post-processing).
Both hold factor by factor, so for any composition, without any statement about independence of rounding errors.

`above` spreads every piece to the two grid points around it: the excess is of order h^2 a step. `below` merges every
cell and rounds down to a grid moved by `offset`, chosen so that the least is lost: of order h^2 where the density is
smooth, and up to h a step for atoms that share no spacing. Not to be confused with the optimistic estimate that rounds
every loss down, which loses h / 2 a step always.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.privacy_loss import UNIT, LossLaw
from dpverify.core.subjects import Float
from dpverify.laws.discrete_pair import safe_log

LEAST_TAIL = 1e-290
"""Least mass beyond the grid that normal tails in doubles can be asked for."""
_EDGE = 1e-9  # of a grid interval: room for rounding where an atom lies on the grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """A privacy loss cut into pieces, each inside one grid cell or an atom."""

    p: Float
    """Shape (k,): mass under P."""
    low: Float
    high: Float
    """`low`, `high`, shape (k,): bounds on log(P(piece) / Q(piece)); infinite for losses off the grid."""
    doubt: Float
    """Shape (k,): mass that may belong to the neighbouring cell."""
    relative: float
    """Bound on the relative error of the masses."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GridLaw:
    """Masses at the losses (first + i) h + offset, and `infinite` at +inf; the mass missing to 1 is at -inf."""

    first: int
    h: float
    offset: float
    p: Float
    """Shape (k,): masses, rounded: each has a relative error of at most `relative`."""
    infinite: float
    relative: float

    def losses(self) -> Float:
        """Losses have shape (k,), in nats."""
        return np.asarray((self.first + np.arange(self.p.size)) * self.h + self.offset, dtype=np.float64)


def cut(law: LossLaw, h: float, tail: float) -> Pieces:
    """The pieces of `law` on the grid of integer multiples of `h`; a mass of at most `tail` lies off it, at each end.

    What lies off the grid is infinite for the law above, and dropped or rounded down for the law below.
    """
    atoms = law.atoms()
    parts = [
        Pieces(
            p=atoms.p,
            low=atoms.loss - atoms.loss_error,
            high=atoms.loss + atoms.loss_error,
            doubt=np.zeros_like(atoms.p),
            relative=atoms.p_error,
        )
    ]
    low, high = law.extent(tail)
    edges: Float = np.arange(math.floor(low / h), math.ceil(high / h) + 1).astype(np.float64) * np.float64(h)
    found = law.masses(edges)
    if found is not None:
        zero = np.zeros(1)
        ends = np.concatenate(([-np.inf], edges, [np.inf]))
        p_doubt = np.concatenate((zero, found.p_error)) + np.concatenate((found.p_error, zero))
        q_doubt = np.concatenate((zero, found.q_error)) + np.concatenate((found.q_error, zero))
        p, q = np.maximum(found.p, 0.0), np.maximum(found.q, 0.0)
        # Within its cell the ratio is known to lie between the cell's ends, whatever the rounding.
        least = safe_log(np.maximum(p - p_doubt, 0.0)) - safe_log(q + q_doubt + 5e-324)
        most = safe_log(p + p_doubt + 5e-324) - safe_log(np.maximum(q - q_doubt, 0.0))
        kept = p > 0
        nearest = np.clip(least, ends[:-1], ends[1:])
        farthest = np.clip(most, ends[:-1], ends[1:])
        nearest[0], farthest[-1] = -np.inf, np.inf
        parts.append(
            Pieces(p=p[kept], low=nearest[kept], high=farthest[kept], doubt=np.minimum(p_doubt, p)[kept], relative=0.0)
        )
    return Pieces(
        p=np.concatenate([part.p for part in parts]),
        low=np.concatenate([part.low for part in parts]),
        high=np.concatenate([part.high for part in parts]),
        doubt=np.concatenate([part.doubt for part in parts]),
        relative=max(part.relative for part in parts) + 4 * UNIT,
    )


def above(pieces: Pieces, h: float) -> GridLaw:
    """A law that costs no less: every piece spread to the grid points around it, the mean of e^-L preserved."""
    finite = pieces.high < np.inf
    p, high, doubt = pieces.p[finite], pieces.high[finite], pieces.doubt[finite]
    cell = np.floor(high / h).astype(np.int64)
    share = np.clip(np.expm1(cell * h - high) / math.expm1(-h), 0.0, 1.0)
    first = int(cell.min()) if cell.size else 0
    place = np.concatenate((cell, cell + 1, cell + 2)) - first
    weight = np.concatenate(((p - doubt) * (1 - share), (p - doubt) * share, doubt))
    return GridLaw(
        first=first,
        h=h,
        # (1 - e^-t) / (1 - e^-h) carries the rounding of the loss itself.
        offset=8 * UNIT * (1 + float(np.max(np.abs(high), initial=0.0))),
        p=_gathered(place, weight),
        infinite=float(np.sum(pieces.p[~finite])),
        relative=pieces.relative,
    )


def below(pieces: Pieces, h: float, *, tilt: float = 0.0) -> GridLaw:
    """A law that costs no more: every piece rounded down to the grid moved by the offset that loses least.

    The loss is weighed by P tilted by e^(tilt L): the part of the law that decides the composition's tail.
    """
    finite = (pieces.low > -np.inf) & (pieces.low < np.inf)
    p, low, doubt = pieces.p[finite], pieces.low[finite], pieces.doubt[finite]
    offset = _offset(p, low, h, tilt) if p.size else 0.0
    cell = np.floor((low - offset) / h).astype(np.int64)
    first = int(cell.min()) - 1 if cell.size else 0
    place = np.concatenate((cell, cell - 1)) - first
    weight = np.concatenate((p - doubt, doubt))
    return GridLaw(
        first=first,
        h=h,
        offset=offset - 8 * UNIT * (1 + float(np.max(np.abs(low), initial=0.0))),
        p=_gathered(place, weight),
        infinite=float(np.sum(pieces.p[pieces.low == np.inf])),
        relative=pieces.relative,
    )


def _gathered(place: NDArray[np.int64], weight: Float) -> Float:
    return np.bincount(place, weights=weight).astype(np.float64) if place.size else np.zeros(1)


def _offset(p: Float, low: Float, h: float, tilt: float) -> float:
    """Return the offset in [0, h) that maximises the mean of the losses rounded down; one of them lies on its grid."""
    rest = low - np.floor(low / h) * h
    order = np.argsort(rest)
    exponent = tilt * low
    weight = (p * np.exp(exponent - np.max(exponent[p > 0])))[order]
    passed = np.concatenate(([0.0], np.cumsum(weight)[:-1]))  # those below the offset drop by h more
    gain = rest[order] * float(np.sum(weight)) - h * passed
    return float(rest[order][int(np.argmax(gain))]) - _EDGE * h
