"""One step's law of losses on a grid: masses above it, masses below it, and the outputs where both were measured."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.proved.grid import LossGrid, Reach
from dpverify.accounting.proved.masses import GridMasses
from dpverify.accounting.proved.pairs import Finite, Mixture, Pair, SeenPart
from dpverify.core.subjects import Float
from dpverify.laws.balls import exact_ball

_FINER = 32  # further binary digits of the values at knots
_SLACK = 8  # binary digits of a mass's unit: room for the enclosures of whoever checks
_OUTPUT = 24  # further binary digits of outputs
ALL = "all"
_EDGE = 1e-9  # of a place: atoms meant to be on the grid


@dataclass(frozen=True, slots=True)
class StepLaw:
    """Both sides of one step in one order of the neighbours."""

    upper: GridMasses
    lower: GridMasses
    first: int
    stride: int
    shift: int
    outputs: tuple[tuple[int, ...] | None, ...]
    """Of each part, outputs over 2^shift at which events were measured, by places; None for finitely many."""
    seen: bool
    """It is a step of parts, of which it is seen which one answers."""


def law_of(pair: Pair, reach: Reach, grid: LossGrid) -> StepLaw:
    """The law on the grid, as far as the reach goes."""
    knot = 2 * grid.step
    low, high = 2 * math.floor(reach.low / knot - _EDGE), 2 * math.ceil(reach.high / knot + _EDGE)
    low, high = min(low, -2) - 2 * (len(reach.atoms) > 0), max(high, low + 8, 2)
    stride = 1 if reach.atoms else 2
    events = _Events(pair, grid, range(low, high + 1, stride))
    # Knots below at the same places, where atoms are, so that these stay where they are; else in the middle.
    first, last = (low, high) if stride == 1 else (low - 1, high + 1)
    return StepLaw(
        upper=_above(grid, low, [events.cost(place) for place in range(low, high + 1, 2)]),
        lower=_below(events, grid, first, last),
        first=low,
        stride=stride,
        shift=grid.bits + _OUTPUT,
        outputs=tuple(part.outputs for _, part in events.parts),
        seen=isinstance(pair, SeenPart),
    )


class _Events:
    """The events of one pair, each measured once; values over 2^(bits + 32)."""

    def __init__(self, pair: Pair, grid: LossGrid, places: range) -> None:
        self.grid, self.unit, self.places = grid, flint.arb(2) ** (grid.bits + _FINER), places
        self.x = {place: grid.at(place) for place in range(places.start - 1, places.stop + 1)}
        drawn = pair.parts if isinstance(pair, SeenPart) else ((Fraction(1), pair),)
        self.parts = [(exact_ball(weight), _Part(each, grid, places, self.x)) for weight, each in drawn]
        self._measured: dict[int, tuple[flint.arb, flint.arb]] = {}

    def _mean(self, value: Callable[[_Part], flint.arb]) -> flint.arb:
        return sum((weight * value(part) for weight, part in self.parts), flint.arb(0))

    def masses(self, place: int) -> tuple[flint.arb, flint.arb]:
        """P and Q of the event {ratio > x}, about."""
        if place not in self._measured:
            found = [(weight, *part.masses(place)) for weight, part in self.parts]
            p, q = (sum((each[0] * each[side] for each in found), flint.arb(0)) for side in (1, 2))
            self._measured[place] = p, q
        return self._measured[place]

    def cost(self, place: int) -> int:
        """H there, rounded up."""
        return _whole((self._mean(lambda part: part.cost(place)) * self.unit).upper().ceil()) + (1 << _FINER - _SLACK)

    def line(self, event: int | str | None, place: int) -> int:
        """The line of an event (of all outputs, of none) at a place, rounded down."""
        if event is None:
            return self.infinite() << _FINER
        p, q = (flint.arb(1), flint.arb(1)) if isinstance(event, str) else self.masses(event)
        return _whole(((p - self.x[place] * q) * self.unit).lower().floor()) - (1 << _FINER - _SLACK)

    def infinite(self) -> int:
        """The mass at infinity, rounded down."""
        return _whole((self._mean(_Part.infinite) * self.unit).lower().floor()) >> _FINER


class _Part:
    """The events of one part, and where its outputs have them."""

    def __init__(self, pair: Mixture | Finite, grid: LossGrid, places: range, x: dict[int, flint.arb]) -> None:
        self.pair, self.x = pair, x
        self.outputs: tuple[int, ...] | None = None
        self.at: dict[int, flint.arb] = {}
        if isinstance(pair, Mixture):
            losses, shift = np.array([place * grid.step for place in places]), grid.bits + _OUTPUT
            self.outputs = tuple(pair.outputs(losses, lambda k: x[places[k]].log(), shift))
            unit = flint.arb(2) ** shift
            self.at = {place: flint.arb(y) / unit for place, y in zip(places, self.outputs, strict=True)}

    def masses(self, place: int) -> tuple[flint.arb, flint.arb]:
        """P and Q of the event {ratio > x}, about."""
        return self.pair.masses(self.at[place] if isinstance(self.pair, Mixture) else self.x[place])

    def cost(self, place: int) -> flint.arb:
        """H there at most: H(r) = P(S) - r Q(S) at the event's own ratio r, and H falls by 1 at most."""
        x = self.x[place]
        if not isinstance(self.pair, Mixture):
            return self.pair.cost(x)
        (p, q), ratio = self.masses(place), self.pair.ratio(self.at[place])
        return p - ratio * q + (ratio - x).max(flint.arb(0))

    def infinite(self) -> flint.arb:
        """P of what Q never does."""
        return flint.arb(0) if isinstance(self.pair, Mixture) else self.pair.infinite()


