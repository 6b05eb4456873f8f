"""How the claims that were not refuted were looked at: how close the audit came, and what it would have caught.

A second table below a run's own, because "not refuted" says nothing without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from dpverify.reporting.words import number, rests_on, sampled


def limits_table(records: Sequence[Mapping[str, Any]], console: Console) -> None:
    """A line for each claim that is not refuted; nothing where there is none.

    Columns: claimed; reached, over claimed; the smallest true value that would have been refuted with 80 % power (for a
    search by an exact method: at the points that it visited); the largest value that so many draws could certify.
    """
    rows = [item for item in records if item["verdict"] == "not_refuted"]
    if not rows:
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("not refuted", overflow="fold", ratio=1)
    for name in ("measure", "claimed", "reached", "would catch", "ceiling"):
        table.add_column(name, justify="right", no_wrap=True)
    for item in rows:
        table.add_row(
            item["id"],
            item["measure"],
            number(item["claimed"], 3),
            number(item["tightness"], 2),
            _least(item),
            number(_part(item).get("ceiling"), 3),
        )
    console.print()
    console.print(table)
    console.print(
        "\nReached: bound over claim. Would catch: the smallest true value refuted with 80 % power by these draws at "
        "the event chosen (*: by an exact method, at the points visited; ∞: no value there). Ceiling: no bound could "
        "be larger.\n",
        highlight=False,
    )
    for assumed in sorted({rests_on(item) for item in rows} - {""}):
        console.print(f"†: {assumed}.\n", highlight=False, markup=False)


def _part(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The sampled evidence where there is some: an exact method has no ceiling."""
    return sampled(item) or item


def _least(item: Mapping[str, Any]) -> str:
    if item.get("detectable") is None:
        return number(_part(item).get("detectable"), 3)
    mark = "*" if item.get("confidence") is None else "†" if rests_on(item) else ""
    return number(item["detectable"], 3) + mark
