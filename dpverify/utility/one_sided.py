"""One end of the cost of a composition from its privacy losses, where the other end is not needed: for searches.

Basis: the grid laws above and below each loss (:mod:`dpverify.accounting.loss_grid`) and their tilted sum. The bracket
of :mod:`dpverify.accounting.accountants.pld` sums on finer and finer grids until its two ends are close. Here the grid
is chosen first: what it adds to the cumulant, over the tilt, is what it adds to epsilon, where Chernoff's inequality is
nearly met; sums of few of the steps tell whether it is fine enough for rare large losses, too. Any grid is sound; the
choice decides how sharp the end is, and how long it takes.

Sides: `upper_epsilon` is never below the truth, whatever the grid, `lower_epsilon` never above it. Limits: one
transform has at most `_LARGEST` points, and all of one sum about `_WORK` together, so every question ends; where these
are too few, ends are farther from the truth. Not to be confused with the bracket, which tells how far its ends lie
apart.

Accountants with side ``printed`` repeat a paper's formula and are not asked. Where privacy losses are known and there
is no closed form, their exact composition tells best; else the least of all bounds is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.loss_direction import (
    Direction,
    Losses,
    certain,
    infinite_mass,
    largest,
    power_below,
    root,
    settled_above,
    settled_below,
    spacing,
)
from dpverify.accounting.loss_grid import LEAST_TAIL, GridLaw, above, below, cut
from dpverify.accounting.loss_sources import OnlyAbove
from dpverify.accounting.loss_sum import Counted, GridTooLargeError, LossSum, add, cumulant, tilt_for, total_cumulant
from dpverify.accounting.privacy_loss import UNIT, LossLaw, lower_of
from dpverify.core.composition import Accountant, Composed, Composition, Part
from dpverify.core.errors import DpverifyError, InputError
from dpverify.core.plugins import registry
from dpverify.utility.calibration_family import Cost

T = TypeVar("T")

FINE, ROUGH = 1e-3, 2e-2
"""What a grid may add to epsilon, as a part of it: in a result, and where one looks for the place."""
LOOSE = 0.05
"""What a grid may take from a lower end."""
FEW, FEWER = 8, 4
"""Different steps that `thinned` leaves, and from which a grid is chosen."""
_LARGEST, _WORK = 1 << 20, 1 << 23
_COARSE, _REACH, _FINEST = 1 << 12, 1e-200, 2.0**-44  # of coarse laws
_STEEPER = (1.0, 1.5, 2.0, 3.0)  # of tilts, any of which is right
_FIRST = 1 << 11  # cells of the first grid
_SLOPES = tuple(2.0 ** (k / 2) for k in range(-6, 7))  # of Chernoff's inequality, times the tilt


NEVER_BELOW_RDP = ("rdp-classic", "moments")
"""Accountants that convert the same curves less well."""


def thinned(composition: Composition) -> Composition:
    """Return at most `FEW` different steps, each for its neighbours in order: about the same cost, no bound."""
    few = _few([(part.step, part.count) for part in composition], FEW)
    return Composition(parts=tuple(Part(step=step, count=count) for step, count in few))


def upper_epsilon(composition: Composition, delta: float, *, excess: float = FINE, least: float = 0.0) -> float:
    """Upper bound on the least epsilon at `delta` in (0, 1), in nats; +inf where none is known.

    `excess`: the part of epsilon by which the grid may raise it, nearly; it is no statement of error. `least`: bounds
    below it, in nats, need not be sharp.

    UnsupportedError for steps whose exact laws have no known privacy loss.
    """
    found = 0.0
    for losses in compose(composition).by_direction:
        if losses:
            found = max(found, _guarded(lambda: _upper(losses, delta, Sharpness(excess, least), found), math.inf))  # noqa: B023
    return found


def lower_epsilon(composition: Composition, delta: float) -> float:
    """Lower bound on the least epsilon at `delta` in (0, 1), in nats, within `LOOSE` of it where grids allow; or 0.

    Losses that lie between two others count as the lower one, and what only dominates has no lower end.
    """
    if any(isinstance(part.step, OnlyAbove) for part in composition):
        return 0.0
    known = (losses for losses in compose(composition).by_direction if losses)
    ways = [tuple((lower_of(law), count) for law, count in losses) for losses in known]
    return _guarded(lambda: _lower(ways, delta), 0.0)


class Sharpness(NamedTuple):
    """The wanted sharpness of an end: within `excess` of it, or of `least` where that is more."""

    excess: float
    least: float = 0.0

    def of(self, epsilon: float) -> float:
        """Return the end in nats."""
        return self.excess * max(epsilon, self.least)


def _guarded(question: Callable[[], float], hopeless: float) -> float:
    """The answer, or nothing is claimed where doubles overflow on the way."""
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            found = question()
    except ArithmeticError:
        return hopeless
    return hopeless if math.isnan(found) else found


def _upper(losses: Losses, delta: float, wanted: Sharpness, known: float) -> float:
    """The larger of `known` and this direction's upper end."""
    if certain(losses) or infinite_mass(losses) > delta * (1 - 1e-9):
        return math.inf
    top = largest(losses)[1]
    if top <= known:
        return known
    one = _prepared(losses)
    tilt = tilt_for(one.coarse, log_delta=math.log(delta))
    if known > 0 and _chernoff(one.coarse, known, tilt) <= math.log(delta):
        return known
    total = _sum(one, tilt, _interval(one, tilt, delta, wanted, _above), _above)
    if known > 0 and total.delta(known)[1] <= delta:
        return known
    return max(known, min(_end(total, delta, _above), top))


