"""Reads a search's result from any auditor's record: stated parameters, simplest and worst witness, and map.

Auditors write these as ``own``, ``smallest``, ``worst``, ``map``, ``looked`` (or ``evaluations``), ``failed`` and
``uncomputed`` to their statistics. An auditor that searches no parameters writes none: its measured value is that of
the stated parameters, and the worst. Ratios are computed value divided by claimed value; above one the claim fails.
They are lower bounds on the largest ratio: in a part of the map without failures none was found.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dpverify.core.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class PointResult:
    """The result at one point.

    Attributes
    ----------
    ratio : float
        Computed value divided by the claimed one.
    value, claimed : float or None
        The two values.
    parameters : mapping
        The searched parameters of the point.
    size : int or None
        Of the data sets.
    measure : str
        The measure, if a claim has several.
    exceeded : bool
        Whether the claim fails at the point.
    proved : bool
        Whether the failure (or the value) is proved.
    """

    ratio: float
    value: float | None = None
    claimed: float | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    size: int | None = None
    measure: str = ""
    exceeded: bool = False
    proved: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RangePart:
    """A part of one parameter's range: numbers of points and of failures, and the largest ratio."""

    low: float
    high: float
    points: int
    failed: int
    worst: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The whole result of a search for one claim."""

    stated: PointResult | None = None
    smallest: PointResult | None = None
    worst: PointResult | None = None
    map: Mapping[str, tuple[RangePart, ...]] = field(default_factory=dict)
    looked: int | None = None
    failed: int | None = None
    uncomputed: int = 0

    @property
    def material(self) -> bool | None:
        """Tell whether the claim fails at its stated parameters; None if they were not evaluated."""
        return None if self.stated is None else self.stated.exceeded


def findings(item: Record) -> Findings:
    """The findings of a record; empty for a row without evidence."""
    if not item["evidence"]:
        return Findings()
    statistics = item["evidence"][0]["statistics"]
    if not {"own", "worst", "map"} <= statistics.keys():
        return _plain(item)
    return Findings(
        stated=_place(item, statistics["own"]),
        smallest=_place(item, statistics.get("smallest")),
        worst=_place(item, statistics["worst"]),
        map={name: tuple(_parts(parts)) for name, parts in statistics["map"].items()},
        looked=statistics.get("looked", statistics.get("evaluations")),
        failed=statistics.get("failed"),
        uncomputed=statistics.get("uncomputed") or 0,
    )


def _plain(item: Record) -> Findings:
    """Findings of a record without a search: its leading evidence, at the stated parameters unless stated otherwise."""
    found = PointResult(
        ratio=_float(item["tightness"]),
        value=_number(item["bound"]),
        claimed=_number(item["claimed"]),
        parameters=(item["witness"] or {}).get("parameters") or {},
        measure=item["measure"],
        exceeded=item["verdict"] == "refuted",
        proved=bool(item["proved"]),
    )
    searched = (item.get("space") or {}).get("parameters") or {}
    elsewhere = bool(set(found.parameters) & set(searched))
    return Findings(stated=None if elsewhere else found, worst=found)


def _place(item: Record, seen: Mapping[str, Any] | None) -> PointResult | None:
    if not seen:
        return None
    ratio = _float(seen.get("ratio"))
    known = set((item.get("space") or {}).get("parameters") or {})
    return PointResult(
        ratio=ratio,
        value=_number(seen.get("value", seen.get("truth"))),
        claimed=_number(seen.get("claimed", seen.get("printed"))),
        # A parameter that only follows the data's size is not shown.
        parameters={name: value for name, value in (seen.get("parameters") or {}).items() if name in known},
        size=seen.get("size"),
        measure=str(seen.get("measure", "")),
        exceeded=bool(seen.get("exceeded", ratio > 1 + TINY)),
        proved=bool(seen.get("proved")),
    )


TINY = 1e-10
"""Relative rounding that lemmas allow for printed numbers."""


PART = frozenset({"from", "to", "points", "failed", "worst"})


def _parts(parts: Any) -> Iterator[RangePart]:
    for part in (each for each in parts if each.keys() >= PART):
        worst = None if part["worst"] is None else _float(part["worst"])
        yield RangePart(low=part["from"], high=part["to"], points=part["points"], failed=part["failed"], worst=worst)


def _float(value: Any) -> float:
    found = _number(value)
    return math.nan if found is None else found


def _number(value: Any) -> float | None:
    """A number of a record, where infinities are strings; None for other values."""
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        return None
