"""A row held against its own evidence: verdict, method and the numbers that it repeats."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dpverify.core.claim import Claim
from dpverify.core.evidence import Evidence
from dpverify.core.verdict import Status, decide, judge

RELATIVE, ABSOLUTE = 1e-11, 1e-12
"""What two computations of one number may differ by."""

SHOWN = ("measure", "bound", "claimed", "tightness", "excess", "confidence", "error", "proved", "trials", "witness")
"""What a record repeats of the evidence that its verdict rests on."""


def close(printed: Any, again: float | None, *, slack: float = 0.0) -> bool:
    """Whether two computations of one number came to it."""
    if isinstance(printed, str) and printed in ("inf", "-inf"):
        printed = float(printed)
    if printed is None or again is None:
        return printed is again
    if isinstance(printed, bool) or not isinstance(printed, int | float):
        return False
    if math.isnan(printed) or math.isnan(again):
        return math.isnan(printed) and math.isnan(again)
    return math.isclose(printed, again, rel_tol=RELATIVE + slack, abs_tol=ABSOLUTE)


def said_otherwise(record: Mapping[str, Any], items: Sequence[Evidence]) -> list[str]:
    """Evidence that is printed to say something else than it says."""
    return [
        f"{item.auditor} is said to say {part['says']}, and says {judge(item)}"
        for item, part in zip(items, record["evidence"], strict=True)
        if part["says"] != judge(item)
    ]


def row_faults(record: Mapping[str, Any], claim: Claim, items: Sequence[Evidence]) -> list[str]:
    """Whether the row says what its evidence says."""
    verdict = decide(claim, items)
    printed, lead = record["verdict"], items[0]
    found = []
    weaker = printed in (Status.ERROR, Status.INCONCLUSIVE) and bool(record.get("reason"))
    if printed != verdict.status and not (weaker and verdict.status is not Status.REFUTED):
        found.append(f"the verdict is printed as {printed}, and its evidence says {verdict.status}")
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
        same = close(record[name], value) if isinstance(value, float) else record[name] == value
        if not same:
            found.append(f"{name} is printed as {shown(record[name])}, and is {shown(value)} in the evidence")
    return found


def without_evidence(record: Mapping[str, Any]) -> tuple[str, ...]:
    """What is wrong with a row that rests on no evidence: it can have decided nothing."""
    decided = record["verdict"] in (Status.REFUTED, Status.CERTIFIED, Status.NOT_REFUTED)
    if decided or record["method"] is not None or record["bound"] is not None:
        return (f"the verdict {record['verdict']} rests on no evidence",)
    return ()


def shown(value: Any) -> str:
    """A number to twelve digits, anything else in short."""
    return f"{value:.12g}" if isinstance(value, float) else str(value)[:60]
