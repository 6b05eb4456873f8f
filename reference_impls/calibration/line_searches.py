"""DP-BLSGD, DP-BLSGD-AC, DP-BLGD and the repaired DP-BLSGD: budgets of their own, kept at Renyi orders.

A budget that is kept at one order, fixed before the run, bounds the run at that order whatever it chooses on the way
(Feldman and Zrnic 2021, Theorem 4.3), and is converted tightly. So a calibrated instance has one order, the public
number of records in `records`, and first budgets that pay for as many iterations as the paper expects: it spends its
epsilon at sound prices. First budgets that a user gave are kept.

The published DP-BLSGD and its -AC are not certified; the repaired one is (with zeta > 0 for -AC). DP-BLGD charges what
Theorems 1 to 3 print for a search; what is proved of it, where that is more, raises the bound by their ratio. Replaced:
for DP-BLGD a gradient costs four times as much and a search that of losses which move both ways; for the repaired
DP-BLSGD, one record removed and another added.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import brentq

from dpverify.core.composition import Composed
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.utility.calibration_family import Asked, Cost, Family
from dpverify.utility.closed_forms import OneOrder, Stated, replaced
from reference_impls.line_search.budgeted_line_search import ITERATIONS
from reference_impls.line_search.step_costs import (
    gradient_step,
    printed_cost,
    proved_cost,
    search_step,
    total_budget,
)

TRIED = (
    2,
    3,
    4,
    5,
    6,
    8,
    10,
    12,
    14,
    17,
    20,
    24,
    28,
    33,
    39,
    46,
    55,
    65,
    78,
    92,
    110,
    130,
    155,
    185,
    220,
    300,
    400,
    500,
)
"""Orders that are tried where the algorithm has many."""
_SHARES = (math.log(1e-7), math.log(10.0))  # of the first epsilon of a release
_LARGEST_RATIO = 1e6
_PLENTY = 10.0  # an epsilon that pays for an iteration


class PublishedFamily(Family):
    """DP-BLSGD as published."""

    knob = "epsilon"
    budget = True
    relations: ClassVar[tuple[str, ...]] = ()
    never = (
        "its gradient and its search share a sample that is amplified twice, and costs are not what is tested, so no "
        "sound accountant certifies it; dp-blsgd-repaired is certified (with zeta = 0.05 for -ac)"
    )
    then = "section IV-C of BLSGD: printed costs, kept at some order"

    def settled(self, algorithm: Any, asked: Asked) -> Any:
        """delta is the other half of the budget."""
        return replace(algorithm, delta=asked.delta)

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """None."""
        raise InputError(f"{type(algorithm).__name__}: {self.never}", allowed="dp-blsgd-repaired")

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        """The claim."""
        return Stated(value=algorithm.epsilon, at=algorithm.delta)


class OneOrderFamily(PublishedFamily):
    """What keeps its budget at one order."""

    relations = ("add-remove", "replace")

    def by_print(self) -> Family:
        """All orders and first budgets as configured."""
        return PublishedFamily()

    def public(self, algorithm: Any, asked: Asked) -> Any:
        """With `records`."""
        return algorithm if algorithm.records else replace(algorithm, records=asked.rows)

    def settled(self, algorithm: Any, asked: Asked) -> Any:
        """At the order that leaves the largest first budgets, out of the algorithm's."""
        at = self.own_budget(asked)
        algorithm = replace(self.public(algorithm, asked), delta=at.delta)
        orders = [order for order in algorithm.orders if order in TRIED] or list(algorithm.orders)
        kept = {order: self._kept(at, order) for order in orders}
        shares = {order: self._share(algorithm, order, kept[order]) for order in orders}
        best = max(shares, key=lambda order: (shares[order], order))
        return replace(algorithm, orders=(best,), epsilon=kept[best] + _PLENTY)  # the knob is still to be turned

    def start(self, algorithm: Any, asked: Asked) -> float:
        """What is kept at the order, about."""
        return self._kept(self.own_budget(asked), algorithm.orders[0])

    def own_budget(self, asked: Asked) -> Asked:
        """The budget for one record added or removed that has the asked price."""
        return asked

    def times(self, asked: Asked) -> float:
        """How many times the kept budget a run costs under the relation, about."""
        return 1.0

    def _kept(self, at: Asked, order: int) -> float:
        """The configured epsilon at which the budget that is kept at `order` has the asked price, about."""
        free = math.log1p(-1.0 / order) - math.log(order) / (order - 1)  # the tight conversion less the configured one
        log = -math.log(at.delta) / (order - 1)
        return max((at.epsilon - free - log) / self.times(at), 0.0) + log

    def with_knob(self, algorithm: Any, value: float) -> Any:
        """With first budgets that pay for `ITERATIONS` iterations, unless they were given."""
        if algorithm.rho_grad is not None or algorithm.budget_bt is not None:
            return replace(algorithm, epsilon=value)
        share = self._share(algorithm, algorithm.orders[0], value)
        if not share:
            raise InputError(f"{type(algorithm).__name__}: epsilon = {value:g}", allowed="a budget for an iteration")
        rho = 0.5 * share * share
        return replace(algorithm, epsilon=value, rho_grad=rho, budget_bt=share if algorithm.noise == "laplace" else rho)

    def _share(self, algorithm: Any, order: int, epsilon: float) -> float:
        """The first epsilon of a release at which the budget pays for the iterations; 0 where none does."""
        total = float(total_budget(epsilon, algorithm.delta, (order,))[0])
        count = min(ITERATIONS, algorithm.most_steps)

        def excess(at: float) -> float:
            share = math.exp(at)
            rho = 0.5 * share * share
            spent = self.charged(algorithm, order, rho, share if algorithm.noise == "laplace" else rho)
            return math.log(max(count * spent, 1e-300)) - math.log(total)

        low, high = _SHARES
        if total <= 0 or excess(low) >= 0:
            return 0.0
        return math.exp((float(brentq(excess, low, high, xtol=1e-6)) if excess(high) > 0 else high) - 1e-5)

    @abstractmethod
    def charged(self, algorithm: Any, order: int, rho: float, budget: float) -> float:
        """What the algorithm charges for a gradient and a search."""

    def accountant(self, found: str, algorithm: Any, asked: Asked) -> str:
        """What is converted."""
        return f"{found} of its filter at one Renyi order"


