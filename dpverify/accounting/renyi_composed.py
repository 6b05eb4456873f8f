"""The cost of a composition by its summed Rényi curve and one of the two conversions, at the best order.

Basis: ``summed`` (the bounds of one order add), ``conversion`` (any order gives a bound) and
``order_search``. Order infinity takes part where every step has a pure bound: it is the only order with a bound at
delta = 0. Side: upper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpverify.accounting import order_search
from dpverify.accounting.accountant_inputs import (
    checked_delta,
    checked_epsilon,
    corner_delta,
    corner_epsilon,
    probability,
    pure_total,
)
from dpverify.accounting.order_search import COARSE, FARTHEST, Objective, least, real_orders
from dpverify.core.composition import Bracket, Composition, HasRenyi
from dpverify.core.subjects import Float

Conversion = Callable[[Float, Float, float], Float]
Search = Callable[[Objective], tuple[float, float]]

_PURE = "order infinity: the sum of the pure bounds"
_NOTHING = f"no finite bound at any order up to 2^{FARTHEST}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RenyiComposed:
    """A curve with a order_search."""

    curve: SummedCurve
    """The composition's."""
    pure: float
    """Its pure bound, +inf when it has none."""
    to_epsilon: Conversion
    to_log_delta: Conversion
    """`to_epsilon`, `to_log_delta`: of ``conversion``: (orders, bounds, delta or epsilon) to values."""
    tight: bool
    """True to use everything that order infinity and the total variation imply, False for the papers' part."""
    search: Search = least
    """The least value of an objective over the orders that are allowed."""

    def epsilon(self, delta: float) -> Bracket:
        """Upper bound at `delta` in [0, 1), and the order that gave it."""
        delta = checked_delta(delta)
        found = [(corner_epsilon((self.pure, 0.0), delta) if self.tight else self.pure, _PURE)]
        if delta > 0 and self.pure > 0:
            order, value = self.search(lambda orders: self.to_epsilon(orders, self.curve(orders), delta))
            found.append((value, f"order {order:.6g}"))
            if self.tight and self._total_variation() <= delta:
                found.append((0.0, "total variation below delta"))
        reason = _NOTHING if delta > 0 else "delta = 0 needs a pure bound of every step"
        return _best(found, hopeless=math.inf, reason=reason)

    def delta(self, epsilon: float) -> Bracket:
        """Upper bound at finite `epsilon` >= 0, and the order that gave it."""
        epsilon = checked_epsilon(epsilon)
        beyond = 0.0 if epsilon >= self.pure else 1.0
        found = [(corner_delta((self.pure, 0.0), epsilon) if self.tight else beyond, _PURE)]
        if found[0][0] > 0:
            order, value = self.search(lambda orders: self.to_log_delta(orders, self.curve(orders), epsilon))
            found.append((probability(value), f"order {order:.6g}"))
            if self.tight:
                found.append((self._total_variation(), "total variation"))
        return _best(found, hopeless=1.0, reason="no order gives less than 1")

    def _total_variation(self) -> float:
        return order_search.total_variation(float(self.curve(COARSE).min()))


def _best(found: list[tuple[float, str]], *, hopeless: float, reason: str) -> Bracket:
    value, note = min(found)
    return Bracket(upper=value, note=note if value < hopeless else reason)


def tight_cost(composition: Composition) -> RenyiComposed:
    """The tight conversion gives the cost."""
    return RenyiComposed(
        curve=SummedCurve(composition=composition),
        pure=pure_total(composition),
        to_epsilon=order_search.tight_epsilon,
        to_log_delta=order_search.tight_log_delta,
        tight=True,
    )


def classic_cost(composition: Composition, *, search: Search = least, infinity: bool = True) -> RenyiComposed:
    """Proposition 1 gives the cost; without order infinity, a composition that costs nothing still costs nothing."""
    pure = pure_total(composition)
    return RenyiComposed(
        curve=SummedCurve(composition=composition),
        pure=pure if infinity or pure == 0 else math.inf,
        to_epsilon=order_search.classic_epsilon,
        to_log_delta=order_search.classic_log_delta,
        tight=False,
        search=search,
    )


RenyiSum = Callable[[Sequence[Any], Sequence[int], Float], Float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SummedCurve:
    """The curve of a composition all of whose steps have one."""

    composition: Composition
    _known: dict[float, float] = field(default_factory=dict, init=False, repr=False)

    def __call__(self, orders: Float) -> Float:
        """Upper bounds in nats at real orders > 1, shape (k,); +inf where a step gives nothing. Never nan."""
        array = real_orders(orders)
        asked: list[float] = array.tolist()
        missing = np.array(sorted({order for order in asked if order not in self._known}))
        if missing.size:
            self._known.update(zip(missing.tolist(), self._sum(missing).tolist(), strict=True))
        return np.array([self._known[order] for order in asked])

    def _sum(self, orders: Float) -> Float:
        classes: dict[type[Any], tuple[list[Any], list[int]]] = {}
        for part in self.composition:
            steps, counts = classes.setdefault(type(part.step), ([], []))
            steps.append(part.step)
            counts.append(part.count)
        total: Float = np.zeros_like(orders)
        with np.errstate(over="ignore"):  # +inf is the right answer then
            for kind, (steps, counts) in classes.items():
                together: RenyiSum | None = getattr(kind, "renyi_sum", None)
                total += (_one_by_one if together is None else together)(steps, counts, orders)
        return total


def _one_by_one(steps: Sequence[HasRenyi], counts: Sequence[int], orders: Float) -> Float:
    """Halved again and again, so that rounding grows like the logarithm of the number of steps."""
    if len(steps) == 1:
        return counts[0] * steps[0].renyi(orders)
    middle = len(steps) // 2
    parts = (slice(None, middle), slice(middle, None))
    first, second = (_one_by_one(steps[part], counts[part], orders) for part in parts)
    return np.asarray(first + second)
