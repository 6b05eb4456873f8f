"""The table of a steered run: draws and e-value of each claim, and why it stopped.

It follows the run's main table. It reads the statistics of steered audits in records; records without them have no
line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from dpverify.reporting.for_people import for_people
from dpverify.reporting.formatting import count, number
from dpverify.reporting.name_table import name_table

LEGEND = (
    "Draws: pairs, one a side, of all pairs of data sets. E-value: at its end and at its highest, against the claim; "
    "from {least} on it refutes, whatever the steering. Power reached: the value to detect would have been detected "
    "with 80 % power, had it shown at the event that was bet on."
)

ENDS = {
    "refuted": "refuted",
    "power": "power reached",
    "trials": "its draws spent",
    "total": "all draws spent",
    "repeats": "draws repeated",
    "cut": "cut",
}
"""Why a claim's audit stopped, in two words; `dpverify.reporting.sequential_lines` has the sentences."""


def steer_table(records: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print a line for each steered claim; nothing without any."""
    told = [(item, each) for item in map(for_people, records) if (each := _steered(item))]
    if not told:
        return
    rows = []
    for item, said in told:
        cells = [count(said["pairs"]), str(len(said["instalments"])), number(said["e_value"], 3)]
        cells += [number(said["e_value_largest"], 3), ENDS.get(said["stop"], "failed")]
        rows.append([*map(Text, [item["id"], *cells])])
    console.print()
    heads = ("steered", "draws", "parts", "e-value", "highest", "stopped")
    name_table(heads, rows, console, words=("stopped",))
    spent = sum(said["pairs"] for _, said in told)
    least = " or ".join(sorted({number(1.0 / said["alpha"]) for _, said in told}))
    console.print(Text(f"\n{LEGEND.format(least=least)} In all {count(spent)} draws.\n"))


def _steered(item: Mapping[str, Any]) -> Mapping[str, Any]:
    for part in item["evidence"]:
        if {"instalments", "e_value", "e_value_largest", "stop", "pairs", "alpha"} <= part["statistics"].keys():
            found: Mapping[str, Any] = part["statistics"]
            return found
    return {}