class RepairedFamily(OneOrderFamily):
    """The repaired DP-BLSGD charges proved costs."""

    def own_budget(self, asked: Asked) -> Asked:
        """Half of it, at the delta that two records leave, where one is replaced."""
        if asked.relation != "replace":
            return asked
        half = asked.epsilon / 2.0
        return replace(asked, epsilon=half, delta=asked.delta / (1.0 + math.exp(half)))

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """The kept budget."""
        order = algorithm.order
        bound = float(total_budget(algorithm.epsilon, algorithm.delta, (order,))[0])
        kept = OneOrder(order=float(order), bound=bound)
        return (replaced(kept) if asked.relation == "replace" else kept,)

    def charged(self, algorithm: Any, order: int, rho: float, budget: float) -> float:
        """Proved."""
        steps = algorithm.charged_gradient(rho), algorithm.charged_search(budget)
        return float(sum(proved_cost(step, (order,))[0] for step in steps))


class DpBlgdFamily(OneOrderFamily):
    """DP-BLGD charges printed costs."""

    def times(self, asked: Asked) -> float:
        """Four times where a record is replaced."""
        return 4.0 if asked.relation == "replace" else 1.0

    def refuses(self, algorithm: Any, asked: Asked) -> str | None:
        """A divisor that tells the number of records."""
        if algorithm.divisor != "expected":
            return "it divides by the number of records of the table; with divisor='expected' it is certified"
        return None

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """The kept budget, times what is proved over what is charged, where that is more than 1."""
        if len(algorithm.orders) != 1:
            raise InputError(
                "DpBlgd: a budget at several orders, among which its outputs choose",
                allowed="one order",
                remedy="`calibrated` fixes one",
            )
        (order,) = algorithm.orders
        bound = float(total_budget(algorithm.epsilon, algorithm.delta, (order,))[0])
        budget = algorithm.first_levels.budget_bt
        ratio = self._ratio(algorithm, order, budget, replaced=asked.relation == "replace")
        return (OneOrder(order=float(order), bound=max(bound, 0.0) * ratio),)

    def charged(self, algorithm: Any, order: int, rho: float, budget: float) -> float:
        """Printed."""
        steps = gradient_step(rho), search_step(algorithm.noise, budget, algorithm.max_it)
        return float(sum(printed_cost(step, (order,))[0] for step in steps))

    def _ratio(self, algorithm: Any, order: int, budget: float, *, replaced: bool) -> float:
        step = search_step(algorithm.noise, budget, algorithm.max_it)
        charged = float(printed_cost(step, (order,))[0])
        moving = replace(step, queries="bounded") if replaced else step
        proved = float(moving.renyi(np.array([float(order)]))[0])
        search = proved / charged if charged > proved / _LARGEST_RATIO else _LARGEST_RATIO
        return max(search, 4.0 if replaced else 1.0)


def register(registry: Registry) -> None:
    """By class."""
    registry.calibrations.add("DpBlsgd", PublishedFamily())
    registry.calibrations.add("DpBlsgdRepaired", RepairedFamily())
    registry.calibrations.add("DpBlgd", DpBlgdFamily())
