"""The dossier on a terminal: the conclusion, what is contradicted, and the counts of each text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from dpverify.core.printable import all_visible
from dpverify.dossier.dossier import SPOKEN

WIDE = 79
MOST = 10
"""Failed rows that are named."""


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Return lines of at most 79 columns, but for a word that is longer."""
    found = all_visible(found)
    for each in found["contradictions"]:
        yield from _wrapped(
            f"CONTRADICTED: {each['what']} of {each['id']}: declared {each['declared']}, but {each['found']}."
        )
    bad = [row for row in found["rows"] if row["standing"] == "failed"]
    for row in bad[:MOST]:
        yield from _wrapped(f"{row['id']}: {row['words']}.")
    if len(bad) > MOST:
        yield f"and {len(bad) - MOST} more that failed"
    yield from _wrapped(" ".join(found["conclusion"]))
    for text in found["texts"]:
        counts = ", ".join(f"{text['counts'][name]} {words}" for name, words in SPOKEN.items() if text["counts"][name])
        yield ""
        yield from _wrapped(f"{text['short']}: {counts}.")
        for tier in text["tiers"]:
            yield f"  tier {tier['tier']}: {tier['answered']} of {tier['questions']} answered as a whole"


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        WIDE,
        initial_indent=indent,
        subsequent_indent=indent or "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
