"""The table of claims that were not refuted: how close the bound is to the claim, and what was detectable.

It follows a run's main table, because "not refuted" means little without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from dpverify.core.record import Record
from dpverify.reporting.formatting import detectable_assumption, number, part_of_claim, sampled
from dpverify.reporting.name_table import name_table

LEGEND = (
    "Reached: bound over claim. Detectable: the smallest true value that these draws refute with 80 % power, if "
    "all of the violation shows at the tested event (*: by an exact method, at the points visited; ∞: no "
    "value there). Rarest: the smallest probability of an event, impossible on the other side, that these draws "
    "detect. Ceiling: the largest bound that so many draws can give."
)


def audit_limits(item: Record) -> list[str]:
    """The limits of an audit that did not refute its claim, from its record.

    Returns
    -------
    list of str
        Reached, over claimed; the smallest true value that would have been refuted with 80 % power (for a search by an
        exact method: at the points that it visited); the rarest leak that could be seen; the largest value that so many
        draws could certify.
    """
    rarest = number(item.get("rarest"), 2)
    return [number(part_of_claim(item), 2), _least(item), rarest, number(_part(item).get("ceiling"), 3)]


def assumptions(records: Sequence[Record]) -> list[str]:
    """The assumptions of marked values in `audit_limits`, a line each."""
    found = {detectable_assumption(item) for item in records if item["verdict"] == "not_refuted"}
    return [f"†: {assumed}." for assumed in sorted(found - {""})]


def limits_table(records: Sequence[Record], console: Console) -> None:
    """A line for each claim that is not refuted, measure and claimed value before `audit_limits`; else nothing."""
    rows = [item for item in records if item["verdict"] == "not_refuted"]
    if not rows:
        return
    told = []
    for item in rows:
        cells = [item["id"], item["measure"], number(item["claimed"], 3), *audit_limits(item)]
        told.append([*map(Text, cells)])
    console.print()
    heads = ("not refuted", "measure", "claimed", "reached", "detectable", "rarest", "ceiling")
    name_table(heads, told, console)
    console.print()
    for line in [LEGEND, *assumptions(rows)]:
        console.print(Text(f"{line}\n"))


def _part(item: Record) -> Mapping[str, Any]:
    """The sampled evidence, if there is any, since an exact method has no ceiling."""
    return sampled(item) or item


def _least(item: Record) -> str:
    if item.get("detectable") is None:
        return number(_part(item).get("detectable"), 3)
    mark = "*" if item.get("confidence") is None else "†" if detectable_assumption(item) else ""
    return number(item["detectable"], 3) + mark
