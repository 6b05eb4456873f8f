"""The sum of independent privacy losses for one order of the neighbours: bounds on delta and on epsilon from one grid.

Basis: two laws on a grid, one above and one below each step's privacy loss in the order that composition
preserves (:mod:`~dpverify.accounting.loss_grid`), summed by a tilted Fourier transform whose rounding, wrap-around and
truncation widen the bracket (:mod:`~dpverify.accounting.loss_sum`). The grid is refined until the bracket at a
reference delta is narrower than `WIDTH`, or its points more than `LARGEST_GRID`; one grid then answers every question,
so the two ends are curves.

Limits: atoms that share no spacing lose up to one grid interval a step at the lower end. Error bounds are those of
floating point, carried by hand: nothing here is `proved`. Not to be confused with the composition's cost, which is the
worse of two directions (:mod:`~dpverify.accounting.accountants.pld`).

Epsilon at a delta is a root of delta(epsilon), which falls; the root is only a guess, and what is returned was
evaluated on its side: +inf, or 0, where no such epsilon is near.

The largest value of a sum of independent losses is the sum of theirs, and the sum is finite where all of them are;
neither needs a grid.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from dpverify.accounting.loss_grid import LEAST_TAIL, above, below, cut
from dpverify.accounting.loss_sum import Counted, GridTooLargeError, LossSum, add, tilt_for, total_cumulant, window
from dpverify.accounting.privacy_loss import UNIT, LossLaw, lower_of

WIDTH = 2e-3
"""Relative width of a bracket on epsilon at which the grid is fine enough."""
LARGEST_GRID = 1 << 21
"""Points of one transform, and cells of one step's loss."""
REFERENCES = (1e-6, 1e-12)
"""The first delta at which something is lost decides on the grid."""
_LARGEST_WORK = 1 << 24  # points of all transforms of one direction
_COARSE = 1 << 13  # cells of the laws that tilts and the first grid are chosen from
_FIRST_GRID = 1 << 15
_REACH = 1e-200  # tail of one step's loss that the coarse laws leave out
_FINEST = 2.0**-34  # of the largest possible sum: no grid interval is below
_LOG_NEGLIGIBLE = -32.0  # what falls off the grid, against delta


Losses = tuple[tuple[LossLaw, int], ...]
"""(loss, count) of every independent loss that is not always 0."""
Ends = tuple[float, float]
"""A number, from below and from above."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Direction:
    """The sum of independent losses for one order of the neighbours, and the grid that it is computed on."""

    losses: Losses
    """(loss, count) of every loss that is not always 0."""
    coarse: Counted
    """Coarse laws of the same, which tilts are chosen from: any tilt is right, a good one is sharp."""
    h: float
    """Grid interval in nats."""

    @classmethod
    def refined(cls, losses: Losses, *, width: float, largest_grid: int, floor: float) -> Direction:
        """Halve the interval until the bracket at a reference delta is narrow, or below `floor` as a whole."""
        base = spacing(losses)
        if certain(losses):
            return cls(losses=losses, coarse=(), h=base)
        coarse = []
        ends = [law.extent(_REACH) for law, _ in losses]
        # Losses that hardly vary: the grid stays far above the rounding of their sum.
        finest = _FINEST * sum(count * max(-low, high) for (low, high), (_, count) in zip(ends, losses, strict=True))
        for (law, count), (low, high) in zip(losses, ends, strict=True):
            h = power_below(base, max((high - low) / _COARSE, finest, LEAST_TAIL))
            coarse.append((above(cut(law, h, _REACH), h), count))
        infinite = infinite_mass(losses)
        result, found = cls(losses=losses, coarse=tuple(coarse), h=base), (0.0, 0.0)
        for reference in REFERENCES:
            delta = min(reference + 2 * infinite, 0.5)
            span = result.span(tilt_for(result.coarse, log_delta=math.log(delta)))
            h = power_below(base, max(span / _FIRST_GRID, finest, LEAST_TAIL))
            most = largest_grid / max(1.0, len(losses) * largest_grid / _LARGEST_WORK)
            before = math.inf
            while True:
                result = cls(losses=losses, coarse=result.coarse, h=h)
                found = result.epsilon(delta)
                narrow = found[1] - found[0] <= width * found[1]
                # What lies between two laws of its own stays wide on every grid.
                narrow = narrow or (not _known(losses) and not found[1] - found[0] < 0.8 * before)
                before = found[1] - found[0]
                if narrow or found[1] <= floor or 4 * span / h > most or h < 4 * finest:
                    break
                h /= 4
            if found[1] > 0:
                break
        return result

    def tail(self, tilt: float) -> float:
        """A mass of one step's loss that is nothing against the delta that the tilt belongs to."""
        value, mean, _ = total_cumulant(self.coarse, tilt)
        # Chernoff's bound on delta at the tilted mean, shared among all steps, with room for the coarse laws.
        steps = sum(count for _, count in self.losses)
        log_tail = 1.3 * min(value - tilt * mean, 0.0) - math.log(steps) + _LOG_NEGLIGIBLE
        return math.exp(min(max(log_tail, math.log(LEAST_TAIL)), -30.0))

    def span(self, tilt: float) -> float:
        """Nats that a grid has to cover, about."""
        low, high = window(self.coarse, tilt)
        ends = [law.extent(self.tail(tilt)) for law, _ in self.losses]
        return max(high - low, max(end[1] - end[0] for end in ends))

    def sums(self, tilt: float) -> tuple[LossSum, LossSum]:
        """The sums from above and from below; on a coarser grid where a question far away needs a wide window."""
        tail = self.tail(tilt)
        longest = max(law.extent(tail)[1] - law.extent(tail)[0] for law, _ in self.losses)
        h = max(self.h, power_below(self.h, 4 * max(longest, self.h) / LARGEST_GRID))
        while True:
            over, under = [], []
            for law, count in self.losses:
                pieces, least = cut(law, h, tail), lower_of(law)
                over.append((above(pieces, h), count))
                under.append((below(pieces if least is law else cut(least, h, tail), h, tilt=tilt), count))
            try:
                return add(tuple(over), tilt, largest=LARGEST_GRID), add(tuple(under), tilt, largest=LARGEST_GRID)
            except GridTooLargeError:
                h *= 4

    def epsilon(self, delta: float) -> Ends:
        """Bounds on the smallest epsilon at `delta` > 0; infinite when P(loss = inf) is larger."""
        if certain(self.losses) or infinite_mass(_lowest(self.losses)) > delta * (1 + 1e-9):
            return math.inf, math.inf
        over, under = self.sums(tilt_for(self.coarse, log_delta=math.log(delta)))
        high = root(over.delta_above, delta, over)
        low = root(under.delta_below, delta, under)
        low, high = settled_below(under, delta, low), settled_above(over, delta, high)
        high = min(high, largest(self.losses)[1])
        if low == 0 < high and self.delta(0.0)[1] <= delta:  # 0 is far from that tilt's own epsilon: ask there
            high = 0.0
        return min(low, high), high

    def delta(self, epsilon: float) -> Ends:
        """Bounds on delta at `epsilon`; 0 when no loss is larger."""
        if certain(self.losses):
            return 1.0, 1.0
        if largest(self.losses)[1] <= epsilon:
            return 0.0, 0.0
        over, under = self.sums(tilt_for(self.coarse, epsilon=epsilon))
        low, high = under.delta_below(epsilon), over.delta_above(epsilon)
        return min(low, high), high


