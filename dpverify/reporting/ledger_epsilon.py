"""Epsilon at the paper's delta, as claimed and as found, beside whatever measure a refuted row was decided in.

Sides: what was found is a lower bound of what the method named gives; what was claimed is what the claim allows. A
Renyi divergence alone bounds no epsilon from below; its epsilon is what the paper's own conversion (Proposition 1)
makes of both numbers at that order, unless the pair is a shifted Gaussian, whose epsilon is exact.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.core.record import Record
from dpverify.reporting.formatting import number, number_down
from dpverify.reporting.ledger_standing import objection_of, quantity, standing

_ARGUMENT = re.compile(r"\((?:order|delta|epsilon)=([^)]+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Epsilons:
    """Both epsilons, nats, at `delta` (0: pure; None where `how` says it); `above`: found is above the number."""

    claimed: float
    found: float
    delta: float | None
    how: str
    above: bool = False

    def text(self) -> str:
        """Return the text of a cell."""
        at = "" if self.delta is None else f" at delta = {number(self.delta, 3)}"
        more = "more than " if self.above else ""
        how = f" ({self.how})" if self.how else ""
        found, claimed = number_down(self.found, 4), number(self.claimed, 4)
        if found == claimed and not self.above:
            return f"{claimed}{at}{how}, only {number_down(self.found - self.claimed, 2)} above what is claimed"
        return f"{more}{found} for {claimed}{at}{how}"


def epsilons(item: Record) -> Epsilons | None:
    """Take epsilons from the record's measure, the objection's computation, or a conversion; else None."""
    told, found = objection_of(item) or {}, standing(item)
    if told.get("epsilon"):
        given = told["epsilon"]
        return Epsilons(claimed=float(given["claimed"]), found=float(given["found"]), delta=None, how=given["how"])
    if found is None:
        return None
    place, measure = found.place, found.place.measure or item["measure"]
    claimed, value = place.claimed, place.value
    if claimed is None or value is None:
        return None
    kind = quantity(item, measure)
    if kind == "epsilon":
        delta = _argument(measure) if measure.startswith("epsilon(") else _parameter(item, place.parameters, "delta")
        return Epsilons(claimed=claimed, found=value, delta=delta or 0.0, how="")
    if kind == "delta":
        epsilon = _argument(measure) if measure.startswith("delta(") else _parameter(item, place.parameters, "epsilon")
        if epsilon is None:
            return None
        return Epsilons(claimed=epsilon, found=epsilon, delta=claimed, how="", above=True)
    delta = told.get("delta")
    order = _argument(measure) if measure.startswith("renyi(") else _parameter(item, place.parameters, "order")
    if kind != "Renyi epsilon" or delta is None or order is None:
        return None
    if told.get("law") == "gaussian":
        ends = [gaussian_epsilon(each, order, delta) for each in (claimed, value)]
        return Epsilons(claimed=ends[0][1], found=ends[1][0], delta=delta, how="of these Gaussians, exact")
    claimed, value = (proposition_1(each, order, delta) for each in (claimed, value))
    return Epsilons(claimed=claimed, found=value, delta=delta, how=f"Proposition 1 at order {number(order)}")


def proposition_1(divergence: float, order: float, delta: float) -> float:
    """Convert a Renyi divergence at one order as the papers do: an upper bound on epsilon."""
    from dpverify.accounting.order_search import classic_epsilon

    return float(classic_epsilon(np.array([order]), np.array([divergence]), delta)[0])


def gaussian_epsilon(divergence: float, order: float, delta: float) -> tuple[float, float]:
    """Both ends of the epsilon of the shifted Gaussians whose divergence of this order is `divergence`."""
    from dpverify.accounting.accountants.gdp import GdpAccountant
    from dpverify.accounting.steps.gaussian import GaussianStep
    from dpverify.core.composition import Composition

    shift = math.sqrt(2.0 * divergence / order)
    bracket = GdpAccountant().compose(Composition.of(GaussianStep(sigma=1.0, sensitivity=shift))).epsilon(delta)
    return float(bracket.lower or 0.0), float(bracket.upper if bracket.upper is not None else math.inf)


def epsilon_text(item: Record) -> str:
    """Both epsilons, or that there are none and why; empty where nobody says so."""
    found = epsilons(item)
    if found is not None:
        return f"epsilon {found.text()}"
    told = objection_of(item) or {}
    why = told.get("problem") or told.get("no_epsilon")
    return f"no epsilon: {why}" if why else ""


def _argument(measure: str) -> float:
    found = _ARGUMENT.search(measure)
    return float(found[1]) if found else 0.0


def _parameter(item: Record, place: Mapping[str, Any], name: str) -> float | None:
    value = place.get(name, item["parameters"].get(name))
    return None if value is None else float(value)
