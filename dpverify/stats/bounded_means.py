"""Confidence limits of means of bounded values, from the counts of the values, by bets that are fixed before the draws.

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

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.stats.rounding import FloatArray

Side = Literal["above", "below"]

BEARABLE = 0.999
"""Largest part of the wealth that a cut bet may lose at the worst value."""

BISECTIONS = 60
SLACK = 1e-13
"""Upper bound on the rounding error of a log-wealth, relative to the sum of the logarithms' magnitudes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bets(Checked):
    """The same bet on every draw: that the values are above (or below) a hypothetical mean.

    Attributes
    ----------
    values : float64, shape (k,)
        All possible values, at least one.
    bet : float
        Share of the wealth staked per unit, >= 0, finite.
    side : "above" or "below"
        ``above`` gives evidence against small means, ``below`` against large ones.

    Raises
    ------
    InputError
        For values or bets outside these ranges.
    """

    values: FloatArray
    bet: Annotated[float, Between(0, np.inf, open="high", remedy="plan it on other draws")]
    side: Side

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
