"""Dominating pairs in balls: masses of events and ratios of densities, for a prover of losses.

Mixtures of one noise on a line: P shifts to the right or not at all, Q to the left or not at all, so that the ratio of
their densities never falls. Then an event {output > y} is the best at its ratio (Neyman and Pearson). Or finitely many
outcomes. Or one of several such pairs, which is seen: an event of the whole is an event of each. Shifts are in units of
the noise. Not to be confused with the losses of ``loss_sources``, in floating point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import flint
import numpy as np

from dpverify.core.subjects import Float
from dpverify.laws.balls import exact_ball

Parts = tuple[tuple[Fraction, Fraction], ...]
"""(weight, shift) of each part; all shifts to one side."""

_ROUNDS = 60
_FARTHEST = 45.0  # units of noise: where outputs are looked for
_NEWTON = 3


class Mixture:
    """Two mixtures of shifted noise."""

    def __init__(self, noise: Literal["gaussian", "laplace"], p: Parts, q: Parts) -> None:
        self.noise, self.p, self.q = noise, p, q
        shifts = sorted({s for _, s in (*p, *q)})
        self._shifts = [exact_ball(s) for s in shifts]
        self._p, self._q = ([(exact_ball(w), shifts.index(s)) for w, s in law] for law in (p, q))

    def masses(self, y: flint.arb) -> tuple[flint.arb, flint.arb]:
        """P(output > y) and Q(output > y)."""
        above = _gaussian_above if self.noise == "gaussian" else _laplace_above
        tails = [above(y - s) for s in self._shifts]
        return _mean(self._p, tails), _mean(self._q, tails)

    def ratio(self, y: flint.arb) -> flint.arb:
        """The ratio of the densities at y."""
        densities, _ = self._densities(y)
        return _mean(self._p, densities) / _mean(self._q, densities)

    def _densities(self, y: flint.arb) -> tuple[list[flint.arb], list[flint.arb]]:
        """The density of each shift over that of the noise at 0, and its slope."""
        if self.noise == "gaussian":
            values = [(s * (y - s / 2)).exp() for s in self._shifts]
            return values, [s * value for s, value in zip(self._shifts, values, strict=True)]
        values = [(abs(y) - abs(y - s)).exp() for s in self._shifts]
        return values, [
            (2 if s > 0 else -2) * value if (y - s) * y < 0 else flint.arb(0)
            for s, value in zip(self._shifts, values, strict=True)
        ]

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The least and greatest shift, outside of which the ratio of Laplace densities is constant."""
        shifts = [s for _, s in (*self.p, *self.q)]
        return min(shifts), max(shifts)

    def outputs(self, losses: Float, exact: Callable[[int], flint.arb], shift: int) -> list[int]:
        """Integers over 2^shift near the outputs at which the loss passes `losses`; `exact(k)` is the k-th loss."""
        low, high = (float(end) for end in self.ends)
        if self.noise == "gaussian":
            low, high = low - _FARTHEST, high + _FARTHEST
        below, above = np.full(losses.size, low), np.full(losses.size, high)
        for _ in range(_ROUNDS):
            middle = (below + above) / 2
            rises = self._loss(middle) > losses
            below, above = np.where(rises, below, middle), np.where(rises, middle, above)
        least, most = (exact_ball(end) for end in self.ends)
        found = []
        for k, start in enumerate((below + above) / 2):
            y = flint.arb(float(start))
            for _ in range(_NEWTON):
                values, slopes = self._densities(y)
                p, q = _mean(self._p, values), _mean(self._q, values)
                slope = _mean(self._p, slopes) / p - _mean(self._q, slopes) / q
                if not slope > 0:
                    break
                moved = (y - ((p / q).log() - exact(k)) / slope).mid()
                if self.noise == "laplace":
                    moved = moved.max(least).min(most).mid()
                y = moved if abs(moved - y) < 1 else y
            found.append(int((y * flint.arb(2) ** shift).floor().mid().unique_fmpz() or 0))
        return found

    def _loss(self, y: Float) -> Float:
        logs = []
        for law in (self.p, self.q):
            terms = [
                math.log(w)
                + (float(s) * y - float(s) ** 2 / 2 if self.noise == "gaussian" else abs(y) - abs(y - float(s)))
                for w, s in law
            ]
            logs.append(np.logaddexp.reduce(terms, axis=0))
        return np.asarray(logs[0] - logs[1])


@dataclass(frozen=True, slots=True)
class Finite:
    """Finitely many outcomes, and a mass of P at most `beyond` that lies elsewhere."""

    outcomes: tuple[tuple[flint.arb, flint.arb], ...]
    beyond: flint.arb

    def cost(self, x: flint.arb) -> flint.arb:
        """H(x), with all that lies elsewhere."""
        zero = flint.arb(0)
        return sum(((p - x * q).max(zero) for p, q in self.outcomes), self.beyond)

    def masses(self, x: flint.arb) -> tuple[flint.arb, flint.arb]:
        """P(S) and Q(S) of the outcomes whose ratio is above x, about."""
        kept = [(p, q) for p, q in self.outcomes if p.mid() > x.mid() * q.mid()]
        return sum((p for p, _ in kept), flint.arb(0)), sum((q for _, q in kept), flint.arb(0))

    def infinite(self) -> flint.arb:
        """P of what Q never does."""
        return sum((p for p, q in self.outcomes if q == 0), flint.arb(0))


@dataclass(frozen=True, slots=True)
class SeenPart:
    """One of several pairs, drawn with public weights, and which one is seen."""

    parts: tuple[tuple[Fraction, Mixture | Finite], ...]
    """(weight, pair) of each part."""


Pair = Mixture | Finite | SeenPart


def _mean(law: list[tuple[flint.arb, int]], values: list[flint.arb]) -> flint.arb:
    total = flint.arb(0)
    for weight, at in law:
        total += weight * values[at]
    return total


def _gaussian_above(z: flint.arb) -> flint.arb:
    return (z / flint.arb(2).sqrt()).erfc() / 2


def _laplace_above(z: flint.arb) -> flint.arb:
    return (-z).exp() / 2 if z >= 0 else 1 - z.exp() / 2


def weighted(values: Sequence[float]) -> list[Fraction]:
    """Doubles as fractions that sum to 1."""
    exact = [Fraction(each) for each in values]
    return [each / sum(exact) for each in exact]
