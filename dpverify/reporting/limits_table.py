"""How the claims that were not refuted were looked at: how close the audit came, and what it would have caught.

A second table below a run's own, because "not refuted" says nothing without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dpverify.reporting.formatting import number, rests_on, sampled, share

LEGEND = (
    "Reached: bound over claim. Would catch: the smallest true value refuted with 80 % power by these draws at "
    "the event chosen, if the violation shows there whole (*: by an exact method, at the points visited; ∞: no "
    "value there). Rarest: the least probability of an event, impossible on the other side, that these draws would "
    "have seen as the event chosen. Ceiling: no bound could be larger."
)


def looked(item: Mapping[str, Any]) -> list[str]:
    """What the record of a claim that was not refuted says of the audit.

    Returns
    -------
    list of str
        Reached, over claimed; the smallest true value that would have been refuted with 80 % power (for a search by an
        exact method: at the points that it visited); the rarest leak that could be seen; the largest value that so many
        draws could certify.
    """
    rarest = number(item.get("rarest"), 2)
    return [number(share(item), 2), _least(item), rarest, number(_part(item).get("ceiling"), 3)]


def assumptions(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the marked values in `looked` rest on, a line each."""
    found = {rests_on(item) for item in records if item["verdict"] == "not_refuted"}
    return [f"†: {assumed}." for assumed in sorted(found - {""})]


def limits_table(records: Sequence[Mapping[str, Any]], console: Console) -> None:
    """A line for each claim that is not refuted, measure and claimed value before `looked`; else nothing."""
    rows = [item for item in records if item["verdict"] == "not_refuted"]
    if not rows:
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("not refuted", overflow="fold", ratio=1)
    for name in ("measure", "claimed", "reached", "would catch", "rarest", "ceiling"):
        table.add_column(name, justify="right", no_wrap=True)
    for item in rows:
        cells = [item["id"], item["measure"], number(item["claimed"], 3), *looked(item)]
        table.add_row(*map(Text, cells))
    console.print()
    console.print(table)
    console.print()
    for line in [LEGEND, *assumptions(rows)]:
        console.print(Text(f"{line}\n"))


def _part(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The sampled evidence where there is some: an exact method has no ceiling."""
    return sampled(item) or item


def _least(item: Mapping[str, Any]) -> str:
    if item.get("detectable") is None:
        return number(_part(item).get("detectable"), 3)
    mark = "*" if item.get("confidence") is None else "†" if rests_on(item) else ""
    return number(item["detectable"], 3) + mark
