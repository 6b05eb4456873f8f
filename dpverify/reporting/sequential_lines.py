"""A sequential row in words: the e-value against the claim, why the audit stopped, and the earlier sessions.

Reads the statistics of a sequential audit in a record; rows without them have no lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.core.record import Record
from dpverify.reporting.formatting import number
from dpverify.reporting.labelled_lines import labelled

STOPS = {
    "refuted": "the claim was refuted",
    "power": "the value to detect would have been detected with 80 % power, had it shown at the event that was bet on",
    "trials": "the trials were spent",
    "total": "the draws of the whole run were spent",
    "repeats": "its draws were those of an earlier instalment",
    "cut": "the run was cut",
}


def sequential_lines(item: Record) -> list[str]:
    """Lines of at most 79 columns for a record whose leading evidence is sequential; none for others."""
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
        *labelled("sessions", _sessions(statistics)),
    ]


def _sessions(statistics: Mapping[str, Any]) -> str:
    """A text on pooled sessions; empty for a single session."""
    sessions, own = statistics.get("sessions", statistics.get("nights")), statistics["e_value_here"]
    if sessions == 1 or (sessions is None and own == statistics["e_value"]):
        return ""
    many = "several" if sessions is None else str(sessions)
    told = f"{many} pooled, {statistics['pairs_bet']} pairs bet in all; this session's own e-value is {number(own)}"
    if own >= 1.0 or statistics["stop"] in ("refuted", "power"):
        return told
    return f"{told}. Each session learns its event anew: one longer session finds more than many short ones"
