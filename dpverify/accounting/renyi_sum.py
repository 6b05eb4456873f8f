"""The Renyi curve of a composition: the sum of its steps' curves, at the orders asked for and no others.

Result: Renyi bounds of one order add under adaptive composition (BLSGD Lemma 3; Mironov 2017, Proposition 1). Steps of
a class that offers ``renyi_sum(steps, counts, orders)``, a classmethod that returns the weighted sum of their curves,
are handed over together: one call for thousands of different steps. Orders are remembered, so asking for a second delta
costs little. Rounding of the sum: within ``conversion.SLACK``. Not to be confused with bounds of different orders,
which do not add.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpverify.accounting.orders import real_orders
from dpverify.core.composition import Composition, HasRenyi
from dpverify.core.subjects import Float

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
