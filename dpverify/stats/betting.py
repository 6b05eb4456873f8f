"""The event e-process: anytime-valid evidence against an (epsilon, delta) claim, updated with every pair of draws.

Result: under the claim p <= e^epsilon q + delta for every event, so for pairs (X_t, Y_t) of event indicators under P
and under Q the payoff Z_t = X_t - e^epsilon Y_t - delta has expectation at most 0 given the past, even when the event
itself is chosen from the past. The wealth prod (1 + lambda_t Z_t), lambda_t >= 0 predictable, is a non-negative
supermartingale, and by Ville's inequality it ever reaches 1/alpha with probability at most alpha (Waudby-Smith and
Ramdas, JRSS B 2024, arXiv 2010.09686). The bet is their aGRAPA: the mean payoff so far over its mean square, clipped.

Each epsilon of a grid has its own wealth. Wealth is *not* monotone in epsilon, since the bets differ. So the running
lower bound is the last of the **unbroken** run of rejected grid points from the smallest on: it exceeds the true
epsilon only if the first grid point at or above it is rejected, which is one test at level alpha. The largest rejected
epsilon, which is often used, would be a union of tests.

Assumptions: pair t is drawn independently of the past given the event chosen for it. Limits: one direction; needs as
many draws under P as under Q. A p-value that is looked at repeatedly is not valid in this way.

Combines e-values: averages, products of independent ones, and families of hypotheses.

Results: an average of e-values against one hypothesis is one, in any dependence (Vovk and Wang, Annals of Statistics
2021). A product is one where each factor has expectation at most 1 *given all that came before it*, such as e-values of
independent draws, each taken at a stopping time of its own: the product of the first k is then a supermartingale in k,
and so is the wealth inside the last factor times the product of those before, so it may be looked at, and stopped, at
any time (Ville). Several hypotheses are combined by e-BH (`dpverify.stats.multiplicity.e_bh`), which needs no
independence.

Limits: a product of e-values of the *same* draws is not an e-value. Neither is the largest of several e-values; the
smallest is one, and so is a weighted average with weights fixed before the draws.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.lazy_njit import exact_njit as njit
from dpverify.core.rules import BelowOne, Between
from dpverify.stats.intervals import check_level
from dpverify.stats.rounding import FloatArray

LARGEST_EPSILON = 300.0
STOP_WEALTH = 1e250
"""Betting stops at a wealth above this or below its inverse; betting nothing is a valid bet."""

ROUNDING_PER_PAIR = 1e-15
"""Relative rounding error of a wealth for each pair; e-values are lowered by it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EventProcess(Checked):
    """State of the event e-process: numbers and arrays only, so that it can be stored and resumed.

    Make one with `EventProcess.start`, feed it with `update`, which returns the next state.
    """

    epsilons: FloatArray
    """Increasing grid, in nats, shape (g,); each point is a claim with a separate wealth."""
    delta: BelowOne
    """The claims' delta, in [0, 1)."""
    cap: Annotated[float, Between(0, 1, open="both", remedy="0.75 is a good choice")]
    """Largest part of the wealth that one bet may lose, in (0, 1)."""
    counts: NDArray[np.int64]
    """Pairs seen so far with (X, Y) = (0, 0), (0, 1), (1, 0), (1, 1)."""
    wealth: FloatArray
    peak: FloatArray
    """`wealth`, `peak`: present and highest wealth of each claim, shape (g,)."""

    def validate(self) -> None:
        """Check that the grid increases and the shapes agree."""
        grid = self.epsilons
        inside = grid.ndim == 1 and grid.size > 0 and np.all((grid >= 0.0) & (grid <= LARGEST_EPSILON))
        if not inside or not np.all(np.diff(grid) > 0.0):
            raise InputError(
                f"epsilons {grid!r}", allowed=f"an increasing list in [0, {LARGEST_EPSILON:g}]", remedy="sort the grid"
            )
        if self.counts.shape != (4,) or self.wealth.shape != grid.shape or self.peak.shape != grid.shape:
            raise InputError("a state whose shapes disagree", allowed="a state as it was stored", remedy="start again")

    @classmethod
    def start(cls, epsilons: ArrayLike, *, delta: float = 0.0, cap: float = 0.75) -> EventProcess:
        """A process before the first pair; the parameters must not depend on later pairs."""
        grid = np.atleast_1d(np.array(epsilons, dtype=np.float64))
        return cls(
            epsilons=grid,
            delta=float(delta),
            cap=float(cap),
            counts=np.zeros(4, dtype=np.int64),
            wealth=np.ones(grid.shape),
            peak=np.ones(grid.shape),
        )

    @property
    def pairs(self) -> int:
        """Number of pairs of draws so far."""
        return int(self.counts.sum())

    def update(self, under_p: ArrayLike, under_q: ArrayLike) -> EventProcess:
        """The state after more pairs, in the order given; the same, bit for bit, in one block or in many.

        Parameters
        ----------
        under_p, under_q : array_like of bool
            Shape (t,): whether the event held for draw t of P and of Q. The event may have been chosen from all earlier
            pairs, never from this one or later ones.

        Raises
        ------
        InputError
            When the two differ in shape or hold other values than 0 and 1.
        """
        x, y = np.atleast_1d(np.asarray(under_p)), np.atleast_1d(np.asarray(under_q))
        if x.ndim != 1 or x.shape != y.shape or not np.all(((x == 0) | (x == 1)) & ((y == 0) | (y == 1))):
            raise InputError(
                f"indicators of shapes {x.shape} and {y.shape}",
                allowed="two lists of one length that hold only 0 and 1",
                remedy="evaluate the event on each draw first",
            )
        counts, wealth, peak = self.counts.copy(), self.wealth.copy(), self.peak.copy()
        kinds = (2 * x.astype(np.int8) + y.astype(np.int8)).astype(np.int8)
        slopes = np.exp(self.epsilons)
        payoffs = np.stack([0.0 * slopes, -slopes, 1.0 + 0.0 * slopes, 1.0 - slopes]) - self.delta
        _bet(kinds, payoffs, self.cap / (slopes + self.delta), counts, wealth, peak)
        return replace(self, counts=counts, wealth=wealth, peak=peak)

    def e_value(self, epsilon: float) -> float:
        """The e-value against the claim `epsilon`, one of the grid: its present wealth.

        Its expectation under the claim is at most 1 at any stopping time. It is never above the wealth in exact
        arithmetic. InputError when epsilon is not on the grid.
        """
        at = np.flatnonzero(self.epsilons == epsilon)
        if at.size == 0:
            raise InputError(
                f"epsilon = {epsilon!r}", allowed="a point of the grid", remedy="put it on the grid at start"
            )
        return float(self.wealth[at[0]]) * (1.0 - ROUNDING_PER_PAIR * (self.pairs + 1))

    def rejected(self, *, alpha: float) -> NDArray[np.bool_]:
        """For each grid epsilon, whether its wealth has ever reached 1/alpha.

        Side of the error: each true claim is ever rejected with probability at most alpha (no family-wise statement).
        """
        check_level(alpha)
        return np.asarray(self.peak * (1.0 - ROUNDING_PER_PAIR * (self.pairs + 1)) >= 1.0 / alpha)

    def epsilon_lower(self, *, alpha: float) -> float:
        """Anytime-valid lower bound on epsilon: the last of the unbroken run of rejected grid points, 0 without one.

        Side of the error: it exceeds the true epsilon at any time with probability at most alpha.
        """
        rejected = self.rejected(alpha=alpha)
        run = int(rejected.size if rejected.all() else np.argmin(rejected))
        return float(self.epsilons[run - 1]) if run else 0.0


