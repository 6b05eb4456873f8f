"""What one record can answer for: a look that could have seen nothing answers nothing, and "not refuted" is no proof.

Known-broken mechanisms are controls of the audit. They say something about the auditor, and nothing about a deployment.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from dpverify.core.record import EvidenceRecord, Record
from dpverify.datasets.neighbors.relation import on_records
from dpverify.reporting.formatting import VERDICTS, limits, number, number_down, witness_parameter
from dpverify.runner.verdict_strength import proof_line, proof_of

Standing = Literal["passed", "warned", "failed"]
"""``passed``: certified, or not refuted by an audit that would have caught something. ``failed``: refuted, not
completed, or a control that was missed. ``warned``: everything else, such as inconclusive and vacuous."""


def control(record: Record) -> bool:
    """Tell whether the record is of a mechanism that is known to be broken."""
    return record.get("expectation") == "broken"


def standing(record: Record) -> Standing:
    """Say how the claim stands; for a known-broken control, whether the audit refuted it."""
    verdict = record["verdict"]
    if verdict == "error":
        return "failed"
    if control(record):
        return (
            "passed" if verdict == "refuted" else "warned" if verdict in ("inconclusive", "unsupported") else "failed"
        )
    if verdict == "refuted":
        return "failed"
    return "passed" if verdict in ("certified", "not_refuted") and not saw_nothing(record) else "warned"


def saw_nothing(record: Mapping[str, Any]) -> str:
    """Why the record answers nothing; empty for one that does, which a refuted one always does."""
    verdict = record["verdict"]
    if verdict in ("refuted", "certified"):
        return ""
    if verdict != "not_refuted":
        return record.get("reason") or f"the verdict is {VERDICTS[verdict]}"
    able, ceiling = (_number(record.get(name)) for name in ("detectable", "ceiling"))
    if able is None:
        # A search without draws sees a violation wherever it looks, if it saw any change at all.
        seen = record["confidence"] is None and (_number(record["bound"]) or 0.0) > 0.0
        return "" if seen else "it is not known what this audit would have detected"
    if math.isinf(able):
        return "no violation of any size was detectable"
    if ceiling is not None and able > ceiling:
        return "what would have been detected is more than the audit could certify"
    return ""


def part_saw_nothing(part: EvidenceRecord) -> str:
    """Tell whether one piece of evidence in a record could have shown nothing."""
    return saw_nothing({**part, "verdict": part["says"], "reason": part["statistics"].get("vacuous", "")})


def short_words(record: Record) -> str:
    """The verdict with its bound."""
    verdict = record["verdict"]
    if verdict == "refuted":
        claimed = f"{number(record['claimed'])}{witness_parameter(record)}"
        return f"refuted: {record['measure']} is at least {number_down(record['bound'])}, claimed {claimed}"
    if (proof := proof_of(record)) is not None:
        return f"certified: {proof_line(proof)}"
    if verdict == "certified":
        return "certified for the stated law, on all pairs of the record's relation, and nowhere else"
    if why := saw_nothing(record):
        return f"{VERDICTS[verdict]}: {why}"
    return "not refuted, which is no proof"


def words(record: Record) -> str:
    """The verdict with its bound, and what would have been caught."""
    told = "" if saw_nothing(record) else limits(record)
    return f"{short_words(record)}{': the audit ' + told if told else ''}"


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def parts_of(relation: str) -> tuple[str, str]:
    """The kind, and the column of ``add-remove by user_id``: empty where records change one by one."""
    kind, _, column = relation.partition(" by ")
    return (kind, column) if kind in on_records() else (relation, "")


def unit_of(relation: str) -> str:
    """Say in words what differs between neighbours; empty where the relation is not one of records."""
    kind, column = parts_of(relation)
    if column:
        return f"all records with one {column}"
    return "one record, of whomever it is" if kind in on_records() else ""