def _lower(ways: Sequence[Losses], delta: float) -> float:
    """The lower end of the direction that seems to cost most, which bounds the cost of both."""
    if any(certain(losses) or infinite_mass(losses) > delta * (1 + 1e-9) for losses in ways):
        return math.inf
    promising = []
    for one in (_prepared(losses) for losses in ways):
        tilt = tilt_for(one.coarse, log_delta=math.log(delta))
        if tilt > 0:
            promising.append(((total_cumulant(one.coarse, tilt)[0] - math.log(delta)) / tilt, tilt, one))
    if not promising:
        return 0.0
    _, tilt, one = max(promising, key=lambda found: found[0])
    return _end(_sum(one, tilt, _interval(one, tilt, delta, Sharpness(LOOSE), _below), _below), delta, _below)


def _prepared(losses: Losses) -> Direction:
    """Use coarse laws; the interval is the finest that the rounding of the sum leaves sensible."""
    base, ends = spacing(losses), [law.extent(_REACH) for law, _ in losses]
    finest = _FINEST * sum(count * max(-low, high) for (low, high), (_, count) in zip(ends, losses, strict=True))
    coarse = []
    for (law, count), (low, high) in zip(losses, ends, strict=True):
        h = power_below(base, max((high - low) / _COARSE, finest, LEAST_TAIL))
        coarse.append((above(cut(law, h, _REACH), h), count))
    return Direction(losses=losses, coarse=tuple(coarse), h=max(finest, LEAST_TAIL))


def _above(law: LossLaw, h: float, tail: float, tilt: float) -> GridLaw:
    return above(cut(law, h, tail), h)


def _below(law: LossLaw, h: float, tail: float, tilt: float) -> GridLaw:
    return below(cut(law, h, tail), h, tilt=tilt)


Side = Callable[[LossLaw, float, float, float], GridLaw]


def _sum(one: Direction, tilt: float, h: float, side: Side, most: int | None = None) -> LossSum:
    """The sum from one side, of `most` different steps; on a coarser grid where this one has too many points."""
    tail, counted = one.tail(tilt), one.losses if most is None else _few(one.losses, most)
    while True:
        # Rare large losses make the window wide, and a steeper tilt makes them less rare.
        for steep in (tilt * factor for factor in _STEEPER):
            laws = tuple((side(law, h, tail, steep), count) for law, count in counted)
            with suppress(GridTooLargeError):
                return add(laws, steep, largest=_LARGEST)
        h *= 2


def _end(total: LossSum, delta: float, side: Side) -> float:
    """The end of epsilon that the sum from one side has."""
    if side is _above:
        return settled_above(total, delta, root(lambda at: total.delta(at)[1], delta, total))
    return settled_below(total, delta, root(lambda at: total.delta(at)[0], delta, total))


