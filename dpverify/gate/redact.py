"""Keeps the user's own records out of results: a witness made of them is named, and not shown."""

from __future__ import annotations

from dataclasses import replace

from dpverify.gate.neighbourhood import Neighbourhood
from dpverify.runner.row import Row

REDACTED = "records of the example are not shown (show_records)"


def redacted(row: Row, place: Neighbourhood) -> Row:
    """The row, without the pair where it holds records of the example."""
    evidence = tuple(
        replace(each, witness={**each.witness, "d0": REDACTED, "d1": REDACTED})
        if place.shows_records(str(each.witness.get("pair", "")))
        else each
        for each in row.verdict.evidence
    )
    return replace(row, verdict=replace(row.verdict, evidence=evidence))
