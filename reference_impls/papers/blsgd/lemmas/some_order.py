"""Runs that go on while *some* order can pay, BL-FILTER (a) and (b): budgets epsilon_tot(alpha), and what runs cost.

Section IV-C keeps epsilon_tot(alpha) = epsilon - log(1 / delta) / (alpha - 1) (Proposition 1) at the orders 2 to 500,
halts when the remainder is too small at all of them, and says that then the whole run is (alpha,
epsilon_tot(alpha))-RDP and (epsilon, delta)-DP. Budgets depend on what came out, so which order is left over depends
on it too. Readings:

- (a) *every order stays within its budget* (:class:`EveryOrder`): Gaussian releases until the last order is spent cost
  alpha rho*, rho* the largest epsilon_tot(alpha) / alpha, hence more than every other order's budget.
- (b) *some order does* (:class:`AnyOrder`): a public coin chooses between such Gaussians, which fit at one order, and
  randomised response with epsilon_0 = epsilon_tot(500), which fits at the largest orders only. Each run obeys the rule;
  with costs g and r of the two, both together have log((e^((alpha - 1) g) + e^((alpha - 1) r)) / 2) / (alpha - 1),
  which is above the budget at every order.
- (c) *the (epsilon, delta) of the best order holds*: :mod:`~reference_impls.papers.blsgd.lemmas.best_order`.

The repair: one order, fixed before the run (``kept="one"``). Costs are the larger direction's. Not to be confused with
filters of one order, which hold (Feldman and Zrnic 2021). The claims:
:mod:`~reference_impls.papers.blsgd.lemmas.order_remarks`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from dpverify.core.errors import InputError
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision, exact_ball
from reference_impls.papers.enclosures import quotient

Float = NDArray[np.float64]
ORDERS = np.arange(2.0, 501.0)
"""Section IV-C."""
SPARE = 1e-9
"""Share of a rare event's probability that is given up, so that budgets hold in exact arithmetic too."""


def printed_budgets(epsilon: float, delta: float) -> tuple[Float, Float]:
    """The orders that have a budget above 0, and the budgets."""
    budgets = epsilon + math.log(delta) / (ORDERS - 1.0)
    return ORDERS[budgets > 0], budgets[budgets > 0]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBudget(Checked):
    """What is claimed of the whole run, and when it ends.

    Attributes
    ----------
    epsilon, delta : float
        Of the whole run.
    kept : "some" or "one"
        Run while some order can pay, or while one order can that was fixed before the run.
    """

    epsilon: Annotated[float, Between(1e-3, 1e3)] = 0.2
    delta: Annotated[float, Between(1e-100, 0.5)] = 1e-8
    kept: Literal["some", "one"] = "some"

    def validate(self) -> None:
        """Some order has a budget."""
        if not printed_budgets(self.epsilon, self.delta)[0].size:
            raise InputError(
                f"{self.called()}: epsilon = {self.epsilon:g}, delta = {self.delta:g}",
                allowed="a budget above 0 at an order up to 500",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class EveryOrder(RunBudget):
    """Gaussian releases until no order has anything left.

    Attributes
    ----------
    order : float
        Rounded, 2..500: the order whose budget is compared, and the one that has to pay where one is kept.
    """

    order: Annotated[float, Between(2, 500)] = 500.0

    def _spent(self) -> tuple[float, float]:
        """rho*, and the budget at `order`, maybe below 0."""
        orders, budgets = printed_budgets(self.epsilon, self.delta)
        own = self.epsilon + math.log(self.delta) / (round(self.order) - 1.0)
        return own / round(self.order) if self.kept == "one" else float(np.max(budgets / orders)), own

    def printed(self) -> Enclosed:
        """The budget; nothing is promised where it is not above 0."""
        own = self._spent()[1]
        return Enclosed(value=own if own > 0 else math.inf)

    def truth(self) -> Enclosed:
        """The divergence at the order, order times rho*."""
        return Enclosed(value=max(round(self.order) * self._spent()[0], 0.0))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """With rho* rounded down, so that the budget where it is reached holds."""
        rho, own = self._spent()
        order = round(self.order)
        printed = _budget_ball(self.epsilon, self.delta, order)
        return quotient(flint.arb(rho * (1 - SPARE)) * order, printed) if own > 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOrder(RunBudget):
    """A public coin between Gaussians and randomised response, each until nothing is left.

    Where one order is kept, it is the one at which the Gaussians' budget ends.
    """

    def choices(self) -> tuple[Float, Float, float, float]:
        """Orders, their budgets, rho* and epsilon_0, the last two a hair below what fits."""
        orders, budgets = printed_budgets(self.epsilon, self.delta)
        best = int(np.argmax(budgets / orders))
        if self.kept == "one":
            orders, budgets = orders[best : best + 1], budgets[best : best + 1]
        rho, last = float(np.max(budgets / orders)), float(budgets[-1])
        response = last
        if self.kept == "one":
            response = float(brentq(lambda e: float(response_cost(orders[:1], e)[0]) - last, last, 4 * last + 4))
        return orders, budgets, rho * (1 - SPARE), response * (1 - SPARE)

    def costs(self) -> tuple[Float, Float, int]:
        """Divergences, budgets, and where they are nearest."""
        orders, budgets, rho, response = self.choices()
        powers = orders - 1.0
        costs = (np.logaddexp(powers * orders * rho, powers * response_cost(orders, response)) - math.log(2.0)) / powers
        return costs, budgets, int(np.argmin(costs / budgets))

    def printed(self) -> Enclosed:
        """The budget of the order that comes nearest to staying within it."""
        _, budgets, at = self.costs()
        return Enclosed(value=float(budgets[at]))

    def truth(self) -> Enclosed:
        """The divergence at that order."""
        costs, _, at = self.costs()
        return Enclosed(value=float(costs[at]))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The least ratio over all orders with a budget, in balls."""
        orders, _, rho, response = self.choices()
        least = flint.arb.pos_inf()
        one = 1 / (1 + (-flint.arb(response)).exp())
        for order in orders.astype(int).tolist():
            power = order - 1
            gaussian = (power * order * flint.arb(rho)).exp()
            told = one**order / (1 - one) ** power + (1 - one) ** order / one**power
            budget = _budget_ball(self.epsilon, self.delta, order)
            least = least.min(((gaussian + told) / 2).log() / power / budget)
        return quotient(least, flint.arb(1))


def response_cost(orders: Float, epsilon: float) -> Float:
    """The divergence of randomised response at each order."""
    powers, high, low = orders - 1.0, -np.log1p(np.exp(-epsilon)), -np.log1p(np.exp(epsilon))
    return np.asarray(np.logaddexp(orders * high - powers * low, orders * low - powers * high) / powers)


def _budget_ball(epsilon: float, delta: float, order: int) -> flint.arb:
    return exact_ball(epsilon) + exact_ball(delta).log() / (order - 1)
