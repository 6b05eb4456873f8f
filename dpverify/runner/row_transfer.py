"""A row as plain JSON values, to be sent from a process that ran untrusted code; reading it runs no code."""

from __future__ import annotations

from typing import Any

from dpverify.core.errors import AuditError
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status, Verdict
from dpverify.runner.rarest import rarest_of
from dpverify.runner.row import Row
from dpverify.runner.store.codec import evidence_of, text_of


def row_values(row: Row) -> dict[str, Any]:
    """Plain values from which `row_of` makes the row again; the suite entry is not included."""
    return {
        "status": str(row.verdict.status),
        "reason": row.verdict.reason,
        "evidence": [text_of(item) for item in row.verdict.evidence],
        "seconds": row.seconds,
        "seed": row.seed,
        "reproduce": row.reproduce,
    }


def row_of(found: Any, entry: SuiteEntry) -> Row:
    """The row made of the values that a worker sent.

    Raises
    ------
    AuditError
        When the values are malformed, or contain evidence on another claim.
    """
    try:
        evidence = tuple(evidence_of(text) for text in found["evidence"])
        if any(item.claim != entry.claim.id for item in evidence):
            raise ValueError("evidence on another claim")
        verdict = Verdict(
            claim=entry.claim, status=Status(found["status"]), evidence=evidence, reason=str(found["reason"])
        )
        return Row(
            entry=entry,
            verdict=verdict,
            seconds=float(found["seconds"]),
            seed=int(found["seed"]),
            reproduce=str(found["reproduce"]),
            rarest=rarest_of(entry.claim.guarantee, evidence),
        )
    except (ValueError, TypeError, LookupError, RecursionError) as problem:
        raise AuditError(f"the audit's process sent no result that can be read ({type(problem).__name__})") from problem
