"""What a page shows of a dossier: the first rows and facts, those that refute before all others; the JSON has all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

MOST_ROWS = 4
"""Rows that are named behind one fact."""

MOST_FACTS = 8
"""Facts that are shown of one question."""


def shown_facts(question: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The first facts, refutations first."""
    return sorted(question["facts"], key=lambda fact: not fact["refuted"])[:MOST_FACTS]


def more_facts(question: Mapping[str, Any]) -> str:
    """Say how many facts are left out; empty for none."""
    more = len(question["facts"]) - MOST_FACTS
    return f"{more} more like these: dossier.json has all." if more > 0 else ""


def named_rows(names: Sequence[str], link: Callable[[str], str]) -> list[str]:
    """Links to the first rows, and how many more there are."""
    more = len(names) - MOST_ROWS
    return [*map(link, names[:MOST_ROWS]), *([f"and {more} more"] if more > 0 else [])]


def signed(said: Mapping[str, str]) -> str:
    """Say who signs, in which role, on which day, and what was checked of a signature."""
    by = f"{said['name']}, {said['role']}, {said['date']}"
    return f"{by}; {said['signature']}" if said["signature"] else by


def made(found: Mapping[str, Any]) -> str:
    """Name the runs this dossier was made from, and how signatures were checked."""
    declared = found["declarations"]
    of = f"Made on {found['date']} by dpverify {found['dpverify']} from {', '.join(found['runs']) or 'no run'}"
    if declared is None:
        return f"{of}, without declarations."
    return (
        f"{of} and {declared['file']} (SHA-256 {declared['sha256']}). A declaration is signed in that a name, a role "
        "and a date stand beside it; that the person has said so is not checked."
    )
