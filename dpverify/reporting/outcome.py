"""The meaning of a record for a build: as expected, unexpected, or not decided; with summary line and details.

The same classification as in :class:`dpverify.runner.row.Row` (surprises first, then incomplete rows), for writers,
which have records only.
"""

from __future__ import annotations

from typing import Literal

from dpverify.core.record import Record
from dpverify.reporting.again import again
from dpverify.reporting.formatting import (
    bound_text,
    confidence_text,
    count,
    draws,
    limits,
    number,
    short_json,
    verdict_words,
    witness_parameter,
)
from dpverify.reporting.row_lines import found_lines
from dpverify.reporting.row_notes import row_notes

Outcome = Literal["expected", "surprise", "incomplete", "unsupported", "undecided"]


def outcome(item: Record) -> Outcome:
    """Compare a record with the expectation.

    Returns
    -------
    str
        ``surprise``: a claim that should stand is refuted, or a known-broken one was missed. ``incomplete``: an error,
        or nothing decided where something was expected. ``undecided``: the same where nothing was. ``unsupported``: no
        auditor could look. ``expected``: any other verdict.
    """
    verdict = item["verdict"]
    if verdict == "unsupported":
        return "unsupported"
    if verdict == "error":
        return "incomplete"
    if verdict == "inconclusive":
        return "undecided" if item.get("expectation") is None else "incomplete"
    return "surprise" if item.get("surprise") else "expected"


def unexpected(item: Record) -> bool:
    """Tell whether the row is a surprise, or not decided though something was expected: it stands first in reports."""
    return outcome(item) in ("surprise", "incomplete")


def headline(item: Record) -> str:
    """One line: the fault of the row, or the measured value."""
    found = outcome(item)
    if found in ("expected", "surprise"):
        told = measured(item) if item["method"] else ""
    else:
        told = item["reason"] or "nothing was decided"
    first = (item["surprise"] or "") if found == "surprise" else verdict_words(item)
    return " ".join(f"{first}: {told}".split() if told else first.split())


def measured(item: Record) -> str:
    """``epsilon ≥ 0.98, claimed 1 (confidence 1 - 1e-05, by event)``."""
    claimed = f"{number(item['claimed'])}{witness_parameter(item)}"
    return f"{item['measure']} {bound_text(item)}, claimed {claimed} ({confidence_text(item)}, by {item['method']})"


def details(item: Record) -> list[str]:
    """Details of a row, one item on each unwrapped line; the last is the command, to be copied as it is."""
    told = {
        "claim": f"{item['guarantee']} of {item['subject']} under {item['relation']}",
        "says": item.get("statement") or "",
        "source": item["source"],
        "measured": measured(item) if item["method"] else "",
        "trials": f"{count(draws(item))} a side" if draws(item) else "",
        "limits": limits(item),
        "note": item["reason"],
        "witness": short_json(item["witness"]) if item["witness"] else "",
    }
    return [
        *(f"{name:<9} {text}" for name, text in told.items() if text),
        *(line.removeprefix("  ") for line in found_lines(item)),
        *(f"{label:<9} {text}" for label, text in row_notes(item)),
        *(f"{'again':<9} {each.command}" for each in reversed(again(item))),
    ]
