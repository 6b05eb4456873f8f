"""A white-box row in words: the assumption-free bound, and the bound within a family of mechanisms.

Reads the statistics of a transcript audit in a record (``assumption_free``, ``family``); rows without them have no
lines. Every number that assumes the family has the family's label.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.core.record import Record
from dpverify.reporting.formatting import number, number_down
from dpverify.reporting.labelled_lines import labelled


def transcript_lines(item: Record) -> list[str]:
    """Lines for a record whose leading evidence is such an audit; none for others."""
    statistics = _statistics(item)
    if not statistics:
        return []
    free, family = statistics["assumption_free"], statistics["family"]
    exact = family["claimed_epsilon"][1]
    return [
        *labelled("epsilon", f"{_against(free['epsilon'], exact)} at delta {free['delta']:g}: {free['label']}"),
        *labelled("family", _family(family, exact)),
        *labelled("power", _detectable(family)),
        *labelled("events", "; ".join(_event(event) for event in free["events"])),
        *labelled("planned", f"from {statistics['basis']}"),
    ]


def within_family(item: Record) -> str:
    """The bound within the family, with its label; empty for other audits."""
    statistics = _statistics(item)
    return _family(statistics["family"], statistics["family"]["claimed_epsilon"][1]) if statistics else ""


def _statistics(item: Record) -> Mapping[str, Any]:
    """The statistics of a transcript audit; empty where another audit leads."""
    statistics: Mapping[str, Any] = item["evidence"][0]["statistics"] if item["evidence"] else {}
    return statistics if {"assumption_free", "family"} <= statistics.keys() else {}


def _against(bound: float, exact: float) -> str:
    part = f" ({bound / exact:.0%} of the claim's {number(exact, 5)})" if exact else ""
    return f">= {number_down(bound, 5)}{part}"


def _family(family: Mapping[str, Any], exact: float) -> str:
    if family["refuted_sigma"] is None:
        return f"no member refuted, {family['label']}"
    return (
        f"{_against(family['epsilon'], exact)} at delta {family['delta']:g}, {family['label']}: every sigma from "
        f"{number(family['refuted_sigma'], 5)} on is refuted, {number(family['claimed_sigma'], 5)} is claimed"
    )


def _detectable(family: Mapping[str, Any]) -> str:
    if family["detectable_sigma"] is None:
        return ""
    return (
        f"80 % to see, {family['label']}: sigma = {number(family['detectable_sigma'], 5)}, "
        f"which is epsilon = {number(family['detectable_epsilon'], 5)}"
    )


def _event(event: Mapping[str, Any]) -> str:
    made = event["event"]
    side = ">" if made["above"] else "<"
    return (
        f"{made['score']['kind']} {side} {number(made['threshold'], 5)} in {event['k1']} and {event['k2']} of "
        f"{event['n1']} ({event['direction']})"
    )
