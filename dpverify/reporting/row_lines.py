"""One row at length, whatever was looked for: what a search or an audit of transcripts found, and the witness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.reporting.finding_lines import finding_lines
from dpverify.reporting.labelled_lines import labelled
from dpverify.reporting.replay_lines import replay_lines
from dpverify.reporting.transcript_lines import transcript_lines

LONGEST = 400
"""Most characters of a witness; a longer one is only in the JSON record."""


def row_lines(item: Mapping[str, Any]) -> list[str]:
    """Lines of at most 79 columns; none for a row without a search and a witness."""
    return [*found_lines(item), *labelled("witness", _witness(item["witness"] or {}))]


def found_lines(item: Mapping[str, Any]) -> list[str]:
    """The lines without the witness, for reports that show it elsewhere."""
    return finding_lines(item) or transcript_lines(item) or replay_lines(item)


def _witness(witness: Mapping[str, Any]) -> str:
    """The witness as text; empty for a lemma, whose worst point already has the numbers."""
    if set(witness) <= {"parameters", "printed", "truth", "ratio"}:
        return ""
    text = str(dict(witness))
    if len(text) <= LONGEST:
        return text
    short = [str(witness[name]) for name in ("pair", "direction") if name in witness]
    return f"{', '.join(short)}{': ' if short else ''}{len(text)} characters, whole with --format json"
