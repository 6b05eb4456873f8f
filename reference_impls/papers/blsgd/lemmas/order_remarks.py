"""Computations behind the remarks on BL-FILTER and BL-FILTER-R: section IV-C's budgets at many orders.

The subjects: :mod:`~reference_impls.papers.blsgd.lemmas.some_order` for readings (a) and (b),
:mod:`~reference_impls.papers.blsgd.lemmas.best_order` for (c).
"""

from __future__ import annotations

from dpverify.core.ledger_words import Shown
from reference_impls.papers.blsgd.lemmas.best_order import BestOrder
from reference_impls.papers.blsgd.lemmas.some_order import AnyOrder, EveryOrder, response_cost


def shown_filter() -> Shown:
    """At the paper's epsilon = 0.2, delta = 1e-8: each reading's excess, and the sum that holds of (c)."""
    every, some = EveryOrder(order=100.0), AnyOrder()
    best, tight = BestOrder(), BestOrder(conversion="tight")
    bound = BestOrder(promised="sum").printed().value
    ratios = [each.truth().value / each.printed().value for each in (every, some, best, tight)]
    numbers = (
        ("(a) cost over budget at order 100", ratios[0]),
        ("(b) least cost over budget of all orders", ratios[1]),
        ("(c) largest delta found over the target, Proposition 1", ratios[2]),
        ("(c) proved delta over the target, Proposition 1", bound / best.delta),
        ("(c) largest delta found over the target, tight conversion", ratios[3]),
    )
    holds = min(ratios[0], ratios[1]) > 1 > bound / best.delta > ratios[2] and ratios[3] > 2.5
    return Shown(numbers=numbers, holds=holds)


def shown_some() -> Shown:
    """(b) at the paper's epsilon = 0.2, delta = 1e-8: what each branch keeps, and what both together cost."""
    subject, kept = AnyOrder(), AnyOrder(kept="one")
    orders, budgets, rho, response = subject.choices()
    costs, _, at = subject.costs()
    first, second = orders * rho / budgets, response_cost(orders, response) / budgets
    numbers = (
        ("orders with a budget", float(orders.size)),
        ("the least of them", float(orders[0])),
        ("Gaussians: rho", rho),
        ("their cost over the budget at the order that they keep", float(first.min())),
        ("that order", float(orders[first.argmin()])),
        ("randomised response: epsilon_0", response),
        ("its cost over the budget at the order that it keeps", float(second.min())),
        ("that order", float(orders[second.argmin()])),
        ("both: least cost over budget of all orders", float(costs[at] / budgets[at])),
        ("at order", float(orders[at])),
        ("one order kept: its cost over its budget", kept.truth().value / kept.printed().value),
    )
    holds = max(numbers[3][1], numbers[6][1], numbers[10][1]) <= 1.0 < numbers[8][1]
    return Shown(numbers=numbers, holds=holds)


def shown_best() -> Shown:
    """The same, and the sum at twice the paper's epsilon and where it is largest: it grows with epsilon."""
    same = shown_filter()
    twice, largest = (BestOrder(epsilon=epsilon, promised="sum") for epsilon in (0.4, 100.0))
    found = [each.printed().value / each.delta for each in (twice, largest)]
    numbers = (
        ("(c) proved delta over the target, Proposition 1, at epsilon = 0.4", found[0]),
        ("(c) proved delta over the target, Proposition 1, where every order has a budget", found[1]),
    )
    return Shown(numbers=(*same.numbers, *numbers), holds=same.holds and found[0] < 1 < found[1] <= 2.3)
