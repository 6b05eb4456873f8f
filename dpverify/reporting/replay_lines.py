"""A grey-box result in words: the limits of the replay, and the basis of its evidence.

Reads a replay's statistics in a record (``hidden_coin``, ``compared``); other rows have no lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.core.record import Record
from dpverify.reporting.formatting import count
from dpverify.reporting.labelled_lines import labelled


def evidence_basis(item: Record) -> str:
    """The runs in which evidence was counted, or that a replay of a callable counted nothing; else empty."""
    statistics: Mapping[str, Any] = item["evidence"][0]["statistics"] if item["evidence"] else {}
    if not {"compared", "hidden_coin"} <= statistics.keys():
        return ""
    if item["trials"]:
        return f"counted in {count(item['trials'])} fresh runs a side"
    return "by record and replay, without a proof" if "assumed" in statistics else ""


def replay_lines(item: Record) -> list[str]:
    """Lines of at most 79 columns for a record whose leading evidence is a replay; none for others."""
    statistics: Mapping[str, Any] = item["evidence"][0]["statistics"] if item["evidence"] else {}
    if not {"compared", "hidden_coin"} <= statistics.keys():
        return []
    coin = statistics["hidden_coin"]
    return [
        *labelled("hidden", f"{coin}: what is released after it was not examined" if coin else ""),
        *labelled("unseen", statistics.get("unseen", "")),
        *labelled("plain", statistics.get("plain_numbers", "")),
        *labelled("no proof", statistics.get("no_proof", "")),
        *labelled("assumed", statistics.get("assumed", "")),
    ]
