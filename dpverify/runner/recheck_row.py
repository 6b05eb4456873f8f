"""A row held against its own evidence: verdict, method and the numbers that it repeats."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dpverify.core.claim import Claim
from dpverify.core.evidence import Evidence
from dpverify.core.verdict import Status, beside_proof, decide, judge

RELATIVE, ABSOLUTE = 1e-11, 1e-12
"""Relative difference that two computations of one number may have."""

SHOWN: tuple[str, ...] = ("measure", "bound", "claimed", "tightness", "excess", "confidence", "error", "proved")
SHOWN += ("trials", "witness", "estimate", "detectable", "ceiling")
"""Fields that a record repeats from the evidence that decides its verdict."""


def nearly_equal(printed: Any, again: float | None, *, slack: float = 0.0) -> bool:
    """Tell whether two numbers agree up to rounding."""
    if isinstance(printed, str) and printed in ("inf", "-inf"):
        printed = float(printed)
    if printed is None or again is None:
        return printed is again
    if isinstance(printed, bool) or not isinstance(printed, int | float):
        return False
    try:
        printed = float(printed)
    except OverflowError:  # an integer too large for a double
        return False
    if math.isnan(printed) or math.isnan(again):
        return math.isnan(printed) and math.isnan(again)
    return math.isclose(printed, again, rel_tol=RELATIVE + slack, abs_tol=ABSOLUTE)


def judgement_faults(record: Mapping[str, Any], items: Sequence[Evidence]) -> list[str]:
    """Lines on evidence whose printed judgement does not follow from its numbers."""
    return [
        f"{item.auditor} is said to say {part['says']}, and says {judge(item)}"
        for item, part in zip(items, record["evidence"], strict=True)
        if part["says"] != judge(item)
    ]


def row_faults(record: Mapping[str, Any], claim: Claim, items: Sequence[Evidence]) -> list[str]:
    """Lines on fields of the row that its evidence contradicts."""
    verdict = decide(claim, items)
    status = verdict.status
    if record.get("proof") is not None:
        status = beside_proof(status, falls_outside=bool(items[0].statistics.get("outside")))
    printed, lead = record["verdict"], items[0]
    found = []
    weaker = printed in (Status.ERROR, Status.INCONCLUSIVE) and bool(record.get("reason"))
    if printed != status and not (weaker and status is not Status.REFUTED):
        found.append(f"the verdict is printed as {printed}, and its evidence says {status}")
    best = verdict.leading
    if best is not None and best is not lead:
        found.append(f"the verdict is printed as resting on {lead.auditor}, and rests on {best.auditor}")
    if record["method"] != lead.auditor:
        found.append(f"the method is printed as {record['method']}, and is {lead.auditor}")
    own = {
        "measure": lead.measure.label(),
        "claimed": lead.measure.claimed,
        **{name: getattr(lead, name) for name in SHOWN if name not in ("measure", "claimed")},
    }
    for name, value in own.items():
        if name not in record:
            continue
        same = nearly_equal(record[name], value) if isinstance(value, float) else record[name] == value
        if not same:
            found.append(f"{name} is printed as {shown(record[name])}, and is {shown(value)} in the evidence")
    return [*found, *_surprise(record)]


def _surprise(record: Mapping[str, Any]) -> list[str]:
    """Check the field ``surprise`` against verdict and expectation.

    A row that was cut short is no surprise yet, so a missing one is a fault only where a claim expected to stand is
    refuted.
    """
    expected, refuted = record.get("expectation"), record["verdict"] == Status.REFUTED
    alarm, missed = expected == "stands" and refuted, expected == "broken" and not refuted
    if record.get("surprise") and not (alarm or missed):
        return [f"{record['verdict']} is called a surprise where {expected or 'nothing'} was expected"]
    if alarm and not record.get("surprise"):
        return ["a claim that was expected to stand is refuted, and that is not called a surprise"]
    return []


def without_evidence(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Faults of a row without evidence: such a row can have decided nothing."""
    decided = record["verdict"] in (Status.REFUTED, Status.CERTIFIED, Status.NOT_REFUTED)
    if record["verdict"] == Status.CERTIFIED and record.get("proof") is not None:
        decided = False  # by its evidence
    found = [f"the verdict {record['verdict']} rests on no evidence"] if decided or record["method"] is not None else []
    for name in SHOWN:
        nothing = record.get(name) in (None, {}) or (name == "trials" and record[name] == 0)
        if name not in ("measure", "claimed") and not nothing:  # those two come from the claim
            found.append(f"{name} is printed as {shown(record[name])}, and there is no evidence")
    return (*found, *_surprise(record))


def shown(value: Any) -> str:
    """A number to twelve digits; anything else shortened."""
    return f"{value:.12g}" if isinstance(value, float) else str(value)[:60]
