"""The expected gain of an event: a cautious estimate of the bound that later trials would give, relative to the claim.

A gain above 1 exceeds the claim (`auditors.privacy.event_bounds.Goal.gain`). It is not the plug-in ratio, which is
largest in the far tail, where it is least certain. Each probability is first moved against the event by standard errors
of the draws that it was estimated from, then by those of the later draws. The gain is no bound: the bound of the chosen
event comes from new draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from auditors.privacy.event.scores import Coordinate, Event, Score
from auditors.privacy.event.tails import CLEARLY, Tails, smoothed_log_ratios
from auditors.privacy.event_bounds import Goal, Scale
from auditors.privacy.outputs import Sample
from auditors.privacy.sampled_evidence import event_statistics
from dpverify.core.subjects import Float
from dpverify.stats.joint import JointRegion

CAUTIONS = (3.0, 2.0, 1.0)
"""Standard errors by which rates estimated on the selection draws are moved against the event.

The first attempt moves them by the expected largest of as many normal errors as there are events, if that is more;
otherwise the event with the largest error would win.
"""

DISCOUNT = 1e-3
"""Factor of a gain for every reduction of caution."""

SMOOTH_CAUTION, JOINED_CAUTION = 1.5, 2.5
"""Most standard errors for rates from a fitted curve, and for the counts combined with it.

(One fitted curve has no selection bias, unlike the best of several hundred thresholds.)
"""

SHOWN = 3.0
"""Standard errors by which the confirming draws must be able to show a fitted curve's leak.

Otherwise nothing checks the curve.
"""

CLEAR = 1.0
"""Standard errors by which the largest gap must exceed 0 before other events are expected to have gaps of its size."""

SMALL = 0.25
"""Only events up to this probability are smoothed; the counts of larger ones suffice."""

MUST_GAIN = 1.005
"""Factor of the gain of a plain score, so that a learned one is chosen only where it gains clearly more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An event, its direction (0: more likely under d0), cautious probabilities, expected gain and region's share."""

    event: Event
    direction: int
    p: float
    q: float
    gain: float
    share: float = 0.5

    def statistics(self, region: JointRegion) -> dict[str, Any]:
        """The choice as plain JSON values, with the region for its counts."""
        return event_statistics(region, self.direction, self.event, p=self.p, q=self.q, gain=self.gain)


def no_difference_choice(*, scalar: bool) -> Choice:
    """The event that is counted when no difference between the sides was found; it shows nothing."""
    event = Event(score=Coordinate(column=None if scalar else 0), threshold=0.0, above=True)
    return Choice(event=event, direction=0, p=0.5, q=0.5, gain=0.0)


def largest_gain(
    tails: Sequence[Tails],
    goal: Goal,
    *,
    trials: int,
    alpha: float,
    favoured: Sequence[Score] = (),
    bold: bool = False,
    shown: float = CLEARLY,
    grace: float = MUST_GAIN,
) -> Choice | None:
    """The event with the largest expected gain; None when no event has a positive gain.

    Where no event has a positive cautious gain, the caution is reduced step by step. The gain is discounted at each
    step, so that an event with a clear gain ranks first.

    Parameters
    ----------
    tails : sequence of Tails
        Thresholds of all scores, with the rates of the choosing draws.
    trials, alpha : int, float
        Trials and level of the later count.
    favoured : sequence of Score
        Scores whose gains are multiplied by `grace`.
    bold : bool
        Begin with less caution where an event has few draws. For events that other draws will count again, so that rare
        ones are not dropped too early.
    shown : float
        Standard errors of the counts by which a smoothed tail must show a leak.
    """
    if not tails:
        return None
    favour = np.concatenate([np.full(tail.thresholds.size, grace if tail.score in favoured else 1.0) for tail in tails])
    for level, (p, q, gain) in enumerate(_gains(tails, goal, trials=trials, alpha=alpha, bold=bold, shown=shown)):
        row, column = divmod(int(np.argmax(gain * favour)), gain.shape[1])
        if not gain[row, column] > 0.0:
            continue
        ends = np.cumsum([tail.thresholds.size for tail in tails])
        place = int(np.searchsorted(ends, column, side="right"))
        tail = tails[place]
        threshold = float(tail.thresholds[column - (ends[place] - tail.thresholds.size)])
        return Choice(
            event=Event(score=tail.score, threshold=threshold, above=row % 2 == 0),
            direction=row // 2,
            p=float(p[row, column]),
            q=float(q[row, column]),
            gain=float(gain[row, column]) * DISCOUNT**level,
        )
    return None


