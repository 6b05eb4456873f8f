"""The command that repeats an audit on the pair that it ended with, for who has not the example data set.

The pair is made up (a pair with records of the example is redacted in a record), so it can be printed, and the command
works as it stands. Its draws are others than those of the audit, which searched before.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from itertools import pairwise

from dpverify.core.record import Record
from dpverify.runner.command_options import without_options

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
