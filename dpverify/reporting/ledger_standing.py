"""How a refuted row stands: by which factor it fails, at whose numbers, and whether that is certified or searched.

All of it is read from the record and from the objection beside it (`dpverify.core.ledger_words`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from dpverify.core.ledger_words import LOSSES
from dpverify.core.record import Record, as_number
from dpverify.reporting.findings import PointResult, findings
from dpverify.reporting.formatting import number

How = Literal["certified", "attained", "drawn", "searched"]
HOW: dict[How, str] = {
    "certified": "certified",
    "attained": "attained",
    "drawn": "attained in draws",
    "searched": "searched",
}
MEANING: dict[How, str] = {
    "certified": "the failure at these numbers is proved, by exact arithmetic or a proved error bound",
    "attained": "a counterexample at these numbers reaches the factor, computed with an estimated error",
    "drawn": "draws from a counterexample at these numbers show at least the factor, at the row's confidence",
    "searched": "not seen to fail at the stated parameters; the factor is the largest that a search found elsewhere",
}
LARGE = 1e3
"""Larger factors are written with two digits."""
RENYI = "Renyi epsilon"
OF = {"PureDP": "epsilon", "ApproxDP": "epsilon", "RDP": RENYI, "SensitivityBound": "sensitivity"}
"""The quantity of a guarantee's factor, by kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The point at which a refuted row fails for the headline: the place, its factor, and how that is known."""

    place: PointResult
    factor: float
    how: How


def objection_of(item: Record) -> Mapping[str, Any] | None:
    """Return the objection that the authors would make to the row, or None."""
    found: Mapping[str, Any] | None = (item.get("ledger") or {}).get("objection")
    return found


def standing(item: Record) -> Standing | None:
    """Return the stated parameters if the row fails there, else the worst that was found; None without evidence.

    Where the failure is proved at the stated parameters, the factor is the proved one.
    """
    found = findings(item)
    if found.worst is None:
        return None
    own = found.stated
    if own is None or not own.exceeded:
        return Standing(place=found.worst, factor=found.worst.ratio, how="searched")
    if item["confidence"] is not None:
        return Standing(place=own, factor=own.ratio, how="drawn")
    if not item["proved"] or own.parameters != found.worst.parameters or own.size != found.worst.size:
        return Standing(place=own, factor=own.ratio, how="attained")
    if found.worst.proved:  # the proof's own place, in the unit of the proof
        return Standing(place=found.worst, factor=found.worst.ratio, how="certified")
    proved = as_number(item["bound"]) / as_number(item["claimed"])
    return Standing(place=replace(own, ratio=proved), factor=proved, how="certified")


def quantity(item: Record, measure: str = "") -> str:
    """The quantity of a factor, such as ``epsilon``; empty where it has no unit of privacy."""
    if measure.startswith(("epsilon", "delta")):
        return measure.partition("(")[0]
    kind, _, words = str(item["guarantee"]).partition("(")
    bounded = words.partition('quantity="')[2].partition('"')[0]
    if kind == "UpperBound":
        return {"renyi": RENYI, "number": "", "difference": ""}.get(bounded, bounded)
    return OF.get(kind, "")


def factor_text(item: Record) -> str:
    """The factor with its quantity, in the objection's words where it has some."""
    found = standing(item)
    if found is None or math.isnan(found.factor):
        return "-"
    unit, told = quantity(item, found.place.measure), _factor(found.factor)
    words = str((objection_of(item) or {}).get("factor") or "")
    if not words:
        return f"{told} times{f' in {unit}' if unit else ''}"
    value = number(found.place.value, 5)
    return words.replace("{factor}", told).replace("{value}", value) + (f" ({unit})" if unit else "")


def _factor(value: float) -> str:
    """Three digits, as on all pages (two of a large one); a factor near 1 keeps the digits that show it."""
    text = number(value, 3 if value < LARGE else 2)
    return number(value, 7) if text == "1" else text


def by_the_paper(item: Record) -> bool:
    """Tell whether the row fails at numbers that the paper itself prints or uses, and at no other's."""
    told, found = objection_of(item), standing(item)
    return bool(told and told["printed"] and not told["ours"] and found and found.how != "searched")


def may_be_headline(item: Record) -> bool:
    """Tell whether the row may stand in a headline: it has an objection, and no text of the paper excludes it."""
    told = objection_of(item)
    return bool(told and told["says"].strip() and told["left"].strip() and not told["excluded"])


def rank(item: Record) -> int:
    """Rank by what a user of the algorithm loses, the most first."""
    told = objection_of(item)
    return len(LOSSES) if told is None else LOSSES.index(told["loses"])
