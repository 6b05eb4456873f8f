"""A line search that runs on a total budget epsilon_tot(alpha), kept for many orders at once (BLSGD section IV-C).

The budget: (epsilon, delta) turned into a curve by Proposition 1. At low orders it is below 0 from the start. The paper
halts "when the remaining budget for all alpha values are lower than the minimum" that is needed, so the run goes on
while *some* order can pay (ledger id BL-FILTER). Section V-D starts from epsilon_iter = epsilon / 100, epsilon_BT =
epsilon_iter and rho_grad = epsilon_iter^2 / 2; its Gaussian version gives no rho_BT, and here it is rho_grad.

The papers' loops have no other end. `most_steps` ends them here, and says so, for two readings would run for ever.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import index

import numpy as np
from numpy.typing import NDArray

from dpverify.core.composition import Composition, Step
from dpverify.core.errors import InputError
from dpverify.core.transcript import Transcript
from dpverify.definitions.approx_dp import ApproxDP
from dpverify.definitions.rdp import RDP
from dpverify.recording.tape import Tape
from reference_impls.line_search.adaptive_levels import Levels
from reference_impls.line_search.line_search_training import LineSearchTraining
from reference_impls.line_search.step_costs import Orders, gradient_step, search_step, total_budget
from reference_impls.training.settings import need_between, need_count, need_positive

Float = NDArray[np.float64]

ITERATIONS = 50
"""How many the paper expects; each gets a gradient and a search."""
ORDERS = range(2, 501)
"""Section IV-C: integers between 2 and 500."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetedLineSearch(LineSearchTraining):
    """What follows from the total budget.

    Attributes
    ----------
    epsilon, delta : float
        Of the whole run.
    orders : tuple of int, or range
        At which the budget is kept: whole, >= 2, rising.
    rho_grad, budget_bt : float or None
        First budgets of a gradient and of a search (epsilon_BT or rho_BT); None as in section V-D.
    xi : float
        Rate at which CHEB raises a budget.
    most_steps : int
        Cap on the iterations.
    """

    epsilon: float = 0.2
    delta: float = 1e-8
    orders: Orders = field(default=ORDERS, repr=False)
    rho_grad: float | None = None
    budget_bt: float | None = None
    xi: float = 0.3
    most_steps: int = 1000

    def __post_init__(self) -> None:
        LineSearchTraining.__post_init__(self)
        need_positive(self, "epsilon", "xi")
        need_between(self, 0.0, 1.0, "delta")
        object.__setattr__(self, "orders", _rising(type(self).__name__, self.orders))
        for name in ("rho_grad", "budget_bt"):
            if getattr(self, name) is not None:
                need_positive(self, name)
        need_count(self, "most_steps")

    @property
    def first_levels(self) -> Levels:
        """Where the run starts."""
        share = self.epsilon / (2 * ITERATIONS)
        rho, budget = self.rho_grad, self.budget_bt
        if budget is None:
            budget = share if self.noise == "laplace" else 0.5 * share * share
        return Levels(
            rho_grad=0.5 * share * share if rho is None else rho,
            budget_bt=budget,
            c_grad=self.c_grad,
            c_obj=self.c_obj,
        )

    @property
    def total(self) -> Float:
        """epsilon_tot(alpha) at `orders`, shape (k,), nats; may be below 0."""
        return total_budget(self.epsilon, self.delta, self.orders)

    def claimed_renyi(self) -> RDP | None:
        """The curve that section IV-C promises, where it is not below 0; None when there is no such order."""
        points = [
            (float(order), bound) for order, bound in zip(self.orders, self.total.tolist(), strict=True) if bound >= 0
        ]
        if not points:
            return None
        if len(points) == 1:
            return RDP(order=points[0][0], epsilon=points[0][1])
        return RDP(orders=tuple(order for order, _ in points), epsilons=tuple(bound for _, bound in points))

    def guarantee(self) -> ApproxDP:
        """The claim for the whole transcript, one record added or removed, where n is public all the same.

        The published algorithms divide by sizes that they take from the table, unless `records` says n and `divisor`
        is ``expected``; the papers do not say that n is public, and count on it.
        """
        return ApproxDP(epsilon=self.epsilon, delta=self.delta)

    def composition(self, transcript: Transcript) -> Composition:
        """The steps that a run took, as this algorithm charges for them; budgets are chosen while it runs."""
        public = transcript.public
        gradients = [self.charged_gradient(float(rho)) for rho in public.get("gradient-budget", np.empty(0))]
        searches = [self.charged_search(float(budget)) for budget in public.get("search-budget", np.empty(0))]
        return Composition.of(*gradients, *searches)

    def charged_gradient(self, rho: float) -> Step:
        """The step that a gradient with budget `rho` is charged as."""
        return gradient_step(rho)

    def charged_search(self, budget: float) -> Step:
        """The step that a search with this budget is charged as."""
        return search_step(self.noise, budget, self.max_it)


def _rising(algorithm: str, orders: object) -> tuple[int, ...]:
    """The orders as plain whole numbers."""
    try:
        whole = tuple(index(order) for order in orders)  # type: ignore[attr-defined]  # what it is, is asked here
    except TypeError:
        whole = ()
    if not whole or whole[0] < 2 or sorted(set(whole)) != [*whole]:
        raise InputError(f"{algorithm}: orders = {orders!r}", allowed="whole numbers >= 2, rising")
    return whole


def some_above(left: Float, cost: Float) -> bool:
    """``epsilon_tot(alpha) > cost(alpha)`` at some order, as the paper halts."""
    return bool(np.any(left > cost))


def paid(tape: Tape, left: Float, cost: Float) -> Float:
    """What is left, shape (k,), maybe below 0; the cost is public."""
    tape.publish("budget", cost)
    return left - cost