def _interval(one: Direction, tilt: float, delta: float, wanted: Sharpness, side: Side) -> float:
    """The coarsest grid interval, of those that halving gives, that changes epsilon by less than is wanted."""
    most = min(_LARGEST, _WORK // len(one.losses))
    finest = max(4 * one.h, 2 * one.span(tilt) / most)
    h = _first_interval(one, tilt, delta, wanted, side, finest)

    def end(h: float, side: Side) -> float:
        return _end(_sum(one, tilt, h, side, FEWER), delta, side)

    now, before = end(h, _above), end(2 * h, _above) if side is _above else math.nan
    while h / 2 >= finest:
        # The excess falls by 2 to 4 with each halving: what is still in it is at most what the last took away.
        rest = before - now if side is _above else (now - end(h, _below)) / 2
        if now <= wanted.least or rest <= 2 * wanted.of(now):
            break
        h /= 2
        now, before = end(h, _above), now
    return h


def _first_interval(one: Direction, tilt: float, delta: float, wanted: Sharpness, side: Side, finest: float) -> float:
    """Halved until what it adds to, or takes from, the cumulant is small against tilt times epsilon."""
    tail, few = one.tail(tilt), _few(one.losses, FEW)
    times_epsilon = max(total_cumulant(one.coarse, tilt)[0] - math.log(delta), -1e-3 * math.log(delta))
    goal = tilt * wanted.of(times_epsilon / tilt) if tilt > 0 else wanted.excess * times_epsilon

    def grown(h: float, which: Side) -> float:
        return total_cumulant(tuple((which(law, h, tail, tilt), count) for law, count in few), tilt)[0]

    h = power_below(spacing(one.losses), max(one.span(tilt) / _FIRST, one.h))
    now = grown(h, _above)
    while h / 2 >= finest:
        finer = grown(h / 2, _above)
        if (2 * (now - finer) if side is _above else now - grown(h, side)) <= goal:
            break
        h, now = h / 2, finer
    return h


def _chernoff(laws: Counted, epsilon: float, tilt: float) -> float:
    """Upper bound on log delta at `epsilon` > 0, from laws above: E(1 - e^-x)_+ <= c E e^(t x), for some t > 0."""
    infinite = sum(count * law.infinite for law, count in laws) * 1.001
    best = 0.0
    for t in (tilt * slope for slope in _SLOPES):
        if t > 0:
            rounding = sum(
                count
                * (
                    law.relative
                    + UNIT * (64 + 4 * t * float(np.max(np.abs(law.losses()))) + 4 * abs(cumulant(law, t)[0]))
                )
                for law, count in laws
            )
            constant = t * math.log(t) - (1 + t) * math.log1p(t)
            best = min(best, total_cumulant(laws, t)[0] - t * epsilon + constant + rounding)
    return math.log(math.exp(best) + infinite) + 1e-12


def _few(counted: Sequence[tuple[T, int]], most: int) -> tuple[tuple[T, int], ...]:
    """Groups of neighbours, small ones in front, and the middle one of each with the count of all.

    Noise scales stand in rising order, and those in front cost more.
    """
    size = len(counted)
    ends = sorted({max(round(size * (place / most) ** 2), min(place, size)) for place in range(most + 1)})
    groups = [counted[start:end] for start, end in pairwise(ends)]
    return tuple((group[len(group) // 2][0], sum(count for _, count in group)) for group in groups)


def least_upper(costs: tuple[Cost, ...], delta: float, rough: float = 0.0) -> tuple[float, str]:
    """The least upper end of these bounds at `delta`, and whose it is; where `rough` > 0 about that, and no bound."""
    return min(upper(cost, delta, rough) for cost in costs)


def upper(cost: Cost, delta: float, rough: float = 0.0) -> tuple[float, str]:
    """The best upper bound of one cost at `delta`, nats, and whose it is; where `rough` > 0 about that, no bound."""
    if not isinstance(cost, Composition):
        found = cost.epsilon(delta)
        return found.upper, "closed form" if not found.note else f"closed form ({found.note})"
    return _best_account(cost, delta, rough)


@lru_cache(maxsize=256)
def _best_account(composition: Composition, delta: float, rough: float) -> tuple[float, str]:
    if _by_losses(composition) and rough:
        return upper_epsilon(thinned(composition), delta, excess=ROUGH, least=rough), "pld"
    if _by_losses(composition):
        return upper_epsilon(composition, delta), "pld"
    return min((one.epsilon(delta).upper, name) for name, one in _accounts(composition))


def greatest_lower(cost: Cost, delta: float) -> float:
    """The best lower bound of one cost at `delta`, nats."""
    if not isinstance(cost, Composition):
        return cost.epsilon(delta).lower
    if _by_losses(cost):
        return lower_epsilon(cost, delta)
    return max(one.epsilon(delta).lower for _, one in _accounts(cost))


def _sound() -> dict[str, Accountant]:
    return {name: one for name, one in registry().accountants.items() if one.side != "printed"}


def _by_losses(composition: Composition) -> bool:
    """Tell whether privacy losses tell best: they are known, and there is no closed form."""
    exact, oracle = _sound().get("gdp"), _sound().get("pld")
    if exact is not None and exact.refuses(composition) is None:
        return False
    return oracle is not None and oracle.refuses(composition) is None


def _accounts(composition: Composition) -> list[tuple[str, Composed]]:
    """The composition's cost by the sound accountants; by an exact one alone where there is one."""
    sound = _sound()
    exact = sound.get("gdp")
    if exact is not None and exact.refuses(composition) is None:
        return [("gdp", exact.compose(composition))]
    found = [(name, one) for name, one in sound.items() if _applies(one, composition)]
    if any(name == "rdp" for name, _ in found):
        found = [(name, one) for name, one in found if name not in NEVER_BELOW_RDP]
    if not found:
        raise InputError(f"a composition that no sound accountant takes: {composition}", allowed="known steps")
    return [(name, one.compose(composition)) for name, one in found]


def _applies(accountant: Accountant, composition: Composition) -> bool:
    try:
        return accountant.side != "lower" and accountant.refuses(composition) is None
    except DpverifyError:
        return False
