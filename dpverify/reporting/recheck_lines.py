"""What a recheck found, for people (80 columns) and as plain values: a line for each piece of evidence."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import Any

from dpverify.core.printable import visible
from dpverify.reporting.checked_records import RecordCheck
from dpverify.reporting.formatting import number_down
from dpverify.reporting.labelled_lines import WIDTH
from dpverify.runner.recheck import RecheckedEvidence, RecheckedRecord, Says

WORDS: dict[Says, str] = {
    "agrees": "agrees",
    "differs": "DIFFERS",
    "exact": "no counts",
    "lacks": "cannot be rechecked",
}


def recheck_lines(checked: RecordCheck, *, expected: bool) -> list[str]:
    """Every record with its evidence, the numbers of each outcome, and last what was not checked.

    `expected` says that the file has a digest that was obtained elsewhere.
    """
    lines, found = list[str](), checked.rows
    for item in found:
        lines += _wrapped(f"{item.id}: printed {item.verdict.replace('_', ' ')}", "")
        for each in item.looked:
            lines += _wrapped(_of_evidence(each, item), "  ")
        for fault in item.faults:
            lines += _wrapped(f"record: {WORDS['differs']}: {fault}", "  ")
    tally = Counter(item.says for item in found)
    said = ", ".join(f"{tally[name]} {_SUMMED[name]}" for name in _SUMMED if tally[name])
    for fault in checked.faults:
        lines += _wrapped(f"{WORDS['differs']}: {fault}", "")
    lines += _wrapped(f"{len(found)} record{'' if len(found) == 1 else 's'}: {said}.", "")
    if checked.digest:
        lines.append(f"sha256 {checked.digest}{' (as expected)' if expected else ''}")
    return [*lines, *_wrapped(unchecked_line(found, beside=checked.beside, digest=expected), "")]


_SUMMED: dict[Says, str] = {
    "agrees": "agree with their counts",
    "differs": "differ",
    "lacks": "cannot be rechecked",
    "exact": "have no counts",
}


def _of_evidence(each: RecheckedEvidence, item: RecheckedRecord) -> str:
    measure = each.evidence.measure
    start = f"{each.evidence.auditor}: {WORDS[each.says]}"
    if each.says == "agrees":
        return f"{start}: {measure.label()} >= {number_down(each.evidence.bound, 6)}"
    if each.says == "exact":
        again = f"; again: {item.reproduce}" if item.reproduce else ""
        return f"{start}: {measure.label()} >= {number_down(each.evidence.bound, 6)} was computed, not counted{again}"
    return f"{start}: {each.told}"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        visible(text), WIDTH, initial_indent=indent, subsequent_indent=indent + "  ", break_on_hyphens=False
    )


def recheck_values(found: Sequence[RecheckedRecord]) -> list[dict[str, Any]]:
    """The rechecked records as plain values, for ``--json``."""
    return [
        {
            "id": item.id,
            "verdict": item.verdict,
            "says": item.says,
            "faults": list(item.faults),
            "reproduce": item.reproduce,
            "evidence": [
                {
                    "auditor": each.evidence.auditor,
                    "says": each.says,
                    "measure": each.evidence.measure.label(),
                    "printed": each.evidence.bound,
                    "again": each.again,
                    "told": each.told,
                }
                for each in item.looked
            ],
        }
        for item in found
    ]


def unchecked_line(found: Sequence[RecheckedRecord], *, beside: Sequence[str], digest: bool) -> str:
    """The last line: what nobody has checked, with the number of records that it concerns."""
    left = Counter(what for item in found for what in item.unchecked)
    told = [f"{what} ({count} record{'' if count == 1 else 's'})" for what, count in left.items()]
    told.append("whether anything was drawn, and estimates that are marked as such")
    if not digest:
        among = f" (they agree with {' and '.join(beside)} beside them)" if beside else ""
        told.append(f"whether rows were left out or relabelled by who made them{among}: --expect-digest")
    return (
        f"Not checked: {'; '.join(told)}. Digests and checksums that came with the records find accidents only: who "
        "changes a record can compute them again. Only the command of a row, run again, makes its numbers again."
    )
