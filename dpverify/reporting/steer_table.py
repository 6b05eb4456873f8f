"""The table of a steered run: draws and e-value of each claim, and why it stopped.

It follows the run's main table. It reads the statistics of steered audits in records; records without them have no
line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dpverify.core.printable import all_visible
from dpverify.reporting.formatting import count, number
from dpverify.reporting.sequential_lines import STOPS

LEGEND = (
    "Draws: pairs, one a side, of all pairs of data sets. E-value: at its end and at its highest, against the claim; "
    "from {least} on it refutes, whatever the steering."
)


def steer_table(records: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print a line for each steered claim; nothing without any."""
    told = [(item, each) for item in all_visible(records) if (each := _steered(item))]
    if not told:
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("steered", overflow="fold", ratio=1)
    for name in ("draws", "parts", "e-value", "highest"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("stopped as", overflow="fold", ratio=1)
    for item, said in told:
        cells = [count(said["pairs"]), str(len(said["instalments"])), number(said["e_value"], 3)]
        cells += [number(said["e_value_largest"], 3), STOPS.get(said["stop"], "it failed")]
        table.add_row(*map(Text, [item["id"], *cells]))
    console.print()
    console.print(table)
    spent = sum(said["pairs"] for _, said in told)
    least = " or ".join(sorted({number(1.0 / said["alpha"]) for _, said in told}))
    console.print(Text(f"\n{LEGEND.format(least=least)} In all {count(spent)} draws.\n"))


def _steered(item: Mapping[str, Any]) -> Mapping[str, Any]:
    for part in item["evidence"]:
        if {"instalments", "e_value", "e_value_largest", "stop", "pairs", "alpha"} <= part["statistics"].keys():
            found: Mapping[str, Any] = part["statistics"]
            return found
    return {}
