"""A search's result from any auditor's record, in words: the ratio at the stated parameters, the witnesses, and the
map.

Auditors write these as ``own``, ``smallest`` (the simplest witness), ``worst``, ``map``, ``looked`` (or
``evaluations``), ``failed`` and ``uncomputed`` to their statistics. An auditor that searches no parameters writes none:
its measured value is that of the stated parameters, and the worst. Ratios are computed value divided by claimed value;
above one the claim fails. They are lower bounds on the largest ratio: in a part of the map without failures none was
found.

Lines of a single auditor follow: the sizes of an exact search, and the description of a lemma. Plain text of at most
`WIDTH` columns, including an indent of two.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpverify.core.record import Record
from dpverify.reporting.formatting import number, number_down, witness_parameter
from dpverify.reporting.labelled_lines import HANG, WIDTH, labelled, pairs, value_text


@dataclass(frozen=True, slots=True, kw_only=True)
class PointResult:
    """The result at one point."""

    ratio: float
    """Computed value divided by the claimed one."""
    value: float | None = None
    claimed: float | None = None
    """`value`, `claimed`: the two values."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The searched parameters of the point."""
    size: int | None = None
    """Of the data sets."""
    measure: str = ""
    """The measure, if a claim has several."""
    exceeded: bool = False
    """Whether the claim fails at the point."""
    proved: bool = False
    """Whether the failure (or the value) is proved."""


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


FAILED, HELD, UNSEEN = "#", ".", " "
"""Signs of a map: in this part of the range some point failed, none failed, or none was evaluated."""


def finding_lines(item: Record) -> list[str]:
    """Lines for a record whose leading evidence is a search; none for others."""
    statistics = item["evidence"][0]["statistics"] if item["evidence"] else {}
    if not {"own", "worst", "map"} <= statistics.keys():
        return []
    found = findings(item)
    fixed = {name: value for name, value in item["parameters"].items() if name not in _boxes(item)}
    below = statistics.get("largest_ratio_below")
    rest = "" if below is None else f"; nothing smaller was seen to fail (largest ratio {number(below)})"
    return [
        *labelled("fixed", pairs(fixed)),
        *labelled("stated", place_text(found.stated)),
        *labelled("smallest", f"{place_text(found.smallest)}{rest}" if found.smallest else ""),
        *labelled("worst", f"{place_text(found.worst)}{_beside(found, statistics)}" if _elsewhere(item) else ""),
        *labelled("claimed", _claimed(item)),
        *labelled("looked", _looked(found)),
        *_map(found),
        *_by_size(item, statistics.get("by_size") or ()),
        *(line for name, value in statistics.get("described", {}).items() for line in _described(name, value)),
    ]


def place_text(place: PointResult | None) -> str:
    """Text such as ``holds, ratio 0.71 (claimed 0.57, found 0.407) at epsilon = 0.57``; empty for None."""
    if place is None:
        return ""
    sides = f"claimed {number(place.claimed, 5)}, found {number_down(place.value, 5)}"
    measured = f"{place.measure}: " if place.measure else ""
    where = pairs({**({"size": place.size} if place.size is not None else {}), **place.parameters})
    sure = ", proved" if place.proved and place.exceeded else ""
    told = f"{'FAILS' if place.exceeded else 'holds'}, ratio {number(place.ratio)} ({measured}{sides}{sure})"
    return f"{told} at {where}" if where else told


def bar(parts: Sequence[RangePart]) -> str:
    """A sign for each part of a map."""
    return "".join(FAILED if part.failed else HELD if part.points else UNSEEN for part in parts)


def ranges(parts: Sequence[RangePart]) -> Iterator[str]:
    """Neighbouring parts of a range in which some point failed, joined."""
    start = None
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        if part.failed and start is None:
            start = part.low
        if part.failed and (after is None or not after.failed):
            yield f"[{number(start)}, {number(part.high)}]" if start != part.high else number(start)
            start = None


