"""What became of the papers' statements on accuracy and time: a word and a line for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpverify.core.record import Record, as_number

WORDS = {
    "confirmed": "holds",
    "refuted": "does not hold",
    "undecided": "undecided",
    "depends": "depends on settings",
    "unequal": "not at one price",
    "failed": "could not be measured",
    "missing": "data missing",
    "unmeasured": "not measured yet",
}
"""By outcome, what pages say."""


def outcome_of(item: Record) -> str:
    """The outcome of a record's leading evidence; ``failed``, ``missing`` or ``unmeasured`` where there is none."""
    for part in item["evidence"]:
        found = part["statistics"].get("outcome")
        if isinstance(found, str):
            return found
    if item["verdict"] == "error":
        return "failed"
    return "missing" if "no data set is here" in item["reason"] else "unmeasured"


def statement_lines(records: Sequence[Record]) -> Iterator[str]:
    """A line for each statement."""
    width = max((len(item["id"]) for item in records), default=0)
    wide = max(len(word) for word in WORDS.values())
    for item in records:
        yield f"{item['id']:<{width}}  {WORDS[outcome_of(item)]:<{wide}}  {numbers_of(item)}"


def numbers_of(item: Record) -> str:
    """Shortfall, margin, repetitions and what could have been detected, in a line."""
    if not item["evidence"]:
        return str(item["reason"])
    part = item["evidence"][0]
    said = part["statistics"]
    if said["outcome"] in ("undecided", "unequal") and (without := _without_numbers(said)):
        return f"{without}; n = {part['trials']}"
    margin, low, high = as_number(part["measure"]["claimed"]), as_number(part["bound"]), float(said["upper"])
    detected = as_number(part["detectable"]) - margin
    told = f"shortfall {low:.3g} to {high:.3g}, allowed {margin:g}; n = {part['trials']}"
    return told if said.get("exact") else f"{told}, 80 % power for {detected:.2g} more"


def _without_numbers(said: Mapping[str, Any]) -> str:
    """Why there is no verdict, where an interval would say nothing; empty where it says something."""
    why = str(said.get("vacuous", "")).partition(": ")[2]
    return "" if why.startswith("the shortfall lies") else why
