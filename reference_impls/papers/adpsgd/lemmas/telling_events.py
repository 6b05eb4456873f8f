"""Two events that distinguish T steps of a mixture of two Gaussians from T steps of one: closed-form lower bounds.

Steps are (1 - q) N(0, 1) + q N(s, 1), or N(0, 1). Some step lies beyond a level: 1 - (1 - p)^T. The sum of all does:
the number of draws of the record is binomial, and given it the sum is Gaussian. Whatever the level, log((P - delta) /
Q) is below the epsilon of the pair at delta: a search over levels costs sharpness, never truth; in balls it is proved.

Side: lower. Not to be confused with the privacy-loss distribution of the same pair, which brackets it and proves
nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, log_ndtr, logsumexp

from dpverify.laws.balls import exact_ball

Float = NDArray[np.float64]
_LEVELS = 64
_MOST_DRAWS = 100.0  # of the one record, on average: beyond, sums are not tried


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Some step (or the sum of all) lies beyond `level` standard deviations."""

    kind: Literal["step", "sum"]
    level: float


@lru_cache(maxsize=8)
def telling_event(rate: float, shift: float, steps: int, delta: float) -> tuple[float, Event]:
    """The largest log((P - delta) / Q) that was found, -inf where no event has P > delta, and its event."""
    best, event = -math.inf, Event(kind="step", level=0.0)
    kinds: tuple[Literal["step", "sum"], ...] = ("step", "sum") if steps * rate <= _MOST_DRAWS else ("step",)
    for kind in kinds:
        low, high = -2.0, 8.0 + min(shift, 1e3)
        for _ in range(3):
            levels = np.linspace(low, high, _LEVELS)
            values = _told(kind, levels, rate, shift, steps, delta)
            top = int(np.argmax(values))
            if values[top] > best:
                best, event = float(values[top]), Event(kind=kind, level=float(levels[top]))
            width = (high - low) / (_LEVELS - 1)
            low, high = levels[top] - width, levels[top] + width
    return best, event


def _told(kind: str, levels: Float, rate: float, shift: float, steps: int, delta: float) -> Float:
    if kind == "step":
        still = log_ndtr(-levels)
        moved = np.logaddexp(math.log1p(-rate) + still, math.log(rate) + log_ndtr(shift - levels))
        present, absent = (_some(each, steps) for each in (moved, still))
    else:
        counts, weights = _draws(rate, steps)
        moves = log_ndtr(counts[:, None] * (shift / math.sqrt(steps)) - levels)
        present, absent = np.asarray(logsumexp(weights[:, None] + moves, axis=0)), log_ndtr(-levels)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        share = delta * np.exp(-present)
        return np.where(share < 1.0, present + np.log1p(-np.minimum(share, 1.0)) - absent, -np.inf)


def _some(logs: Float, steps: int) -> Float:
    """log(1 - (1 - p)^T) for log p."""
    with np.errstate(divide="ignore"):
        none = steps * np.log1p(-np.minimum(np.exp(logs), 1.0))
        few = np.log(-np.expm1(none))
    return np.where(logs < -600.0, logs + math.log(steps), few)


def _draws(rate: float, steps: int) -> tuple[Float, Float]:
    """How often the record is drawn, and the logarithm of how likely that is; rare counts are left out."""
    mean = steps * rate
    reach = 9.0 * math.sqrt(mean) + 25.0
    counts = np.arange(max(0, math.floor(mean - reach)), min(steps, math.ceil(mean + reach)) + 1, dtype=np.float64)
    if rate == 1.0:
        return np.array([float(steps)]), np.zeros(1)
    choose = gammaln(steps + 1.0) - gammaln(counts + 1.0) - gammaln(steps - counts + 1.0)
    return counts, choose + counts * math.log(rate) + (steps - counts) * math.log1p(-rate)


def event_balls(event: Event, rate: flint.arb, shift: flint.arb, steps: int) -> tuple[flint.arb, flint.arb]:
    """P (from below) and Q of an event, as balls."""

    def above(level: flint.arb) -> flint.arb:
        return (level / flint.arb(2).sqrt()).erfc() / 2

    def some(probability: flint.arb) -> flint.arb:
        return -((steps * (-probability).log1p()).expm1())

    level = exact_ball(event.level)
    if event.kind == "step":
        still = above(level)
        return some((1 - rate) * still + rate * above(level - shift)), some(still)
    counts = [round(each) for each in _draws(float(rate.mid()), steps)[0].tolist()]
    if not rate < 1:
        return above(level - steps * shift / flint.arb(steps).sqrt()), above(level)
    present, root = flint.arb(0), flint.arb(steps).sqrt()
    weight = math.comb(steps, counts[0]) * rate ** counts[0] * (1 - rate) ** (steps - counts[0])
    for count in counts:
        present += weight * above(level - count * shift / root)
        weight *= rate / (1 - rate) * (steps - count) / (count + 1)
    return present, above(level)
