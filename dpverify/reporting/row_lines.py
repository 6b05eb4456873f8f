"""One row at length, whatever was looked for: what a search or an audit of transcripts found, and the witness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.reporting.finding_lines import finding_lines
from dpverify.reporting.labelled_lines import labelled
from dpverify.reporting.replay_lines import replay_lines
from dpverify.reporting.transcript_lines import transcript_lines

LONGEST = 400
"""Characters of a witness written out; a longer one is named, and stands in the JSON record."""


def row_lines(item: Mapping[str, Any]) -> list[str]:
    """Lines of at most 79 columns; none for a row that has neither a search nor a witness."""
    return [*found_lines(item), *labelled("witness", _witness(item["witness"] or {}))]


def found_lines(item: Mapping[str, Any]) -> list[str]:
    """The same without the witness, for reports that have a place for it."""
    return finding_lines(item) or transcript_lines(item) or replay_lines(item)


def _witness(witness: Mapping[str, Any]) -> str:
    """In words; empty where the numbers of a lemma are all there is: they are its worst point."""
    if set(witness) <= {"parameters", "printed", "truth", "ratio"}:
        return ""
    text = str(dict(witness))
    if len(text) <= LONGEST:
        return text
    short = [str(witness[name]) for name in ("pair", "direction") if name in witness]
    return f"{', '.join(short)}{': ' if short else ''}{len(text)} characters, whole with --format json"
