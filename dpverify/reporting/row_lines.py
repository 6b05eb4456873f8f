"""One row at length, whatever was looked for: a lemma's lines, or those of an exact search, and the witness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.reporting.labelled import labelled
from dpverify.reporting.lemma_lines import lemma_lines
from dpverify.reporting.search_lines import search_lines
from dpverify.reporting.transcript_lines import transcript_lines

LONGEST = 400
"""Characters of a witness written out; a longer one is named, and stands in the JSON record."""


def row_lines(item: Mapping[str, Any]) -> list[str]:
    """Lines of at most 79 columns; none for a row that has neither a search nor a witness."""
    return lemma_lines(item) or [
        *search_lines(item),
        *transcript_lines(item),
        *labelled("witness", _witness(item["witness"] or {})),
    ]


def found_lines(item: Mapping[str, Any]) -> list[str]:
    """The same without the witness, for reports that have a place for it."""
    return lemma_lines(item) or search_lines(item) or transcript_lines(item)


def _witness(witness: Mapping[str, Any]) -> str:
    text = str(dict(witness)) if witness else ""
    if len(text) <= LONGEST:
        return text
    short = [str(witness[name]) for name in ("pair", "direction") if name in witness]
    return f"{', '.join(short)}{': ' if short else ''}{len(text)} characters, whole with --format json"
