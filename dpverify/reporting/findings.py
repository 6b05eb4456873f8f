"""What a search found, read from any auditor's record alike: the margin at the claim's own parameters, the smallest
witness after shrinking, the worst, and where in the parameters' boxes the claim failed and where it held.

Auditors leave these as ``own``, ``smallest``, ``worst``, ``map``, ``looked`` (or ``evaluations``), ``failed`` and
``uncomputed`` in their statistics. An auditor that searches no parameters leaves none: what it measured is the margin
at the claim's own, and the worst. Ratios are of what was found to what is claimed; above one the claim fails. They are
lower bounds on the largest there is: a part of the map in which nothing failed is one where nothing was found to fail.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What was found at one point.

    Attributes
    ----------
    ratio : float
        Found over claimed.
    value, claimed : float or None
        The two.
    parameters : mapping
        The searched parameters there.
    size : int or None
        Of the data sets.
    measure : str
        What was measured, where a claim has several.
    exceeded : bool
        Whether the claim fails there.
    proved : bool
        Whether that (or the value) is proved.
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
class Part:
    """A part of one parameter's range: how many points were looked at, how many failed, the largest ratio."""

    low: float
    high: float
    points: int
    failed: int
    worst: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All that was found of one claim."""

    stated: Place | None = None
    smallest: Place | None = None
    worst: Place | None = None
    map: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    looked: int | None = None
    failed: int | None = None
    uncomputed: int = 0

    @property
    def material(self) -> bool | None:
        """Whether the claim fails at its own parameters; None where nobody looked there."""
        return None if self.stated is None else self.stated.exceeded


def findings(item: Mapping[str, Any]) -> Findings:
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


def _plain(item: Mapping[str, Any]) -> Findings:
    """Of a record without a search: what its leading evidence says, at the claim's own parameters unless it is said."""
    found = Place(
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


def _place(item: Mapping[str, Any], seen: Mapping[str, Any] | None) -> Place | None:
    if not seen:
        return None
    ratio = _float(seen["ratio"])
    known = set(item["space"].get("parameters") or {})
    return Place(
        ratio=ratio,
        value=_number(seen.get("value", seen.get("truth"))),
        claimed=_number(seen.get("claimed", seen.get("printed"))),
        # What a subject is built with to take data of a size says no more than the size.
        parameters={name: value for name, value in (seen.get("parameters") or {}).items() if name in known},
        size=seen.get("size"),
        measure=str(seen.get("measure", "")),
        exceeded=bool(seen.get("exceeded", ratio > 1 + TINY)),
        proved=bool(seen.get("proved")),
    )


TINY = 1e-10
"""Relative: what lemmas allow printed numbers for the rounding of doubles."""


def _parts(parts: Any) -> Iterator[Part]:
    for part in parts:
        worst = None if part["worst"] is None else _float(part["worst"])
        yield Part(low=part["from"], high=part["to"], points=part["points"], failed=part["failed"], worst=worst)


def _float(value: Any) -> float:
    found = _number(value)
    return math.nan if found is None else found


def _number(value: Any) -> float | None:
    """A number of a record, where infinities are strings; None for what is no number."""
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        return None
