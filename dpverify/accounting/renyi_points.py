"""The Renyi divergence of a composition at given orders, between ends.

Upper end: the sum of the steps' curves, or of their laws where they have no curve, each in its worse order of the
neighbours (Mironov 2017, Proposition 1). Lower end, where every step has laws that data sets attain: the sum of their
divergences in one order of the neighbours, the same for all steps, the worse of the two; products add exactly.
Side: rounded outward by `ROUNDING`. Not to be confused with an (epsilon, delta) bound made from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from dpverify.accounting.loss_sources import OnlyAbove
from dpverify.accounting.order_search import real_orders
from dpverify.core.composition import Bracket, Composition, HasLaws, HasRenyi, Step
from dpverify.core.errors import UnsupportedError

ROUNDING = 1e-12


def renyi_points(composition: Composition, orders: Iterable[float]) -> dict[float, Bracket]:
    """The bracket at each order, finite and above 1, in nats; InputError for any other.

    An upper end is infinite where a step has neither a curve nor laws; the note names it.
    """
    asked = real_orders(list(orders)).tolist()
    return {order: _point(composition, order) for order in asked}


def _point(composition: Composition, order: float) -> Bracket:
    upper, notes = 0.0, list[str]()
    for part in composition:
        bound = _upper(part.step, order)
        if bound is None:
            notes.append(f"{part.step.text()} has no Renyi curve")
        upper += part.count * (math.inf if bound is None else bound)
    lower = _lower(composition, order)
    if lower is None:
        notes.append("no lower end: not every step has laws that data sets attain, and whose divergence is known")
    upper *= 1 + ROUNDING
    low = (lower or 0.0) * (1 - ROUNDING)
    return Bracket(lower=min(low, upper) if low <= upper * (1 + 1e-9) else low, upper=upper, note="; ".join(notes))


def _upper(step: Step, order: float) -> float | None:
    """The step's curve, or else the larger divergence of its laws; None where there is neither."""
    if isinstance(step, HasRenyi):
        return float(step.renyi(np.array([order]))[0])
    if isinstance(step, HasLaws):
        try:
            return max(pair.renyi(order).upper for pair in step.laws())
        except UnsupportedError:
            return None
    return None


def _lower(composition: Composition, order: float) -> float | None:
    """The worse of both orders of the neighbours; None where some step's divergence is not known."""
    totals = [0.0, 0.0]
    for part in composition:
        if not isinstance(part.step, HasLaws) or isinstance(part.step, OnlyAbove):
            return None
        pairs = part.step.laws()
        for way in range(2):
            try:
                found = pairs[min(way, len(pairs) - 1)].renyi(order)
            except UnsupportedError:
                return None
            totals[way] += part.count * (max(found.lower, 0.0) if math.isfinite(found.error) else 0.0)
    return max(totals)
