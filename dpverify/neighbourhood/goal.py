"""What a pass must have been able to detect: a factor of the claimed value, or the default."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.runner.plan import Unit

FACTOR = 2.0
"""Times the claimed value, by default."""

LARGE, MORE = 3.0, 1.0
"""Above a claimed epsilon of 3 the default is the claim and 1 more: twice as much would take too many draws."""


def sought_value(headline: Measure, factor: float | None) -> float | None:
    """The true value that is to be detected; None for a claimed 0, of which there are no multiples.

    InputError for a factor that is not above 1.
    """
    if factor is not None and not 1.0 < factor < math.inf:
        raise InputError(f"detect = {factor:g} times the claimed value", allowed="a finite number above 1, such as 1.5")
    if not 0.0 < headline.claimed < math.inf:
        return None
    if factor is None and headline.kind == "epsilon" and headline.claimed > LARGE:
        return headline.claimed + MORE
    return headline.claimed * (FACTOR if factor is None else factor)


def sought_factor(headline: Measure) -> float | None:
    """The default, as a factor of the claimed value; None for a claimed 0."""
    sought = sought_value(headline, None)
    return None if sought is None else sought / headline.claimed


def with_goal(unit: Unit, factor: float | None, *, rare: float | None = None) -> Unit:
    """The unit; auditors that take a goal (an attribute `detect`, and `reach`) are given the sought value.

    `rare` is the part of the draws that looks for what is rare once it is met.
    """
    auditors: list[Any] = list(unit.auditors)
    if not any(hasattr(auditor, "reach") for auditor in auditors):
        return unit
    sought = sought_value(unit.entry.claim.guarantee.measures()[0], factor)
    given = {"detect": sought, "rare": rare}
    told = [replace(auditor, **given) if hasattr(auditor, "reach") else auditor for auditor in auditors]
    return replace(unit, auditors=tuple(told))
