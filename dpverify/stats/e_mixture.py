"""Bets on several events at several stakes at once, against a chain of claims; events are learned during the draws.

Result: a line p <= e^t q + delta that a claim implies gives each pair of draws (X of P, Y of Q) the payoff Z = 1[X in
S] - e^t 1[Y in S] - delta, of expectation at most 0 given the past, whatever event S and line were chosen from it. A
stake l in [0, 1 / (e^t + delta)) makes the factor 1 + l Z >= 0 of expectation at most 1. Between two *settlements* the
wealth is a weighted sum, over slots (an event with its line) and stakes, of products of such factors; at each
settlement it is divided again, by weights that depend on earlier pairs only. That is a non-negative supermartingale: by
Ville's inequality it ever reaches 1/alpha with probability at most alpha (Waudby-Smith and Ramdas, JRSS B 2024, arXiv
2010.09686; mixtures of stakes: Cover's universal portfolio, restarted). No union bound over events, directions or
neighbours is needed: the wealth is one number, the average over the slots.

Stakes are fixed fractions of the largest one, so a slot's wealth depends on its four counts alone. A block is recorded
by its weights and counts, and expectations can be enumerated. Against the adaptive bet of `dpverify.stats.betting`
(aGRAPA) small violations need 10 to 25 % fewer pairs, and large violations up to 50 % more.

Several claims are tested at once, each with its own wealth, in an order fixed before the data (a *chain*, weakest
first). Rejected is the **unbroken** run of claims that have reached 1/alpha, from the first on. It contains a true
claim only when the first true one is rejected, which is one test at level alpha. The largest claim that reached 1/alpha
would be a union of tests.

Assumptions: pair t is independent of the past, given the events chosen for it. The *largest* of several wealths is not
an e-value; their average is one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.lazy_njit import exact_njit as njit
from dpverify.stats.intervals import check_level
from dpverify.stats.rounding import FloatArray

FRACTIONS: FloatArray = 0.95 * 2.0 ** -np.arange(10.0)
"""Stakes as fractions of the largest that keeps the wealth >= 0.

