"""Privacy filters and odometers: budgets and costs chosen while running, each looking at all that came out before.

Composition theorems fix the costs in advance; here the next cost may depend on earlier outputs. Basis, with
L the privacy loss of the run so far and S_alpha the sum of the Renyi costs at order alpha: e^((alpha - 1) (L -
S_alpha)) is a nonnegative supermartingale under P (Feldman and Zrnic 2021; Lecuyer 2021), for every fixed alpha at
once, and so is any average of these over orders with fixed weights.

- :class:`RenyiFilter` ``every``: S_alpha never exceeds its budget at any order; then the run is (alpha, budget)-Renyi
  DP at every order (Feldman and Zrnic 2021, Theorem 4.3), as if the costs had been fixed, and every conversion holds.
- ``some``: some order stays within its budget, as BLSGD section IV-C has it. Which order does may depend on the
  outputs, so no single order is bounded. What holds: with the weights proportional to e^(-(alpha - 1) (epsilon -
  B_alpha)), Markov's inequality gives (epsilon, delta)-DP with delta the *sum* over orders of e^(-(alpha - 1) (epsilon
  - B_alpha)). Whether the best single order may be used instead is the ledger's to decide (BL-FILTER).
- :class:`RenyiOdometer`: with probability 1 - delta under P, the loss is at all times below the running bound (Ville).
- :class:`ApproxFilter`: sqrt(2 log(1/delta') sum epsilon_i^2) + sum epsilon_i^2 / 2 <= epsilon and sum delta_i <=
  delta'' give (epsilon, delta' + delta'')-DP for adaptive epsilon_i, delta_i (Whitehouse, Ramdas, Rogers, Wu 2023,
  Theorem 1): the constants of advanced composition. (Rogers, Roth, Ullman, Vadhan 2016 had the first, with worse ones.)

Costs are the caller's upper bounds, conditional on everything released before. Sides: sums are rounded up, so that a
budget is never exceeded by rounding; deltas and epsilons err upwards by `SLACK`. Each object is a value: ``spend``
returns the next one. Not to be confused with an odometer that is read once, at a time fixed in advance.

The noise of ADP-SGD: ADPSGD Theorem 4.1, equation (6), as printed.

sigma^2 = (16 G)^2 B / (n epsilon)^2 * sum over t of 1 / alpha_t^2, with B = log(16 T / (n delta)) log(1.25 / delta).
The gradient at step t gets noise of standard deviation alpha_t sigma, in the units of G. Side: printed; the theorem
states no condition on epsilon, and whether it holds is the ledger's to decide (AP-THM41). It speaks of one uniformly
drawn record a step; the paper's experiments use batches of 256 and epsilon = 16 epsilon_bar (footnote 3), with noise
multiplier 256 sigma / C_G. Not to be confused with that noise multiplier, nor with B_delta as a probability.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from dpverify.accounting import order_search
from dpverify.accounting.accountant_inputs import checked_delta, checked_epsilon, probability
from dpverify.accounting.order_search import real_orders
from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import BelowOne, Between, Count, NonNegative, OpenUnit, Positive
from dpverify.core.subjects import Float

SLACK = 1e-12
"""Relative rounding that results are raised by."""

Policy = Literal["every", "some"]


CONSTANT = 16.0
"""C_epsilon of (6): the factor of G, and what the experiments divide epsilon by."""

_BATCH = Between(1, math.inf, whole=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RenyiFilter(Checked):
    """Accepts costs within a budget, at many orders simultaneously."""

    orders: Float
    """Shape (k,): real orders > 1, different."""
    budgets: Float
    """Shape (k,): in nats, >= 0; +inf: no limit at that order."""
    policy: Policy = "every"
    """At which orders a cost must fit."""
    spent: Float = field(default_factory=lambda: np.zeros(0))
    """Shape (k,): sums of the costs so far, rounded up."""

    def validate(self) -> None:
        """Rows of numbers, one for each order; kept read-only."""
        orders = _frozen(_row("orders", real_orders(self.orders)))
        if np.unique(orders).size != orders.size:
            raise InputError("an order twice", allowed="different orders")
        object.__setattr__(self, "orders", orders)
        object.__setattr__(self, "budgets", _frozen(_costs("budgets", self.budgets, orders)))
        spent = np.zeros_like(orders) if np.size(self.spent) == 0 else self.spent
        object.__setattr__(self, "spent", _frozen(_costs("spent", spent, orders)))

    def fits(self, costs: ArrayLike) -> bool:
        """Tell whether `costs`, shape (k,), may be spent now."""
        within = _added(self.spent, _costs("costs", costs, self.orders)) <= self.budgets
        return bool(np.all(within) if self.policy == "every" else np.any(within))

    def spend(self, costs: ArrayLike) -> RenyiFilter:
        """The filter after `costs`; InputError when they do not fit."""
        if not self.fits(costs):
            raise InputError(
                "costs beyond the budget",
                allowed=f"what fits at {self.policy} order",
                remedy="stop, or ask for less: `fits` says beforehand",
            )
        total = _added(self.spent, _costs("costs", costs, self.orders))
        return RenyiFilter(orders=self.orders, budgets=self.budgets, policy=self.policy, spent=total)

    def remaining(self) -> Float:
        """The remaining budget at each order, shape (k,), rounded down; 0 where the budget is passed."""
        with np.errstate(invalid="ignore"):
            left = np.where(np.isinf(self.budgets), np.inf, np.nextafter(self.budgets - self.spent, -np.inf))
        return np.asarray(np.maximum(left, 0.0))

    def delta(self, epsilon: float) -> float:
        """A delta at which every run through this filter is (epsilon, delta)-DP, whatever is spent; at most 1."""
        epsilon = checked_epsilon(epsilon)
        if not np.any(self.budgets):
            return 0.0
        if self.policy == "every":
            return probability(float(order_search.tight_log_delta(self.orders, self.budgets, epsilon).min()))
        logs = order_search.classic_log_delta(self.orders, self.budgets, epsilon)
        return probability(float(logsumexp(logs)) + SLACK * float(np.max(np.abs(logs[np.isfinite(logs)]), initial=1.0)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RenyiOdometer(Checked):
    """Keeps a running bound on the privacy loss; never refuses."""

    orders: Float
    """Shape (k,): real orders > 1, different; each gets an equal share of delta."""
    spent: Float = field(default_factory=lambda: np.zeros(0))
    """Shape (k,): sums of the costs so far, rounded up."""

    def validate(self) -> None:
        """Check the limits as a filter without limits does."""
        start = RenyiFilter(orders=self.orders, budgets=np.full(np.size(self.orders), np.inf), spent=self.spent)
        object.__setattr__(self, "orders", start.orders)
        object.__setattr__(self, "spent", start.spent)

    def spend(self, costs: ArrayLike) -> RenyiOdometer:
        """The odometer after `costs`, shape (k,)."""
        return RenyiOdometer(orders=self.orders, spent=_added(self.spent, _costs("costs", costs, self.orders)))

    def epsilon(self, delta: float) -> float:
        """Bound on the loss: with probability 1 - delta it held at all times, and holds now; delta in (0, 1), fixed.

        min over orders of S_alpha + log(k / delta) / (alpha - 1), k the number of orders; 0 before anything is spent.
        """
        delta = checked_delta(delta)
        if not np.any(self.spent):
            return 0.0
        if delta == 0:
            return math.inf
        bounds = self.spent + (math.log(self.orders.size) - math.log(delta)) / (self.orders - 1)
        return float(bounds.min()) * (1 + SLACK)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproxFilter(Checked):
    """Lets (epsilon, delta) costs pass while advanced composition of them stays within the target."""

    plain_numbers: ClassVar[bool] = True

    epsilon: NonNegative
    """Target, finite, >= 0."""
    slack_delta: OpenUnit
    """delta' in (0, 1), paid for the square root."""
    delta: BelowOne = 0.0
    """delta'' in [0, 1): the largest sum of the steps' deltas. The run is (epsilon, slack_delta + delta)-DP."""
    squares: NonNegative = 0.0
    deltas: NonNegative = 0.0
    """`squares`, `deltas`: sums of epsilon_i^2 and delta_i so far, rounded up."""

    def fits(self, epsilon: float, delta: float = 0.0) -> bool:
        """Tell whether an (epsilon, delta)-DP step may run now."""
        squares, deltas = self._after(epsilon, delta)
        bound = math.sqrt(-2 * math.log(self.slack_delta) * squares) + squares / 2
        return bound * (1 + SLACK) <= self.epsilon and deltas <= self.delta

    def spend(self, epsilon: float, delta: float = 0.0) -> ApproxFilter:
        """The filter after that step; InputError when it does not fit."""
        if not self.fits(epsilon, delta):
            raise InputError(
                f"a step of ({epsilon:g}, {delta:g})",
                allowed="what fits",
                remedy="stop, or ask for less: `fits` says beforehand",
            )
        squares, deltas = self._after(epsilon, delta)
        return ApproxFilter(
            epsilon=self.epsilon, slack_delta=self.slack_delta, delta=self.delta, squares=squares, deltas=deltas
        )

    def _after(self, epsilon: float, delta: float) -> tuple[float, float]:
        epsilon, delta = checked_epsilon(epsilon), checked_delta(delta)
        square = math.nextafter(epsilon * epsilon, math.inf) if epsilon else 0.0
        total, deltas = (_added(np.array(a), np.array(b)) for a, b in ((self.squares, square), (self.deltas, delta)))
        return float(total), float(deltas)


