"""Accountant ``rdp-printed``: the papers' computation, with the printed formulas.

Results: each step at its printed curve (BLSGD Lemma 4, DISS Lemma 2.3, BLSGD Theorems 2 and 3; its Renyi curve where
the papers print none), the sum over steps (BLSGD Lemma 3), and Proposition 1 at the best whole order from 2 to `LAST`
(BLSGD section IV-C). A subsampled Gaussian is charged by Lemma 4, as the papers do. Side: printed: it shows the papers'
results, and the ledger decides which of the printed formulas are bounds. Not to be confused with ``rdp-classic``, whose
curves are proved.

Every whole order is looked at: printed curves need not be convex.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dpverify.accounting.steps.printed_samples  # noqa: F401 - adds the print of the subsampled Gaussian
from dpverify.accounting.accountant_inputs import admit
from dpverify.accounting.order_search import Objective
from dpverify.accounting.renyi_composed import classic_cost
from dpverify.accounting.steps.printed_samples import needed_curve, printed_curve
from dpverify.core.composition import Composed, Composition, Part, Side, Step
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float

LAST = 500
"""The largest order that the papers look at."""

_ORDERS: Float = np.arange(2.0, LAST + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _AtItsPrint:
    """A step whose cost is its printed curve."""

    step: Step

    @property
    def relation(self) -> str:
        return self.step.relation

    def text(self) -> str:
        return self.step.text()

    def renyi(self, orders: Float) -> Float:
        return needed_curve(self.step, by="rdp-printed")(orders)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedRdpAccountant:
    """Printed curves, Proposition 1, whole orders."""

    name: str = "rdp-printed"
    version: str = "1"
    source: str = "BLSGD L. 3, L. 4, Thm 2, 3, Prop. 1; DISS L. 2.3"
    side: Side = "printed"

    def refuses(self, composition: Composition) -> str | None:
        """A step without a curve."""
        for part in composition:
            if printed_curve(part.step) is None:
                return f"{part.step.text()} has no Renyi curve, sound or printed"
        return None

    def compose(self, composition: Composition) -> Composed:
        """The cost; no curve is evaluated before it is needed."""
        admit(self, composition)
        parts = (Part(step=_AtItsPrint(step=part.step), count=part.count) for part in composition if not _free(part))
        return classic_cost(Composition(parts=tuple(parts)), search=_every_order, infinity=False)


def _free(part: Part) -> bool:
    """Tell whether nothing is charged: a divergence that is 0 at one order is 0 at all."""
    return not np.any(needed_curve(part.step, by="rdp-printed")(_ORDERS[[0, -1]]))


def _every_order(objective: Objective) -> tuple[float, float]:
    values = objective(_ORDERS)
    best = int(np.argmin(values))
    return (float(_ORDERS[best]), float(values[best])) if np.isfinite(values[best]) else (np.nan, np.inf)


def register(registry: Registry) -> None:
    """Register the accountant."""
    registry.accountants.add("rdp-printed", PrintedRdpAccountant())
