"""Guesses from the scores of one training, by rules that do not use inclusion.

A rule is fixed in advance: guess "in" for the k_in highest scores and "out" for the k_out lowest ones, and nothing for
the rest. With several values of a canary, guess the value with the highest score for the r canaries whose first two
scores differ most.

Ties are broken in a random order from the audit's stream. The order of the arrays must not decide: included canaries
are often listed first, and then equal scores would be guessed correctly by position. NaN is in the middle, in random
order, so it is guessed last and by a coin; the number of guesses is unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float

DEFAULT_PARTS = (2, 8, 32)
"""Fractions of the canaries guessed "in" by default: 1/2 (less `SPARE`), 1/8 and 1/32; as many are guessed "out"."""

SPARE = 2.0
"""Times sqrt(m): four standard deviations of the number of included canaries.

Guessing half of them "in" is wrong about 0.4 sqrt(m) times even for a perfect attack, since exactly half are rarely
included.
"""

UNFAIR = 1e-9
"""Counts that fair coins give with a smaller probability are refused."""

SPREAD = 4.0
"""Times sqrt(m): eight standard deviations of the number of canaries that look included; the rest has no weight."""

Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Numbers of guesses "in" and "out"; with several values only their sum counts."""

    inside: int
    outside: int

    @property
    def guesses(self) -> int:
        """Total number of guesses."""
        return self.inside + self.outside


