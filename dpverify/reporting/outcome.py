"""The meaning of a record for a build: as expected, unexpected, or not decided; with summary line and details.

The same classification as in :class:`dpverify.runner.row.Row` (surprises first, then incomplete rows), for writers,
which have records only.

For who has not the example data set there is a command that repeats an audit on the pair that it ended with. The pair
is made up (a pair with records of the example is redacted in a record), so it can be printed, and the command works as
it stands. Its draws are others than those of the audit, which searched before.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from dpverify.core.printable import all_visible
from dpverify.core.record import Record
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
from dpverify.runner.command_options import without_options
from dpverify.runner.verdict_strength import proved_lines

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
        **proved_lines(item),
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


ABSENT: Mapping[str, Any] = {
    "statement": "",
    "parameters": {},
    "space": {},
    "reason": "",
    **dict.fromkeys(("tightness", "excess", "proved", "estimate", "detectable", "ceiling", "expectation", "surprise")),
}
"""What stands for a field that a record may lack."""


def for_people(record: Record, *, lines: bool = False) -> Record:
    """The record with all fields, its texts made visible (`dpverify.core.printable.all_visible`)."""
    found: Record = all_visible({**ABSENT, **record}, lines=lines)
    return found


HIDDEN = "EXAMPLE"
"""Stands in a record's command for the user's example data set."""

OF_EXAMPLES = ("--data", "--record", "--bounds", "--unit", "--evidence", "--regressions", "--json", "--events")
"""Options that a pair does not go with, or that write files; each has a value."""

LONGEST = 1000

NOT_KNOWN = (
    f"{HIDDEN} stands for the data set that was given; records of yours are written down only with --show-records"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAgain:
    """A command, and what to know of it; empty where it is the audit itself."""

    command: str
    remark: str = ""


def again(item: Record) -> list[CommandAgain]:
    """The commands that repeat a row; the first one works as it is where any does."""
    whole = CommandAgain(command=item["reproduce"], remark=NOT_KNOWN if HIDDEN in item["reproduce"] else "")
    pair = on_this_pair(item)
    return (
        [CommandAgain(command=pair, remark="fresh draws on this row's made-up pair alone"), whole] if pair else [whole]
    )


def on_this_pair(item: Record) -> str:
    """The command; empty where the record's own has no hidden data set, or the pair is not shown."""
    try:
        words = shlex.split(item["reproduce"])
    except ValueError:
        return ""
    sides = [(item["witness"] or {}).get(side) for side in ("d0", "d1")]
    hidden = any(one == "--data" and value == HIDDEN for one, value in pairwise(words))
    if words[:2] != ["dpverify", "audit"] or not hidden or not all(isinstance(each, list | dict) for each in sides):
        return ""
    kept = without_options(words, OF_EXAMPLES)
    if "--relation" not in kept:
        kept += ["--relation", item["relation"]]
    pair = [text for side, data in zip(("--d0", "--d1"), sides, strict=True) for text in (side, json.dumps(data))]
    text = shlex.join([*kept, *pair])
    return text if len(text) <= LONGEST else ""
