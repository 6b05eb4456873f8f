"""What a row of a table is called. "Stands" is never more than: not refuted by these draws."""

from __future__ import annotations

from collections.abc import Sequence

from dpverify.core.record import Record

ONE_READING = "one reading"

UNFINISHED = "not finished within --max-seconds; --resume goes on with it"
"""The reason of a claim that a session did not come to."""

LEGEND = (
    'stands: not refuted by these draws, which would have caught the value in the column "caught" with 80 % power, '
    "where the pair and the event show it; it is no proof",
    "refuted: a lower bound above the claim, confirmed by a second audit with fresh draws",
    "one reading: refuted under this relation and not under the other; the library does not say which it means",
    "found / MISSED: a twin, broken on purpose, was refuted / was not",
    "inconclusive: the audit could have seen nothing, or was stopped",
)


def word_of(item: Record) -> str:
    """Return the word for a record's verdict."""
    verdict = str(item["verdict"])
    if item["reason"] == UNFINISHED:
        return "unfinished"
    if item["twin"] and verdict != "error":
        return "found" if verdict == "refuted" else "MISSED"
    return {"not_refuted": "stands", "certified": "stands"}.get(verdict, verdict)


def words_of(records: Sequence[Record]) -> list[str]:
    """Return the words for a table's records; a claim refuted under one relation only is "one reading"."""
    readings: dict[str, set[str]] = {}
    for each in records:
        readings.setdefault(each["reading"] or each["id"], set()).add(word_of(each))
    return [
        ONE_READING
        if word_of(each) == "refuted" and readings[each["reading"] or each["id"]] != {"refuted"}
        else word_of(each)
        for each in records
    ]