def _whole(value: flint.arb) -> int:
    """An exact ball that is an integer."""
    found = value.unique_fmpz()
    assert found is not None
    return int(found)


def _above(grid: LossGrid, low: int, values: list[int]) -> GridMasses:
    """The masses of the polygon through these values, from 1 at x = 0 and constant beyond the last."""
    over, under = grid.scales
    row = []
    for k, value in enumerate(values):
        right = values[k + 1] - value if k + 1 < len(values) else 0
        left = over * (value - values[k - 1]) if k else (over - under) * (value - (1 << grid.bits + _FINER))
        row.append(max(0, -((left - under * right) // ((over - under) << _FINER))))
    return GridMasses(tuple(row), -(-values[-1] >> _FINER), low)


def _below(events: _Events, grid: LossGrid, first: int, last: int) -> GridMasses:
    """The masses of a polygon below the lines of events; a negative one is taken from that above it."""
    one, infinite = 1 << grid.bits + _FINER, events.infinite()
    knots = list(range(first, last + 1, 2))
    values = [one] * len(knots)
    for k, event in enumerate(_chosen(events, knots)):
        for at in (k, k + 1):
            values[at] = min(values[at], events.line(event, knots[at]))
    x = [events.x[knot] for knot in knots]
    row, owed = [0] * len(knots), 0
    corners = _hull(values, [_whole((each * events.unit).floor()) for each in x], one)
    slope = flint.arb(values[corners[0]] - one) / x[corners[0]]
    following: list[int | None] = [*corners[1:], None]
    for at, after in zip(corners, following, strict=True):
        before = slope
        slope = flint.arb(0) if after is None else flint.arb(values[after] - values[at]) / (x[after] - x[at])
        owed += _whole((x[at] * (slope - before)).lower().floor()) >> _FINER
        row[at], owed = max(0, owed), min(0, owed)
    # What is owed, or lower than what is infinite: nothing more is known below.
    lost = owed or any(values[at] < infinite << _FINER for at in corners)
    return GridMasses((0,) * len(row) if lost else tuple(row), infinite, first)


def _hull(values: list[int], x: list[int], one: int) -> list[int]:
    """The corners of the greatest convex polygon below these values and below `one` at 0, about."""
    found: list[int] = []
    for at, (here, value) in enumerate(zip(x, values, strict=True)):
        while found:
            last = found[-1]
            x_before, before = (x[found[-2]], values[found[-2]]) if len(found) > 1 else (0, one)
            if (values[last] - before) * (here - x[last]) < (value - values[last]) * (x[last] - x_before):
                break
            found.pop()
        found.append(at)
    return found


def _chosen(events: _Events, knots: list[int]) -> list[int | str | None]:
    """The event of each cell whose line comes closest to H at both ends; of all outputs first, of none at last."""
    places = np.arange(events.places.start, events.places.stop, events.places.step)
    found = [events.masses(int(place)) for place in places]
    p, q = (np.array([float(each[side].mid()) for each in found]) for side in (0, 1))
    x = np.array([float(events.x[knot].mid()) for knot in knots])
    zero = np.zeros(len(knots) - 1)
    near = (0, 1, -1, 2, -2)
    candidates: list[tuple[NDArray[np.int64] | None, Float, Float]] = []
    for offset in near:
        at = (np.array(knots[:-1]) + 1 + offset - places[0]) / events.places.step
        index = np.clip(np.floor(at).astype(np.int64), 0, len(places) - 1)
        candidates.append((places[index], p[index], q[index]))
    candidates += [
        (None, zero + 1, zero + 1),
        (None, zero + float(events.infinite()) * 0.5 ** (events.grid.bits), zero),
    ]
    ends = [(each[1] - x[:-1] * each[2], each[1] - x[1:] * each[2]) for each in candidates]
    best = np.zeros(len(knots))
    for left, right in ends:
        best[:-1], best[1:] = np.maximum(best[:-1], left), np.maximum(best[1:], right)
    least = 0.5**events.grid.bits
    # H is at least 1 - x and 0: a line that ends below either bends the polygon the wrong way.
    gaps = [
        np.where(
            (right < ends[-1][1] + least) | (left < 1 - x[:-1]), np.inf, np.maximum(best[:-1] - left, best[1:] - right)
        )
        for left, right in ends[:-1]
    ]
    gaps.append(np.maximum(best[:-1] - ends[-1][0], best[1:] - ends[-1][1]))
    chosen = np.argmin(gaps, axis=0)
    chosen[0], chosen[-1] = len(near), len(near) + 1
    told: list[int | str | None] = []
    for cell, kind in enumerate(chosen):
        which = candidates[int(kind)][0]
        told.append(int(which[cell]) if which is not None else (ALL if kind == len(near) else None))
    return told
