"""Gradient descent with line searches under a total Renyi budget, kept at many orders at once (BLSGD section IV-C).

The budget is (epsilon, delta), converted into a curve epsilon_tot(alpha) by Proposition 1; at low orders it is below 0
from the start. The paper halts "when the remaining budget for all alpha values are lower than the minimum" that is
needed, so the run goes on while *some* order can pay (ledger id BL-FILTER). Section V-D starts from epsilon_iter =
epsilon / 100, epsilon_BT = epsilon_iter and rho_grad = epsilon_iter^2 / 2; its Gaussian version gives no rho_BT, and
here it is rho_grad.

The papers' loops end only when the budget is spent. Under two readings that never happens, so `most_steps` caps the
number of iterations here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import index

import numpy as np
from numpy.typing import NDArray

from dpverify.core.composition import Composition, Step
from dpverify.core.errors import InputError
from dpverify.core.rules import Count, OpenUnit, Positive
from dpverify.core.transcript import Transcript
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.definitions.rdp import RDP
from dpverify.recording.tape import Tape
from reference_impls.line_search.adaptive_levels import Levels
from reference_impls.line_search.line_search_training import LineSearchTraining
from reference_impls.line_search.step_costs import Orders, gradient_step, search_step, total_budget

Float = NDArray[np.float64]

ITERATIONS = 50
"""The number of iterations that the paper expects; the first budgets are shares of this many."""
ORDERS = range(2, 501)
"""The Renyi orders of section IV-C: integers between 2 and 500."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetedLineSearch(LineSearchTraining):
    """Settings of the budget, and what a run is charged.

    Attributes
    ----------
    epsilon, delta : float
        The budget of the whole run.
    orders : tuple of int, or range
        The Renyi orders at which the budget is kept: whole numbers >= 2, rising.
    rho_grad, budget_bt : float or None
        First budgets of a gradient and of a search (epsilon_BT or rho_BT); None for those of section V-D.
    xi : float
        Rate at which CHEB raises a budget.
    most_steps : int
        Cap on the iterations.
    """

    epsilon: Positive = 0.2
    delta: OpenUnit = 1e-8
    orders: Orders = field(default=ORDERS, repr=False)
    rho_grad: Positive | None = None
    budget_bt: Positive | None = None
    xi: Positive = 0.3
    most_steps: Count = 1000

    def validate(self) -> None:
        """Orders are kept as plain whole numbers."""
        object.__setattr__(self, "orders", _rising(type(self).__name__, self.orders))

    @property
    def first_levels(self) -> Levels:
        """The budgets and thresholds that the run starts with."""
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
        """The Renyi curve that section IV-C claims, at the orders where it is >= 0; None where there is no such
        order."""
        points = [
            (float(order), bound) for order, bound in zip(self.orders, self.total.tolist(), strict=True) if bound >= 0
        ]
        if not points:
            return None
        if len(points) == 1:
            return RDP(order=points[0][0], epsilon=points[0][1])
        return RDP(orders=tuple(order for order, _ in points), epsilons=tuple(bound for _, bound in points))

    def guarantee(self) -> ApproxDP:
        """The claim for the whole transcript, for one record added or removed; it takes n as public nevertheless.

        The published algorithms divide by sizes that they take from the table, unless `records` gives n and `divisor`
        is ``expected``. The papers assume a public n without saying so.
        """
        return ApproxDP(epsilon=self.epsilon, delta=self.delta)

    def composition(self, transcript: Transcript) -> Composition:
        """The steps of one run as this algorithm charges them; budgets are chosen while it runs."""
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
        whole = tuple(index(order) for order in orders)  # type: ignore[attr-defined]  # TypeError for anything else
    except TypeError:
        whole = ()
    if not whole or whole[0] < 2 or sorted(set(whole)) != [*whole]:
        raise InputError(f"{algorithm}: orders = {orders!r}", allowed="whole numbers >= 2, rising")
    return whole


def some_above(left: Float, cost: Float) -> bool:
    """Whether some order can pay: ``left > cost`` there. The paper halts when this is false."""
    return bool(np.any(left > cost))


def paid(tape: Tape, left: Float, cost: Float) -> Float:
    """The budget after paying `cost`, shape (k,), perhaps below 0; the transcript has the cost as public."""
    tape.publish("budget", cost)
    return left - cost