def shrunken_gain(tails: Sequence[Tails], goal: Goal, *, trials: int, alpha: float) -> float:
    """The largest gain by shrunken instead of cautious estimates, for events that other draws will count again.

    Each gap between the probits of p and q is replaced by its posterior mean under a normal prior whose spread is that
    of the clearest of these events (empirical Bayes). This corrects for selection without a disadvantage for rare
    events, whose errors are larger.
    """
    if not tails:
        return 0.0
    z = float(-special.ndtri(alpha))
    above = np.concatenate([tail.above for tail in tails], axis=1)
    n = np.concatenate([np.full(tail.thresholds.size, float(tail.size)) for tail in tails])
    rates = np.stack([above[0], 1.0 - above[0], above[1], 1.0 - above[1]])
    rates = (rates * n + 0.5) / (n + 1.0)
    others = rates[[2, 3, 0, 1]]
    gap = special.ndtri(rates) - special.ndtri(others)
    noise = _variance(rates, n, "probit") + _variance(others, n, "probit")
    rarity = np.minimum(
        np.minimum(rates, others), 1.0 - np.maximum(rates, others)
    )  # there are about 1 / rarity such events
    clear = CLEAR + np.sqrt(-2.0 * np.log(rarity))
    spread = max(float(np.max(gap - clear * np.sqrt(noise))), 0.0)
    middle = 0.5 * (special.ndtri(rates) + special.ndtri(others))
    half = 0.5 * gap * spread**2 / np.maximum(spread**2 + noise, 1e-300)
    p, q = special.ndtr(middle + half), special.ndtr(middle - half)
    corner = wilson(p, trials, -z), wilson(q, trials, z)
    return float(np.max(goal.gain(*cautious(p, q, trials, trials, z=z, scale=goal.scale), corner=corner)))


def _gains(
    tails: Sequence[Tails], goal: Goal, *, trials: int, alpha: float, bold: bool = False, shown: float = CLEARLY
) -> Iterator[tuple[Float, Float, Float]]:
    """For decreasing caution: cautious p and q and the gain, shapes (4, t), at the thresholds of all tails."""
    z = float(-special.ndtri(alpha))
    above = np.concatenate([tail.above for tail in tails], axis=1)
    n = np.concatenate([np.full(tail.thresholds.size, float(tail.size)) for tail in tails])
    seen_p = np.stack([above[0], 1.0 - above[0], above[1], 1.0 - above[1]])
    seen_q = seen_p[[2, 3, 0, 1]]
    largest_error = float(-special.ndtri(1.0 / max(seen_p.size, 2)))

    def gained(p: Float, q: Float, corner: tuple[Float, Float]) -> Float:
        return goal.gain(*cautious(p, q, trials, trials, z=z, scale=goal.scale), corner=corner)

    for caution in (max(CAUTIONS[1 if bold else 0], largest_error), *CAUTIONS[1:]):
        corner = wilson(wilson(seen_p, n, -caution), trials, -z), wilson(wilson(seen_q, n, caution), trials, z)
        p, q = cautious(seen_p, seen_q, n, n, z=caution, scale=goal.scale)
        gain = gained(p, q, corner)
        if any(tail.learned for tail in tails):
            joined_p, joined_q = _joined(tails, seen_p, seen_q, n, z=caution, shown=shown)
            corner = wilson(joined_p, trials, -z), wilson(joined_q, trials, z)
            more = gained(joined_p, joined_q, corner)
            better = more > gain
            p, q, gain = np.where(better, joined_p, p), np.where(better, joined_q, q), np.where(better, more, gain)
        yield p, q, gain