They give at least half of the best growth where the best fraction lies between 0.2 % and 100 %.
"""

STOP_WEALTH = 1e250
"""Betting stops at a wealth above this; betting nothing is a valid bet."""

RUINED = 1e-280
ROUNDING_PER_PAIR = 1e-14
"""Relative rounding error of a wealth for each pair (and settlement); e-values are lowered by it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Settlement(Checked):
    """The bets until the next settlement, chosen from earlier pairs only."""

    slopes: FloatArray
    deltas: FloatArray
    """`slopes`, `deltas`: lines p <= slope * q + delta that hold for the slots' events under each claim, shape (claims,
    slots)."""
    weights: FloatArray
    """Shares of the wealth, shape (claims, slots, stakes), >= 0, of sum at most 1 for each claim."""
    fractions: FloatArray
    """The stakes as fractions of the largest, in (0, 1), shape (stakes,)."""

    def validate(self) -> None:
        """Check shapes and ranges of the bets."""
        claims, slots = self.slopes.shape if self.slopes.ndim == 2 else (0, 0)
        if self.deltas.shape != (claims, slots) or self.weights.shape != (claims, slots, self.fractions.size):
            raise InputError("a settlement whose shapes disagree", allowed="one line a slot, one weight a stake")
        if not (np.all(np.isfinite(self.slopes)) and np.all(self.slopes > 0) and np.all(self.deltas >= 0)):
            raise InputError("a line with a bad slope or delta", allowed="finite slopes > 0, deltas >= 0")
        if not np.all((self.fractions > 0.0) & (self.fractions < 1.0)):
            raise InputError(f"fractions {self.fractions!r}", allowed="numbers in (0, 1)")
        if not np.all(self.weights >= 0.0) or np.any(self.weights.sum(axis=(1, 2)) > 1.0 + 1e-12):
            raise InputError("weights of the bets", allowed=">= 0, of sum at most 1", remedy="normalise them")

    @property
    def factors(self) -> FloatArray:
        """The factor of each bet for a pair, shape (claims, slots, 4, stakes); kinds (X, Y) = 00, 01, 10, 11."""
        slope, delta = self.slopes[..., None, None], self.deltas[..., None, None]
        first, second = np.array([0.0, 0.0, 1.0, 1.0])[:, None], np.array([0.0, 1.0, 0.0, 1.0])[:, None]
        return np.asarray(1.0 + self.fractions / (slope + delta) * (first - slope * second - delta))

    def wealth(self, counts: NDArray[np.int64]) -> FloatArray:
        """The factor by which these counts multiply each claim's wealth; equals betting on the pairs one by one.

        `counts`, shape (slots, 4): pairs of each kind. Out of range results are 0 or inf.
        """
        with np.errstate(over="ignore", under="ignore"):
            powers = np.exp(np.einsum("gkzj,kz->gkj", np.log(self.factors), counts.astype(np.float64)))
            return np.asarray(np.sum(self.weights * powers, axis=(1, 2)) + 1.0 - self.weights.sum(axis=(1, 2)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Chain:
    """State of the e-processes of a chain of claims; its methods return the next state."""

    alpha: float
    """Error probability; it only decides when a claim counts as rejected."""
    pairs: int
    """Pairs of draws bet on so far."""
    settled: FloatArray
    """Wealth that is not at stake, shape (claims,)."""
    capital: FloatArray
    """Present value of each bet, shape (claims, slots, stakes)."""
    peak: FloatArray
    """Highest wealth so far, shape (claims,)."""
    reached: NDArray[np.int64]
    """Number of pairs after which 1/alpha was reached; -1 where it was not."""
    bets: Settlement | None = None
    """The present bets."""

    @classmethod
    def start(
        cls, claims: int, *, alpha: float, wealth: ArrayLike | None = None, peak: ArrayLike | None = None
    ) -> Chain:
        """Processes of wealth 1, or ones that continue the wealths and peaks of earlier, independent pairs."""
        check_level(alpha)
        if claims < 1:
            raise InputError(f"a chain of {claims} claims", allowed="at least 1")
        carried = np.ones(claims) if wealth is None else np.array(wealth, dtype=np.float64)
        highest = np.maximum(carried, 1.0 if peak is None else np.array(peak, dtype=np.float64))
        sound = carried.shape == highest.shape == (claims,)
        if not sound or not np.all((carried >= 0) & np.isfinite(highest)):
            raise InputError("wealths that do not fit the chain", allowed=f"{claims} finite numbers >= 0 each")
        return cls(
            alpha=alpha,
            pairs=0,
            settled=carried,
            capital=np.zeros((claims, 1, 1)),
            peak=highest,
            reached=np.where(highest >= 1.0 / alpha, 0, -1),
        )

    @cached_property
    def wealth(self) -> FloatArray:
        """Present wealth of each claim, shape (claims,)."""
        return np.asarray(self.settled + self.capital.sum(axis=(1, 2)))

    @property
    def e_values(self) -> FloatArray:
        """E-values against the claims, never above the wealths in exact arithmetic."""
        return np.asarray(self.wealth * self._lowered(self.pairs))

    @property
    def peaks(self) -> FloatArray:
        """Highest e-values so far, lowered likewise. They are not e-values; they show which claims were rejected."""
        return np.asarray(self.peak * self._lowered(self.pairs))

    @staticmethod
    def _lowered(pairs: int) -> float:
        return 1.0 - ROUNDING_PER_PAIR * (pairs + 100)

    def run(self) -> int:
        """Length of the unbroken run of rejected claims; it contains a true claim with probability at most alpha."""
        rejected = self.reached >= 0
        return int(rejected.size if rejected.all() else np.argmin(rejected))

    def settle(self, bets: Settlement) -> Chain:
        """Divide all wealth by the new bets."""
        if bets.slopes.shape[0] != self.peak.size:
            raise InputError("a settlement for another chain", allowed=f"{self.peak.size} claims")
        frozen = self.wealth > STOP_WEALTH
        shares = np.where(frozen[:, None, None], 0.0, bets.weights * (1.0 - 1e-12))
        capital = self.wealth[:, None, None] * shares
        return replace(
            self, settled=self.wealth * np.maximum(1.0 - shares.sum(axis=(1, 2)), 0.0), capital=capital, bets=bets
        )

    def update(self, kinds: NDArray[np.int8]) -> Chain:
        """The state after more pairs; the same, bit for bit, in one call or in many.

        Parameters
        ----------
        kinds : ndarray of int8
            Shape (slots, t): ``2 * x + y`` for the event's indicators x under P and y under Q of each pair.

        Raises
        ------
        InputError
            Before the first settlement, or for another shape or other kinds.
        """
        bets = self.bets
        if bets is None:
            raise InputError("pairs before any settlement", allowed="settle first")
        if kinds.ndim != 2 or kinds.shape[0] != bets.slopes.shape[1] or not np.all((kinds >= 0) & (kinds <= 3)):
            raise InputError(f"kinds of shape {kinds.shape}", allowed=f"({bets.slopes.shape[1]}, t), of 0 to 3")
        capital, peak, reached = self.capital.copy(), self.peak.copy(), self.reached.copy()
        in_order, threshold = np.ascontiguousarray(kinds.T), 1.0 / self.alpha
        _bet(in_order, bets.factors, self.settled, capital, peak, reached, threshold, self.pairs)
        return replace(self, pairs=self.pairs + kinds.shape[1], capital=capital, peak=peak, reached=reached)


def kinds_of(under_p: Any, under_q: Any) -> NDArray[np.int8]:
    """``2 * x + y`` of two arrays of indicators."""
    return np.asarray(2 * np.asarray(under_p).astype(np.int8) + np.asarray(under_q).astype(np.int8), dtype=np.int8)


@njit(cache=True, nogil=True, error_model="numpy")
def _bet(
    kinds: NDArray[np.int8],
    factors: FloatArray,
    settled: FloatArray,
    capital: FloatArray,
    peak: FloatArray,
    reached: NDArray[np.int64],
    threshold: float,
    before: int,
) -> None:
    """Multiply the bets by their factors, pair by pair, in place."""
    claims, slots, stakes = capital.shape
    for g in range(claims):
        total = settled[g]
        for k in range(slots):
            for j in range(stakes):
                total += capital[g, k, j]
        for t in range(kinds.shape[0]):
            if total > STOP_WEALTH:
                break
            total = settled[g]
            for k in range(slots):
                kind = kinds[t, k]
                for j in range(stakes):
                    after = capital[g, k, j] * factors[g, k, kind, j]
                    after = after if after > RUINED else 0.0
                    capital[g, k, j] = after
                    total += after
            if total > peak[g]:
                peak[g] = total
                if reached[g] < 0 and total * (1.0 - ROUNDING_PER_PAIR * (before + t + 101)) >= threshold:
                    reached[g] = before + t + 1
