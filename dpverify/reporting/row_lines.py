"""One row at length, whatever was looked for: what a search or an audit of transcripts found, and the witness."""

from __future__ import annotations

from dpverify.core.record import Record
from dpverify.reporting.finding_lines import finding_lines
from dpverify.reporting.replay_lines import replay_lines
from dpverify.reporting.transcript_lines import transcript_lines
from dpverify.reporting.witness_lines import witness_lines


def row_lines(item: Record) -> list[str]:
    """Lines of at most 79 columns; none for a row without a search and a witness."""
    witness, found = item["witness"] or {}, finding_lines(item)
    return [*found_lines(item), *witness_lines(witness, witness.get("parameters") if found else None)]


def found_lines(item: Record) -> list[str]:
    """The lines without the witness, for reports that show it elsewhere."""
    return finding_lines(item) or transcript_lines(item) or replay_lines(item)