def _joined(
    tails: Sequence[Tails], seen_p: Float, seen_q: Float, n: Float, *, z: float, shown: float
) -> tuple[Float, Float]:
    """Cautious p and q of small events of learned scores with a smoothed ratio; 0 and 1 where it cannot be smoothed."""
    nothing = [(np.full((2, tail.thresholds.size), np.nan),) * 3 for tail in tails]
    pieces = [
        smoothed_log_ratios(tail, clearly=shown) if tail.learned else nan
        for tail, nan in zip(tails, nothing, strict=True)
    ]
    ratio, of_line, of_counts = (np.concatenate([piece[i] for piece in pieces], axis=1) for i in (0, 1, 2))
    doubt = np.sqrt(min(z, SMOOTH_CAUTION) ** 2 * of_line + min(z, JOINED_CAUTION) ** 2 * of_counts)
    ratio = np.concatenate([ratio, -ratio]) - np.tile(doubt, (2, 1))
    both = np.maximum(seen_p * n, 0.5) * np.maximum(seen_q * n, 0.5)
    middle = 0.5 * np.log(both) - np.log(n)
    fits = (ratio > 0.0) & (seen_p < SMALL) & (seen_q < SMALL)
    with np.errstate(invalid="ignore", over="ignore"):
        p, q = np.exp(middle + 0.5 * ratio), np.exp(middle - 0.5 * ratio)
    return np.where(fits, np.minimum(p, 1.0), 0.0), np.where(fits, q, 1.0)


def most_telling(
    scores: Sequence[Score], sides: tuple[Sample, Sample], goal: Goal, *, kept: int, trials: int, alpha: float
) -> list[Score]:
    """The `kept` scores whose events have the largest expected gain on these draws, in their own order."""
    tails = [tail for score in scores if (tail := Tails.of(score, sides)) is not None]
    if len(tails) <= kept:
        return [tail.score for tail in tails]
    starts = np.cumsum([0, *(tail.thresholds.size for tail in tails[:-1])])
    best = [
        np.maximum.reduceat(gain.max(axis=0), starts) for _, _, gain in _gains(tails, goal, trials=trials, alpha=alpha)
    ]
    order = np.lexsort([*reversed([-level for level in best])])  # the most cautious gain decides first
    return [tails[i].score for i in sorted(order[:kept].tolist())]


def cautious(p: Float, q: Float, n1: ArrayLike, n2: ArrayLike, *, z: float, scale: Scale) -> tuple[Float, Float]:
    """Lower p and raise q by Wilson limits, together by z standard errors of the difference on the given scale."""
    n1, n2 = np.asarray(n1, dtype=np.float64), np.asarray(n2, dtype=np.float64)
    of_p, of_q = _variance(p, n1, scale), _variance(q, n2, scale)
    total = of_p + of_q
    return wilson(p, n1, -z * np.sqrt(of_p / total)), wilson(q, n2, z * np.sqrt(of_q / total))


def _variance(rate: Float, n: Float, scale: Scale) -> Float:
    """Variance of an estimated probability's logarithm or probit; finite at 0 and 1."""
    inside = np.clip(rate, 1.0 / n, 1.0 - 1.0 / n)
    if scale == "log":
        return np.asarray((1.0 - inside) / (n * inside), dtype=np.float64)
    density = np.exp(-0.5 * special.ndtri(inside) ** 2) / np.sqrt(2.0 * np.pi)
    return np.asarray(inside * (1.0 - inside) / (n * density**2), dtype=np.float64)


def wilson(rate: Float, n: Float | int, z: ArrayLike) -> Float:
    """Wilson's limit of a rate from `n` draws, `z` standard errors above (below where z is negative), vectorised."""
    z = np.asarray(z, dtype=np.float64)
    middle = rate + z * z / (2 * n)
    spread = z * np.sqrt(rate * (1.0 - rate) / n + z * z / (4.0 * n * n))
    return np.asarray(np.clip((middle + spread) / (1.0 + z * z / n), 0.0, 1.0), dtype=np.float64)