def default_rules(canaries: int) -> tuple[Rule, ...]:
    """The default grid without repetitions; never more guesses on a side than fair coins include."""
    most = math.floor(canaries / 2 - SPARE * math.sqrt(canaries))
    sizes = sorted({max(min(canaries // part, most), 1) for part in DEFAULT_PARTS}, reverse=True)
    return tuple(Rule(inside=size, outside=min(size, canaries - size)) for size in sizes)


def rules_for(guesses: Sequence[tuple[int, int]] | None, canaries: int) -> tuple[Rule, ...]:
    """The given rules, or the default ones; InputError for none, or for more guesses than canaries."""
    if guesses is None:
        return default_rules(canaries)
    rules = tuple(dict.fromkeys(Rule(inside=inside, outside=outside) for inside, outside in guesses))
    for rule in rules:
        if min(rule.inside, rule.outside) < 0 or not 1 <= rule.guesses <= canaries:
            raise InputError(
                f"{rule.inside} guesses of in and {rule.outside} of out on {canaries} canaries",
                allowed=f"counts >= 0, from 1 to {canaries} together",
            )
    if not rules:
        raise InputError("no number of guesses", allowed="at least one pair (in, out)")
    return rules


def right_guesses(scores: Float, included: Integer, rules: Sequence[Rule], *, rng: np.random.Generator) -> list[int]:
    """Number of correct guesses of each rule.

    Parameters
    ----------
    scores : ndarray
        Shape (m,), higher means included; or (m, k), one score for each value.
    included : ndarray of int
        Shape (m,), in 0..1, or in 0..k-1.
    rng : Generator
        Breaks ties, and flips the coin for NaN.
    """
    shuffled = rng.permutation(included.size)  # after the shuffle, stable sorts break ties fairly
    scores, included = scores[shuffled], included[shuffled]
    if scores.ndim == 1:
        order = _ascending(scores)
        return [
            int(np.count_nonzero(included[order[order.size - rule.inside :]] == 1))
            + int(np.count_nonzero(included[order[: rule.outside]] == 0))
            for rule in rules
        ]
    silent = np.asarray(np.any(np.isnan(scores), axis=1))
    relabelled = rng.permuted(np.tile(np.arange(scores.shape[1]), (included.size, 1)), axis=1)
    known = np.where(silent[:, None], 0.0, scores)
    mixed = np.take_along_axis(known, relabelled, axis=1)
    guess = np.take_along_axis(relabelled, np.argmax(mixed, axis=1)[:, None], axis=1)[:, 0]
    top = np.sort(known, axis=1)
    with np.errstate(invalid="ignore"):
        margin = np.where(silent | (top[:, -1] == top[:, -2]), 0.0, top[:, -1] - top[:, -2])
    order = np.argsort(-margin, kind="stable")
    right = guess[order] == included[order]
    return [int(np.count_nonzero(right[: rule.guesses])) for rule in rules]


def most_right(included: Integer, values: int, rule: Rule) -> int:
    """Number of correct guesses of a perfect attack: fewer than all when too few canaries are in, or out."""
    if values > 2:
        return rule.guesses
    inside = int(np.count_nonzero(included == 1))
    return min(rule.inside, inside) + min(rule.outside, included.size - inside)


def chance_of_right(least: float, rate: float, canaries: int, rule: Rule) -> float:
    """P[at least `correct` guesses are correct] where each score shows inclusion correctly at `rate`; two values.

    Of m canaries V ~ Bin(m, 1/2) look included. Where V < `inside`, s = inside - V of the guesses "in" look excluded,
    and are correct with probability 1 - rate (likewise for "out"). The count is then the sum of Bin(r - s, rate) and
    Bin(s, 1 - rate): mean r rate - s (2 rate - 1) and the variance of Bin(r, rate), as which, shifted, it is taken
    (exact at rates 1/2 and 1).
    """
    half, spread = canaries / 2, SPREAD * math.sqrt(canaries)
    looks_in = np.arange(max(0, math.floor(half - spread)), min(canaries, math.ceil(half + spread)) + 1)
    weights = np.exp(
        special.gammaln(canaries + 1.0)
        - special.gammaln(looks_in + 1.0)
        - special.gammaln(canaries - looks_in + 1.0)
        - canaries * math.log(2.0)
    )
    short = np.maximum(rule.inside - looks_in, 0) + np.maximum(rule.outside - (canaries - looks_in), 0)
    needed = least + short * (2.0 * rate - 1.0)
    within = np.clip(needed, 1e-9, rule.guesses)
    reached = special.betainc(within, rule.guesses - within + 1.0, rate)
    return float(np.sum(weights * np.where(needed > rule.guesses, 0.0, np.where(needed <= 0, 1.0, reached))))


def _ascending(scores: Float) -> Integer:
    """Indices from the lowest score to the highest, NaN in the middle."""
    silent = np.isnan(scores)
    order = np.argsort(scores, kind="stable")  # NaN last
    spoken = order[: scores.size - int(silent.sum())]
    middle = spoken.size // 2
    return np.concatenate([spoken[:middle], order[spoken.size :], spoken[middle:]])


def check_coins(included: Integer, values: int) -> None:
    """Raise InputError when fair coins give the counts of the canaries' values with probability below 1e-9.

    Including exactly half is not a set of independent coins either, but passes this check; the caller must avoid it.
    """
    size = included.size
    for value in range(values):
        count = int(np.count_nonzero(included == value))
        below = float(special.betaincc(count + 1.0, max(size - count, 1e-9), 1.0 / values)) if count < size else 1.0
        above = float(special.betainc(max(count, 1e-9), size - count + 1.0, 1.0 / values)) if count else 1.0
        if 2.0 * values * min(below, above) < UNFAIR:
            raise InputError(
                f"{count} of {size} canaries have the value {value}",
                allowed=f"about {size / values:.0f}: each canary's value drawn evenly, independently of the others",
                remedy="draw the canaries again, by a fair coin for each",
            )


def expected_rate(mu: float, part: float) -> float:
    """Rate of correct guesses for scores N(0, 1) out and N(mu, 1) in, when a `part` of the canaries is guessed."""
    tail = 0.5 * part
    low, high = -40.0, 40.0 + mu
    for _ in range(80):
        at = 0.5 * (low + high)
        mixed = 0.5 * (float(special.ndtr(-at)) + float(special.ndtr(mu - at)))
        low, high = (at, high) if mixed > tail else (low, at)
    inside, outside = float(special.ndtr(mu - low)), float(special.ndtr(-low))
    return inside / (inside + outside) if inside + outside > 0 else 1.0


def rate_to_mu(rate: float, part: float) -> float:
    """The mu at which guesses are correct at this rate; inf where it is not below 40."""
    if rate <= 0.5:
        return 0.0
    low, high = 0.0, 40.0
    if not expected_rate(high, part) > rate:
        return math.inf
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if expected_rate(middle, part) < rate else (low, middle)
    return high
