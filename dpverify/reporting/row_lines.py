"""One row at length, whatever was looked for: what a search or an audit of transcripts found, and the witness.

A grey-box row (``hidden_coin``, ``compared`` in a record's statistics) tells the limits of the replay, and the basis of
its evidence. A white-box row (``assumption_free``, ``family``) tells the assumption-free bound, and the bound within a
family of mechanisms: every number that assumes the family has the family's label.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpverify.core.record import Record
from dpverify.reporting.findings import finding_lines
from dpverify.reporting.formatting import count, number, number_down
from dpverify.reporting.labelled_lines import labelled, value_text
from dpverify.reporting.witness_text import dataset_text


def row_lines(item: Record) -> list[str]:
    """Lines of at most 79 columns; none for a row without a search and a witness."""
    witness, found = item["witness"] or {}, finding_lines(item)
    return [*found_lines(item), *witness_lines(witness, witness.get("parameters") if found else None)]


def found_lines(item: Record) -> list[str]:
    """The lines without the witness, for reports that show it elsewhere."""
    return finding_lines(item) or transcript_lines(item) or replay_lines(item)


LONGEST = 300
"""Most characters of one value; the JSON record has the whole."""

ENDS = 3
"""Of a list of more than twice so many values this many stand at its beginning."""

SHOWN = frozenset({"event", "labels", "refutes", "printed", "truth", "ratio"})
"""Names of a witness that other lines of a row show already."""

PAIR = frozenset({"pair", "d0", "d1"})


def witness_lines(witness: Mapping[str, Any], parameters: Mapping[str, Any] | None = None) -> list[str]:
    """Lines of at most 79 columns; none where all stands elsewhere.

    `witness`: of a record. `parameters`: the point that the row's other lines show.
    """
    shown = set(SHOWN)
    if witness.get("pair"):
        shown |= PAIR
    if not witness.get("parameters") or witness["parameters"] == parameters:
        shown.add("parameters")
    lines = [line for name, value in witness.items() if name not in shown for line in _entry(name, value)]
    return [line for number, text in enumerate(lines) for line in labelled("" if number else "witness", text)]


def _entry(name: str, value: Any) -> Iterator[str]:
    """``name: value``; a data set as everywhere, a mapping with a line for each of its names."""
    if name in ("d0", "d1"):
        yield f"{name}: {dataset_text(value)}"
    elif isinstance(value, Mapping) and value:
        for inner, part in value.items():
            yield f"{name}, {inner}: {_text(part)}"
    else:
        yield f"{name}: {_text(value)}"


def _text(value: Any) -> str:
    text = value_text(_shortened(value))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _shortened(value: Any) -> Any:
    """Lists of many values by their first ones and their number; a mapping as text."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_text(part)}" for name, part in value.items())
    if isinstance(value, str) or not isinstance(value, Sequence):
        return value
    kept = [_shortened(each) for each in value[:ENDS]] if len(value) > 2 * ENDS else [*map(_shortened, value)]
    return [*kept, f"... ({len(value)} in all)"] if len(value) > 2 * ENDS else kept


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