def average_e_values(e_values: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Average of several e-values: an e-value under any dependence, without a Bonferroni factor.

    Parameters
    ----------
    e_values : array_like of float
        Shape (m,): e-values against **one** hypothesis (events, directions, data sets of one claim), all taken at the
        same stopping time.
    weights : array_like of float, optional
        Shape (m,), at least 0, of sum 1, fixed in advance; equal without.

    Returns
    -------
    float
        Its expectation under the hypothesis is at most 1; reject at 1/alpha, at any time.

    Raises
    ------
    InputError
        For an empty list, negative values, or weights that do not sum to 1.
    """
    values = np.asarray(e_values, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.all(values >= 0.0):
        raise InputError(f"e-values {e_values!r}", allowed="a list of numbers >= 0", remedy="")
    if weights is None:
        return float(np.mean(values))
    parts = np.asarray(weights, dtype=np.float64)
    if parts.shape != values.shape or not np.all(parts >= 0.0) or not math.isclose(float(parts.sum()), 1.0):
        raise InputError(
            f"weights {weights!r}", allowed="one for each e-value, >= 0, of sum 1", remedy="normalise them"
        )
    return float(parts @ values)


@njit(cache=True, nogil=True, error_model="numpy")
def _bet(
    kinds: NDArray[np.int8],
    payoffs: FloatArray,
    limits: FloatArray,
    counts: NDArray[np.int64],
    wealth: FloatArray,
    peak: FloatArray,
) -> None:
    """Bet on each pair in turn, in place. The bet before pair t uses the counts of earlier pairs only.

    All sums are computed from the four counts, so rounding errors do not accumulate and the blocks do not matter. The
    mean square starts with one pseudo-pair of payoff 1, which keeps early bets small.
    """
    for t in range(kinds.size):
        kind = kinds[t]
        n00, n01, n10, n11 = float(counts[0]), float(counts[1]), float(counts[2]), float(counts[3])
        for g in range(wealth.size):
            z00, z01, z10, z11 = payoffs[0, g], payoffs[1, g], payoffs[2, g], payoffs[3, g]
            total = n00 * z00 + n01 * z01 + n10 * z10 + n11 * z11
            square = 1.0 + n00 * z00 * z00 + n01 * z01 * z01 + n10 * z10 * z10 + n11 * z11 * z11
            bet = min(max(total / square, 0.0), limits[g])
            before = wealth[g]
            if before > STOP_WEALTH or before < 1.0 / STOP_WEALTH:
                bet = 0.0
            after = before * (1.0 + bet * payoffs[kind, g])
            wealth[g] = after
            peak[g] = max(peak[g], after)
        counts[kind] += 1


ROUNDING = 4e-16


def product_e_values(e_values: ArrayLike) -> float:
    """Product of e-values from independent draws against one hypothesis, which is an e-value again.

    Parameters
    ----------
    e_values : array_like of float
        Shape (m,), at least 0, in the order in which they were made.

    Returns
    -------
    float
        At least 0; inf beyond the largest double; never above the product in exact arithmetic; 1 for an empty list.

    Raises
    ------
    InputError
        For negative values or nan, or 0 beside inf.
    """
    values = np.asarray(e_values, dtype=np.float64)
    if values.ndim != 1 or not np.all(values >= 0.0) or (np.any(values == 0.0) and np.any(np.isinf(values))):
        raise InputError(f"e-values {e_values!r}", allowed="a list of finite numbers >= 0", remedy="")
    if values.size == 0:
        return 1.0
    if np.any(values == 0.0):
        return 0.0
    parts = np.frexp(values)  # mantissas and exponents are multiplied separately, so no intermediate product overflows
    mantissa, exponent = 1.0, int(np.sum(parts[1].astype(np.int64)))
    for part in parts[0].tolist():
        mantissa, shift = math.frexp(mantissa * part)
        exponent += shift
    try:
        found = math.ldexp(mantissa * (1.0 - ROUNDING * values.size), exponent)
    except OverflowError:
        return math.inf
    return found if found > sys.float_info.min else math.nextafter(found, 0.0)  # below, ldexp may round upwards
