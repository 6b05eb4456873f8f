"""Lower confidence bounds on Rényi divergences by the variational form, which uses the whole distribution.

Result (Birrell et al., arXiv 2007.03814, Theorem 3.1): for every bounded h and order a > 1, D_a(P || Q) >= a/(a - 1) ln
E_P e^((a - 1) h) - ln E_Q e^(a h), with equality for h = ln dP/dQ. For a step function h, fixed on other data, both
means are of listed values, and the counts of its cells are sufficient. With the bets of `dpverify.stats.variational`,
the product of both sides' wealths has expectation 1 at the true pair of means: the pairs at which it stays below
1/alpha are one joint confidence region, and the bound is its least value over that region. So alpha need not be split
between the two means.

A twentieth of alpha bounds E_P from above and another one from below, because the region of the product alone is
unbounded: an extreme value of one mean could compensate for the other.

Assumptions: h, order, direction and bets are fixed before the counts. Limits: an unbounded ratio is cut off, which
keeps the bound valid and loses the rest. The plug-in divergence of two histograms is different: it is biased upward.

Confidence limits of means of bounded values, from the counts of the values, by bets that are fixed before the draws.

Result: for independent draws with values y_k and mean m, and any bet b >= 0 fixed in advance with 1 + b (y - m) >= 0,
the wealth prod (1 + b (y_i - m)) has expectation 1, so by Markov's inequality it reaches 1/alpha with probability at
most alpha (Waudby-Smith and Ramdas, JRSS B 2024, arXiv 2010.09686, section 4; here one bet for all draws). The means at
which it stays below 1/alpha are a confidence set. With a single bet the counts are sufficient: the order of draws does
not matter.

A bet too large for a mean is cut to the largest one allowed, which is also a rule fixed in advance. The wealth is then
monotone in the mean, so the set is a half-line. Assumptions: all possible values are listed, whether drawn or not; bets
are planned on other data. Limits: fixed n; about 20 % wider than a normal limit at 99.9 %. A bet tuned to the draws
that it is used on would be invalid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.stats.intervals import check_level
from dpverify.stats.rounding import FloatArray, down, up

CLOSING = 0.05
"""The part of alpha that bounds E_P from above, and the part that bounds it from below."""

BOLDEST = 0.9
"""Largest part of the wealth that a planned bet may lose at the worst value, at the expected mean."""

FIRST_CELLS, SPLIT, LARGEST_CELLS = 48, 8, 1500
RELATIVE_LOSS, ABSOLUTE_LOSS = 5e-4, 1e-7
TINY = 1e-60
FAR = -100.0
"""Scores this far below the highest are treated as minus infinity."""


Side = Literal["above", "below"]

BEARABLE = 0.999
"""Largest part of the wealth that a cut bet may lose at the worst value."""

BISECTIONS = 60
SLACK = 1e-13
"""Upper bound on the rounding error of a log-wealth, relative to the sum of the logarithms' magnitudes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Variational(Checked):
    """A test function on k cells and its bets, all fixed before the draws."""

    order: Annotated[float, Between(1, math.inf, open="both", remedy="at inf use an epsilon bound")]
    """In (1, inf)."""
    scores: FloatArray
    """Shape (k,): h on each cell, finite; adding a constant to all of them changes nothing."""
    bet_p: float
    bet_q: float
    """`bet_p`, `bet_q`: stakes on E_P being above, and E_Q below, what is supposed; >= 0."""
    bet_above: float
    bet_below: float
    """`bet_above`, `bet_below`: stakes on E_P alone, in both directions, for its upper and lower limit."""

    def validate(self) -> None:
        """Check that there are cells with finite scores."""
        if self.scores.ndim != 1 or self.scores.size < 1 or not np.all(np.isfinite(self.scores)):
            raise InputError(f"scores of shape {self.scores.shape}", allowed="finite numbers, shape (k,), k >= 1")

    @classmethod
    def planned(
        cls, scores: FloatArray, p: FloatArray, q: FloatArray, *, order: float, trials: int, alpha: float
    ) -> Variational:
        """The test function with the best bets for cell probabilities p and q (from other data), shape (k,)."""
        plan = expected(scores, p, q, order=order, trials=trials, alpha=alpha)
        return cls(
            order=order,
            scores=scores,
            bet_p=float(plan.bet_p),
            bet_q=float(plan.bet_q),
            bet_above=float(plan.bet_above),
            bet_below=float(plan.bet_below),
        )

    def lower(self, counts_p: NDArray[np.int64], counts_q: NDArray[np.int64], *, alpha: float) -> float:
        """Lower confidence bound on D_order(P || Q) in nats, from the cells' counts, shape (k,) each.

        Side of the error: above the divergence with probability at most alpha. At least 0.

        Raises
        ------
        InputError
            For an alpha that is no error probability, or counts of another shape.
        """
        check_level(alpha)
        counts_p, counts_q = np.asarray(counts_p), np.asarray(counts_q)
        if counts_p.shape != self.scores.shape or counts_q.shape != self.scores.shape:
            raise InputError(
                f"counts of shapes {counts_p.shape} and {counts_q.shape}", allowed=f"shape {self.scores.shape} each"
            )
        y, z = powers(self.scores, self.order)
        above, below = Bets(values=y, bet=self.bet_p, side="above"), Bets(values=z, bet=self.bet_q, side="below")
        level, closing = -math.log((1.0 - 2.0 * CLOSING) * alpha), -math.log(CLOSING * alpha)
        least_a = mean_lower(Bets(values=y, bet=self.bet_above, side="above"), counts_p, log_level=closing)
        most_a = mean_upper(Bets(values=y, bet=self.bet_below, side="below"), counts_p, np.array([closing]))[0]
        if least_a > most_a:  # alpha covers the event that one of them is wrong
            return 0.0
        power = self.order / (self.order - 1.0)

        def limit(a: FloatArray) -> FloatArray:  # the largest E_Q compatible with E_P = a
            return mean_upper(below, counts_q, level - above.log_wealth(counts_p, a))

        def value(a: FloatArray, b: FloatArray) -> FloatArray:
            return down(down(power * down(np.log(a), 2), 2) - up(np.log(b), 2), 1)

        edges = np.linspace(least_a, most_a, FIRST_CELLS + 1)
        limits = limit(edges)
        left, right, far = edges[:-1], edges[1:], limits[1:]
        cells, attained = value(left, far), float(np.min(value(edges, limits)))
        while True:
            active = cells < attained - max(ABSOLUTE_LOSS, RELATIVE_LOSS * abs(attained))
            if not active.any() or cells.size + SPLIT * int(active.sum()) > LARGEST_CELLS:
                break
            steps = np.arange(SPLIT + 1) / SPLIT
            grid = left[active, None] + (right - left)[active, None] * steps
            found = limit(grid.ravel()).reshape(grid.shape)
            attained = min(attained, float(np.min(value(grid, found))))
            parts = (left, grid[:, :-1]), (right, grid[:, 1:]), (far, found[:, 1:])
            left, right, far = (np.concatenate([old[~active], new.ravel()]) for old, new in parts)
            cells = value(left, far)
        return max(0.0, float(np.min(cells)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Expected:
    """Expected values of test functions at given cell probabilities, shape (...), and the loss with n draws."""

    value: FloatArray
    """The variational bound itself, in nats."""
    loss: FloatArray
    deviation: FloatArray
    """`loss`, `deviation`: loss due to the confidence level, and standard deviation of the bound between samples; first
    order."""
    bet_p: FloatArray
    bet_q: FloatArray
    bet_above: FloatArray
    bet_below: FloatArray
    """`bet_p`, `bet_q`, `bet_above`, `bet_below`: the best stakes."""

    @property
    def bound(self) -> FloatArray:
        """The expected bound."""
        return self.value - self.loss


def expected(scores: FloatArray, p: FloatArray, q: FloatArray, *, order: float, trials: int, alpha: float) -> Expected:
    """First-order plans of test functions for `trials` draws a side.

    Parameters
    ----------
    scores : float64, shape (..., k)
        One test function a row.
    p, q : float64, shape (k,)
        Cell probabilities under P and under Q, from other data; all above 0.
    """
    y, z = powers(scores, order)
    power, level = order / (order - 1.0), -math.log((1.0 - 2.0 * CLOSING) * alpha)
    a, b = y @ p, z @ q
    spread_a, spread_b = (y - a[..., None]) ** 2 @ p, (z - b[..., None]) ** 2 @ q
    total = np.maximum(power**2 * spread_a / a**2 + spread_b / b**2, TINY)
    # the same rate on both sides aligns the region's edge with the level line of the bound
    bold = np.minimum(_bold(a - y.min(axis=-1)) * a / power, _bold(z.max(axis=-1) - b) * b)
    rate = np.minimum(np.sqrt(2.0 * level / (trials * total)), bold)
    alone = np.sqrt(-2.0 * math.log(CLOSING * alpha) / (trials * np.maximum(spread_a, TINY)))
    return Expected(
        value=power * np.log(a) - np.log(b),
        loss=level / (trials * rate) + 0.5 * rate * total,
        deviation=np.sqrt(total / trials),
        bet_p=rate * power / a,
        bet_q=rate / b,
        bet_above=np.minimum(alone, _bold(a - y.min(axis=-1))),
        bet_below=np.minimum(alone, _bold(y.max(axis=-1) - a)),
    )


def _bold(distance: FloatArray) -> FloatArray:
    """The largest bet when the worst value has this distance from the expected mean."""
    return np.asarray(BOLDEST / np.maximum(distance, TINY))


def powers(scores: FloatArray, order: float) -> tuple[FloatArray, FloatArray]:
    """e^((order - 1) h) and e^(order h) with the largest h moved to 0: values in (0, 1]."""
    h = np.maximum(scores - scores.max(axis=-1, keepdims=True), FAR / order)
    return np.exp((order - 1.0) * h), np.exp(order * h)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bets(Checked):
    """The same bet on every draw: that the values are above (or below) a hypothetical mean.

    Raises
    ------
    InputError
        For values or bets outside these ranges.
    """

    values: FloatArray
    """Shape (k,): all possible values, at least one."""
    bet: Annotated[float, Between(0, np.inf, open="high", remedy="plan it on other draws")]
    """Share of the wealth staked per unit, >= 0, finite."""
    side: Side
    """``above`` gives evidence against small means, ``below`` against large ones."""

    def validate(self) -> None:
        """Check that there are values, and that they are finite."""
        if self.values.ndim != 1 or self.values.size == 0 or not np.all(np.isfinite(self.values)):
            raise InputError(f"values of shape {self.values.shape}", allowed="finite numbers, shape (k,), k >= 1")

    def log_wealth(self, counts: NDArray[np.int64], means: ArrayLike) -> FloatArray:
        """Log-wealth against each hypothetical mean (any shape); never above its exact value.

        Decreasing in the mean for ``above``, increasing for ``below``. Counts: shape (k,), one for each value.
        """
        means = np.asarray(means, dtype=np.float64)[..., None]
        gain = self.values - means if self.side == "above" else means - self.values
        room = -np.min(gain, axis=-1, keepdims=True)  # loss at the worst value
        bet = np.where(room > 0.0, np.minimum(self.bet, BEARABLE / np.where(room > 0.0, room, 1.0)), self.bet)
        logs = np.log1p(bet * gain)
        return np.asarray(logs @ counts - SLACK * (np.abs(logs) @ counts), dtype=np.float64)


def mean_lower(bets: Bets, counts: NDArray[np.int64], *, log_level: float) -> float:
    """Lower confidence limit of a mean at error e^-log_level, from bets on ``above``; never above the exact limit."""
    low, high = float(bets.values.min()), float(bets.values.max())
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if bets.log_wealth(counts, middle) >= log_level:
            low = middle
        else:
            high = middle
    return low


def mean_upper(bets: Bets, counts: NDArray[np.int64], log_levels: FloatArray) -> FloatArray:
    """Upper limits at errors e^-log_levels, of shape (m,), from bets on ``below``; never below the exact ones."""
    low, high = np.full(log_levels.shape, bets.values.min()), np.full(log_levels.shape, bets.values.max())
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        beyond = bets.log_wealth(counts, middle) >= log_levels
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    return high