def _row(name: str, values: Float) -> Float:
    if values.ndim != 1 or values.size == 0:
        raise InputError(f"{name} of shape {values.shape}", allowed="shape (k,), k >= 1")
    return values


def _costs(name: str, values: ArrayLike, orders: Float) -> Float:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != orders.shape or not np.all(array >= 0):
        raise InputError(f"{name} {array}", allowed=f"numbers >= 0, one for each of the {orders.size} orders")
    return array


def _frozen(values: Float) -> Float:
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def _added(first: Float, second: Float) -> Float:
    """The sum, rounded up; exact sums stay exact (two-sum)."""
    with np.errstate(invalid="ignore", over="ignore"):
        total = first + second
        back = total - first
        lost = (first - (total - back)) + (second - back)
    return np.asarray(np.where(lost > 0, np.nextafter(total, np.inf), total))


@dataclass(frozen=True, slots=True, kw_only=True)
class AdpSgdBudget(Checked):
    """The quantities that (6) uses besides the sequence alpha.

    Raises
    ------
    InputError
        For anything else, or where log(16 T / (n delta)) <= 0, so that (6) asks for no noise at all.
    """

    plain_numbers: ClassVar[bool] = True

    epsilon: Positive
    """The theorem's epsilon (not epsilon_bar), in nats, finite, > 0."""
    delta: OpenUnit
    """In (0, 1)."""
    n: Count
    """Number of records, >= 1."""
    steps: Count
    """T, >= 1."""
    gradient_bound: Positive = 1.0
    """G (or the clipping norm C_G): the largest L2 norm of one record's gradient; finite, > 0."""

    def called(self) -> str:
        """A message calls it ``ADPSGD (6)``."""
        return "ADPSGD (6)"

    def validate(self) -> None:
        """Check that the formula gives a positive noise scale."""
        if CONSTANT * self.steps <= self.n * self.delta:
            raise InputError(
                f"ADPSGD (6): 16 T / (n delta) = {CONSTANT * self.steps / (self.n * self.delta):g}",
                allowed="a ratio above 1",
                remedy="more steps, fewer records or a smaller delta",
            )

    def b_delta(self) -> float:
        """B = log(16 T / (n delta)) log(1.25 / delta) > 0."""
        return math.log(CONSTANT * self.steps / (self.n * self.delta)) * math.log(1.25 / self.delta)

    def sigma(self, alphas: Iterable[float] | None = None) -> float:
        """Standard deviation sigma of (6), in the units of G.

        Parameters
        ----------
        alphas : iterable of float, optional
            alpha_1 .. alpha_T, finite, > 0, fixed before any data is seen; all 1 (DP-SGD) when left out.

        Raises
        ------
        InputError
            Unless there are T of them, all finite and > 0.
        """
        if alphas is None:
            total = float(self.steps)
        else:
            values = [float(alpha) for alpha in alphas]
            if len(values) != self.steps or not all(alpha > 0 and math.isfinite(alpha) for alpha in values):
                raise InputError(f"{len(values)} values of alpha", allowed=f"{self.steps} finite numbers > 0")
            total = math.fsum((1 / alpha) ** 2 for alpha in values)
        return CONSTANT * self.gradient_bound / (self.n * self.epsilon) * math.sqrt(self.b_delta() * total)

    def noise_multiplier(self, batch: int, alphas: Iterable[float] | None = None) -> float:
        """batch * sigma / G: noise on the mean gradient of a batch, over what one record moves it by.

        Section 6 adds (6)'s noise to the mean over `batch` records, where one record moves it by G / batch.
        """
        return _BATCH.number("batch", batch) * self.sigma(alphas) / self.gradient_bound
