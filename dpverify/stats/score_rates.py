"""How well scores tell members from others: true positives at false-positive rates, advantage, area, with intervals.

The threshold of a rate r is an order statistic of the scores of others, at a place that their number alone decides. At
the k-th largest of m scores the false-positive rate is a Beta(k, m - k + 1) number: it exceeds r with the probability
that Bin(m, r) is below k. With the largest k at which this is at most the error the rate is at most r, and the members
beyond are counted (Clopper, Pearson): a lower limit. With the smallest k which Bin(m, r) reaches with at most the error
it is at least r: an upper limit. Ties err to the side of each limit. Advantage: the largest difference of both
empirical rates, with the one-sided limits of Massart (1990) for each. Area under the curve: a two-sample mean, by
Hoeffding's inequality for min(n, m) pairs.

Assumptions: the scores of a side are independent draws of one law, and the sides are independent. All intervals of both
directions (members high, members low) hold together, so that the better direction may be told.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binom, rankdata

from dpverify.core.subjects import Float
from dpverify.shown.rounded import rounded_bound
from dpverify.stats.attacker import RATES
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper

Interval = tuple[float, float, float]
"""Lower limit, what was seen, upper limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRates:
    """What was seen of an attack, each with limits that hold together.

    Attributes
    ----------
    members : str
        ``high`` or ``low``: which scores are alarms.
    power : mapping of float to Interval
        True-positive rate by false-positive rate.
    advantage : Interval
        Largest true-positive rate minus false-positive rate over all thresholds.
    area : Interval
        Under the curve of both rates: the chance that a member's score is beyond another's, ties by half.
    confidence : float
        Of all intervals of both directions together.
    sizes : tuple of int
        Scores of members, and of others.
    """

    members: str
    power: Mapping[float, Interval]
    advantage: Interval
    area: Interval
    confidence: float
    sizes: tuple[int, int]

    def text(self) -> str:
        """Say all of it in one line, limits rounded to their sides."""
        told = [f"true positives at {rate:g} false positives {_text(each)}" for rate, each in self.power.items()]
        told += [f"advantage {_text(self.advantage)}", f"area {_text(self.area)}"]
        sure = rounded_bound(self.confidence, up=False)
        return f"attack by {self.members} scores: {', '.join(told)}: together at {sure}"

    def plain(self) -> dict[str, Any]:
        """Plain JSON values; rates are keys as texts."""
        return {
            "members": self.members,
            "power": {f"{rate:g}": list(each) for rate, each in self.power.items()},
            "advantage": list(self.advantage),
            "area": list(self.area),
            "confidence": self.confidence,
            "sizes": list(self.sizes),
        }


def score_rates(inside: Float, outside: Float, *, confidence: float, rates: Sequence[float] = RATES) -> ScoreRates:
    """Compute all intervals.

    Parameters
    ----------
    inside, outside : ndarray of float
        Shapes (n,) and (m,), neither empty, no NaN; infinities are scores.
    confidence : float
        Of all of them together.
    rates : sequence of float
        False-positive rates in (0, 1).

    Returns
    -------
    ScoreRates
        In the direction with the larger area.
    """
    sides = 2 * (2 * len(rates) + 4)  # two limits a number, two directions
    error = (1.0 - confidence) / sides
    area = _area(inside, outside)
    members = "high" if area >= 0.5 else "low"
    first, second = (inside, outside) if members == "high" else (-inside, -outside)
    area = max(area, 1.0 - area)
    apart = math.sqrt(math.log(1.0 / error) / (2.0 * min(first.size, second.size)))
    return ScoreRates(
        members=members,
        power={rate: _power(first, second, rate, error / 2.0) for rate in rates},
        advantage=_advantage(first, second, error / 2.0),
        area=(max(area - apart, 0.0), area, min(area + apart, 1.0)),
        confidence=confidence,
        sizes=(inside.size, outside.size),
    )


def _text(limits: Interval) -> str:
    low, seen, high = limits
    return f"{rounded_bound(low, up=False, digits=3)} to {rounded_bound(high, up=True, digits=3)} (seen {seen:.3g})"


def _area(inside: Float, outside: Float) -> float:
    ranks = rankdata(np.concatenate([inside, outside]))[: inside.size]
    return float((ranks.sum() - inside.size * (inside.size + 1) / 2.0) / (inside.size * outside.size))


def _power(inside: Float, outside: Float, rate: float, error: float) -> Interval:
    n, falling = inside.size, -np.sort(-outside)
    m = falling.size
    few = int(binom.ppf(error, m, rate))  # P(Bin < few) <= error: it is the smallest k with P(Bin <= k) >= error
    few -= bool(few and binom.cdf(few - 1, m, rate) > error)
    many = int(binom.isf(error, m, rate)) + 1
    many += bool(binom.sf(many - 1, m, rate) > error)
    seen = falling[min(math.floor(rate * m), m - 1)]
    low, high = 0.0, 1.0
    if few:
        low = float(clopper_pearson_lower(int(np.sum(inside > falling[few - 1])), n, alpha=error))
    if many <= m:
        high = float(clopper_pearson_upper(int(np.sum(inside >= falling[many - 1])), n, alpha=error))
    return low, float(np.mean(inside > seen)), high


def _advantage(inside: Float, outside: Float, error: float) -> Interval:
    places = np.unique(np.concatenate([inside, outside]))
    beyond = [1.0 - np.searchsorted(np.sort(each), places, side="right") / each.size for each in (inside, outside)]
    seen = max(float(np.max(beyond[0] - beyond[1])), 0.0)
    apart = sum(math.sqrt(math.log(1.0 / error) / (2.0 * each.size)) for each in (inside, outside))
    return max(seen - apart, 0.0), seen, min(seen + apart, 1.0)