def power_below(base: float, size: float) -> float:
    """base / 2^k, the largest that is not above `size`."""
    return math.ldexp(base, math.floor(math.log2(size / base)))


def root(profile: Callable[[float], float], delta: float, total: LossSum) -> float:
    """Return about the epsilon at which a falling bound on delta(epsilon) passes `delta`; 0 when it starts below."""
    tiny = 1e-320

    def gap(at: float) -> float:
        return math.log(max(profile(at), tiny)) - math.log(delta)

    # Far from the tilt's own epsilon the bounds are blunt, so the search starts at it and goes one way.
    at = max(float(total.losses[int(np.argmax(total.masses))]), 0.0)
    end, step = float(total.losses[-1]) + 1e3, max(float(total.losses[-1] - total.losses[0]) / 256, 1e-13 * (1 + at))
    rising = gap(at) > 0
    before = at
    while (gap(at) > 0) == rising:
        if at == (end if rising else 0.0):
            return math.inf if rising else 0.0
        before, at = at, min(at + step, end) if rising else max(at - step, 0.0)
        step *= 2
    low, high = min(before, at), max(before, at)
    root: float = brentq(gap, low, high, xtol=1e-13, rtol=1e-13)
    return root


def settled_above(over: LossSum, delta: float, near: float) -> float:
    """The least tried epsilon at which the upper bound on delta does not exceed `delta`."""
    at, step = near, 1e-13 * (1 + near) if math.isfinite(near) else 0.0
    while math.isfinite(at) and over.delta_above(at) > delta:
        at, step = at + step, 4 * step
        if step > 1:
            return math.inf
    return at


def settled_below(under: LossSum, delta: float, near: float) -> float:
    """An epsilon at which even the lower bound on delta exceeds `delta`; 0 when none is near."""
    if math.isinf(near):
        return 0.0
    at, step = near, 1e-13 * (1 + near)
    while at > 0 and under.delta_below(at) <= delta:
        at, step = at - step, 4 * step
    return max(at, 0.0)


def spacing(losses: Losses) -> float:
    """The range of the atoms of the most frequent loss with atoms, so that the grid contains them; else 1."""
    spreads = []
    for law, count in losses:
        found = law.atoms().loss
        finite = found[np.isfinite(found)]
        if finite.size > 1 and finite.max() - finite.min() > 1e-9:
            spreads.append((count, float(finite.max() - finite.min())))
    return max(spreads)[1] if spreads else 1.0


def largest(losses: Losses) -> Ends:
    """Bounds on the essential supremum of the sum; on 0 where that is negative."""
    high = math.fsum(count * law.bounds()[1] for law, count in losses)
    if not _known(losses):
        return largest(_lowest(losses))[0], high
    if math.isinf(high):
        return high, high
    error = math.fsum(count * (2 * law.atoms().loss_error + 8 * UNIT * abs(law.bounds()[1])) for law, count in losses)
    return max(high - error, 0.0), max(high + error / 2, 0.0)


def _lowest(losses: Losses) -> Losses:
    """The laws that cost no more."""
    return tuple((lower_of(law), count) for law, count in losses)


def _known(losses: Losses) -> bool:
    """Tell whether no law lies between two others."""
    return all(least is law for (least, _), (law, _) in zip(_lowest(losses), losses, strict=True))


def certain(losses: Losses) -> bool:
    """Tell whether some loss is always +inf."""
    return any(bool(np.all(law.atoms().loss == np.inf)) and law.masses(np.zeros(1)) is None for law, _ in losses)


def infinite_mass(losses: Losses) -> float:
    """P(the sum is +inf), up to rounding."""
    logs = []
    for law, count in losses:
        atoms = law.atoms()
        mass = float(np.sum(atoms.p[atoms.loss == np.inf]))
        logs.append(count * (math.log1p(-mass) if mass < 1 else -math.inf))
    return -math.expm1(math.fsum(logs)) if logs else 0.0
