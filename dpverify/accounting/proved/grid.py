"""The grid of one proof: losses n log(1 + a / 2^b), and how fine it has to be.

Nothing that is proved depends on the choices here: any grid, window and precision is right, a good one is sharp. A grid
spreads the variance of each step by about h^2 / 6 above and narrows it by h^2 / 4 below, h being two places.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import flint
import numpy as np

from dpverify.accounting.loss_grid import cut
from dpverify.accounting.privacy_loss import LossLaw
from dpverify.laws.balls import working_precision

SPREAD = 0.005
"""Variance that a grid adds, against that of the losses."""
FEWEST = 3000
"""Places of a window of the sum, so that few steps are sharp, too."""
MOST_KNOTS = 3000
"""Of one step's law."""
BITS = 80
"""Binary digits of the grid's ratio."""
_WIDE = 18.0  # standard deviations of a window
_CELLS = 4096


@dataclass(frozen=True, slots=True)
class LossGrid:
    """Losses n log(1 + a / 2^b); laws take every second place; masses are integers over 2^bits."""

    a: int
    b: int
    bits: int

    @property
    def step(self) -> float:
        """One place in nats, about."""
        return math.log1p(self.a / (1 << self.b))

    @property
    def scales(self) -> tuple[int, int]:
        """Integers (S, O) whose quotient is the ratio of two knots."""
        return ((1 << self.b) + self.a) ** 2, 1 << 2 * self.b

    def at(self, place: int) -> flint.arb:
        """Enclose e^loss at this place."""
        return (flint.arb(self.a) / (flint.arb(2) ** self.b) + 1) ** place


@dataclass(frozen=True, slots=True)
class Reach:
    """A loss as floating point knows it: where it lies and how much it varies."""

    low: float
    high: float
    deviation: float
    atoms: tuple[float, ...]

    @classmethod
    def of(cls, law: LossLaw, tail: float) -> Reach:
        """The reach up to a mass of `tail`."""
        low, high = law.extent(tail)
        atoms = [float(each) for each in law.atoms().loss if low <= each <= high]
        h = max((high - low) / _CELLS, 1e-12)
        pieces = cut(law, h, tail)
        loss = np.where(np.isfinite(pieces.low), pieces.low, np.where(np.isfinite(pieces.high), pieces.high, 0.0))
        p = np.where(np.isfinite(pieces.low) | np.isfinite(pieces.high), pieces.p, 0.0)
        mean = float(np.sum(p * loss))
        deviation = math.sqrt(max(float(np.sum(p * (loss - mean) ** 2)), 1e-24))
        return cls(low, high, deviation, tuple(sorted(set(atoms))))


def grid_for(reaches: Sequence[tuple[Reach, int]], *, bits: int, finer: int = 0) -> LossGrid:
    """A grid on which the greatest atom of the most frequent loss that has atoms lies, halved `finer` times."""
    steps = sum(count for _, count in reaches)
    variance = sum(count * one.deviation**2 for one, count in reaches)
    h = math.sqrt(min(4 * SPREAD / steps, (_WIDE / FEWEST) ** 2) * variance)
    h = max(h, max((one.high - one.low) / MOST_KNOTS for one, _ in reaches)) / 2**finer
    with_atoms = [(count, one.atoms) for one, count in reaches if one.atoms and max(map(abs, one.atoms)) > 1e-9]
    if with_atoms:
        top = max(with_atoms)[1]
        h = _aligned(top, min(h, max(top) - min(top) or h))
    with working_precision():
        root = flint.arb(h / 2).expm1() * 2**BITS
        return LossGrid(max(1, int(root.mid().floor().unique_fmpz())), BITS, bits)


def _aligned(atoms: tuple[float, ...], h: float) -> float:
    """An interval of `h` or up to a third less that comes close to all atoms, and a hair below the greatest."""
    farthest = max(atoms, key=abs)
    size = abs(farthest)
    first = max(1, math.ceil(size / h))
    places = np.arange(first, max(first + 1, math.ceil(1.5 * first)))[:, None] * (np.array(atoms) / size)
    missed = np.round(np.max(np.abs(places - np.round(places)), axis=1), 6)
    best = first + int(np.argmin(missed))
    return size / best * (1 - 2.0**-46)
