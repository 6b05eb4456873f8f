"""A sequential row in words: the e-value against the claim, why betting stopped, and what earlier nights brought.

Reads the statistics that a sequential audit leaves in a record; rows without them have no lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.reporting.formatting import number
from dpverify.reporting.labelled_lines import labelled

STOPS = {
    "refuted": "the claim fell",
    "power": "what is worth finding would most likely have been found, were it at the event that was bet on",
    "trials": "the trials were spent",
    "total": "the draws of the whole run were spent",
    "repeats": "its draws came back",
    "cut": "the run was cut",
}


def sequential_lines(item: Mapping[str, Any]) -> list[str]:
    """Lines of at most 79 columns for a record whose leading evidence bets; none for any other."""
    statistics = item["evidence"][0]["statistics"] if item["evidence"] else {}
    if not {"e_value", "e_value_largest", "e_value_here", "stop", "pairs", "pairs_bet"} <= statistics.keys():
        return []
    least = f", {number(1.0 / statistics['alpha'])} refutes" if statistics.get("alpha") else ""
    return [
        *labelled(
            "e-value",
            f"{number(statistics['e_value_largest'])} at its highest, {number(statistics['e_value'])} last{least}",
        ),
        *labelled("stopped", f"{STOPS.get(statistics['stop'], 'before its end')}, after {statistics['pairs']} pairs"),
        *labelled("nights", _nights(statistics)),
    ]


def _nights(statistics: Mapping[str, Any]) -> str:
    """What was pooled; empty where this night stands alone."""
    nights, own = statistics.get("nights"), statistics["e_value_here"]
    if nights == 1 or (nights is None and own == statistics["e_value"]):
        return ""
    many = "several" if nights is None else str(nights)
    told = f"{many} pooled, {statistics['pairs_bet']} pairs bet in all; this night's own e-value is {number(own)}"
    if own >= 1.0 or statistics["stop"] in ("refuted", "power"):
        return told
    return f"{told}. Each night learns its event anew: one longer night finds more than many short ones"
