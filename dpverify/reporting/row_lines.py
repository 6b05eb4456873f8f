"""One row at length, whatever was looked for: what a search or an audit of transcripts found, and the witness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpverify.core.record import Record
from dpverify.reporting.finding_lines import finding_lines
from dpverify.reporting.labelled_lines import labelled, value_text
from dpverify.reporting.replay_lines import replay_lines
from dpverify.reporting.transcript_lines import transcript_lines
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

    Parameters
    ----------
    witness : mapping
        Of a record.
    parameters : mapping or None
        The point that the row's other lines show.
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
