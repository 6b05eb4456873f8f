"""The command that repeats an audit on the pair that it ended with, for who has not the example data set.

The pair is made up (a pair with records of the example is redacted in a record), so it can be printed, and the command
works as it stands. Its draws are others than those of the audit, which searched before.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

HIDDEN = "EXAMPLE"
"""Stands in a record's command for the user's example data set."""

OF_EXAMPLES = ("--data", "--record", "--bounds", "--unit", "--evidence", "--regressions", "--json", "--events")
"""Options that a pair does not go with, or that write files; each has a value."""

LONGEST = 1000


def on_this_pair(item: Mapping[str, Any]) -> str:
    """The command; empty where the record's own has no hidden data set, or the pair is not shown."""
    try:
        words = shlex.split(item["reproduce"])
    except ValueError:
        return ""
    sides = [(item["witness"] or {}).get(side) for side in ("d0", "d1")]
    hidden = any(one == "--data" and value == HIDDEN for one, value in pairwise(words))
    if words[:2] != ["dpverify", "audit"] or not hidden or not all(isinstance(each, list | dict) for each in sides):
        return ""
    kept = list[str]()
    rest = iter(words)
    for word in rest:
        if word in OF_EXAMPLES:
            next(rest, None)
        elif word != "--quiet":
            kept.append(word)
    if "--relation" not in kept:
        kept += ["--relation", item["relation"]]
    pair = [text for side, data in zip(("--d0", "--d1"), sides, strict=True) for text in (side, json.dumps(data))]
    text = shlex.join([*kept, *pair])
    return text if len(text) <= LONGEST else ""