def _boxes(item: Record) -> Mapping[str, Any]:
    return item["space"].get("parameters") or {}


def _elsewhere(item: Record) -> bool:
    """Tell whether the search covered more than the claim's stated parameters and size."""
    return bool(_boxes(item) or item["space"].get("sizes"))


def _beside(found: Findings, statistics: Mapping[str, Any]) -> str:
    """The largest ratio of the search, if the worst proved one is different."""
    seen = statistics.get("best_ratio")
    if seen is None or found.worst is None or number(seen) == number(found.worst.ratio):
        return ""
    return f"; the search saw {number(seen)}, estimated"


def _looked(found: Findings) -> str:
    if found.looked is None:
        return ""
    beyond = f"; {found.uncomputed} more could not be computed" if found.uncomputed else ""
    return f"at {found.looked} points; the claim failed at {found.failed or 'none'}{beyond}"


def _map(found: Findings) -> list[str]:
    """A line for each parameter, and the legend of the signs."""
    shown = {name: parts for name, parts in found.map.items() if parts}
    if not shown or not found.failed:
        return []
    wide = max(map(len, shown))
    lines = []
    for name, parts in shown.items():
        text = f"{name.ljust(wide)}  {number(parts[0].low)} |{bar(parts)}| {number(parts[-1].high)}"
        fails = ", ".join(ranges(parts))
        lines.append((text, f"fails in {fails}" if fails else ""))
    legend = f"({FAILED} some point failed, {HELD} none did, blank: not examined)"
    first = [line for place, (text, fails) in enumerate(lines) for line in _hung("" if place else "map", text, fails)]
    return [*first, *_hung("", legend)]


def _hung(label: str, text: str, fails: str = "") -> list[str]:
    """Like `labelled`, but keeps the blanks of a map."""
    whole = f"{text}  {fails}" if fails else text
    if len(HANG) + len(whole) <= WIDTH:
        return [f"  {label:<9} {whole}"]
    return [f"  {label:<9} {text}", *labelled("", fails)]


def _claimed(item: Record) -> str:
    at = witness_parameter(item)
    if not at:
        return ""
    name = item["space"]["proportional"]
    return (
        f"{number(item['claimed'], 5)} is what the claim says{at}, the witness's; it is proportional to {name}, and "
        f"the guarantee is written at the claim's own {name} = {value_text(item['parameters'].get(name))}"
    )


def _by_size(item: Record, seen: Sequence[Mapping[str, Any]]) -> list[str]:
    if len(seen) < 2:
        return []
    rows = []
    for each in seen:
        place = pairs({name: value for name, value in each["parameters"].items() if name in _boxes(item)})
        outcome = "exceeded" if each["exceeded"] else "not exceeded"
        rows.append([str(each["size"]), number(each["ratio"]), each["measure"], place, outcome])
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    columns = (
        "  ".join(cell.ljust(width) if place > 1 else cell.rjust(width) for place, (cell, width) in cells).rstrip()
        for cells in (list(enumerate(zip(row, widths, strict=True))) for row in rows)
    )
    return [*labelled("by size", "largest ratio found at each, estimated:"), *(HANG + line for line in columns)]


def _described(name: str, value: Any) -> list[str]:
    """A number, a mapping, or a list of mappings as a table (as lines where it is too wide)."""
    if isinstance(value, Mapping):
        return labelled("beside", f"{name}: {pairs(value)}")
    if not isinstance(value, Sequence) or isinstance(value, str) or not value or not isinstance(value[0], Mapping):
        return labelled("beside", f"{name}: {value_text(value)}")
    heads = list(value[0])
    rows = [heads, *([value_text(row.get(head)) for head in heads] for row in value)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    if sum(widths) + 2 * len(widths) + len(HANG) > WIDTH:
        return [
            *labelled("beside", f"{name}:"),
            *(line for row in value for line in labelled("", f"- {pairs(row)}")),
        ]
    table = (HANG + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return [*labelled("beside", f"{name}:"), *table]
