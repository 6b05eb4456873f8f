"""The record of a row: the JSON object that scripts may rely on (schema: ``dpverify/reporting/record.schema.json``)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from dpverify.core.claim import Claim
from dpverify.core.evidence import Evidence
from dpverify.core.record import ClaimRecord, EvidenceRecord, Record
from dpverify.core.suite import Published
from dpverify.core.verdict import judge
from dpverify.runner.environment import environment
from dpverify.runner.row import Row

SCHEMA_VERSION = 1


def record(row: Row, published: Published | None = None) -> Record:
    """One row as plain JSON values; infinities are the strings "inf" and "-inf", absent numbers are null.

    `published` is the published result for the claim, where the suite has one.
    """
    claim, leading = row.entry.claim, row.verdict.leading
    measure, about = leading.measure if leading else claim.guarantee.measures()[0], claim_record(claim)
    found: Record = {
        "schema": SCHEMA_VERSION,
        "id": about["id"],
        "source": about["source"],
        "statement": about["statement"],
        "guarantee": about["guarantee"],
        "subject": about["subject"],
        "parameters": about["parameters"],
        "relation": about["relation"],
        "space": about["space"],
        "verdict": str(row.verdict.status),
        "reason": row.verdict.reason,
        "method": leading.auditor if leading else None,
        "measure": measure.label(),
        "bound": leading.bound if leading else None,
        "claimed": measure.claimed,
        "tightness": leading.tightness if leading else None,
        "excess": leading.excess if leading else None,
        "confidence": leading.confidence if leading else None,
        "error": leading.error if leading else None,
        "proved": leading.proved if leading else None,
        "estimate": leading.estimate if leading else None,
        "detectable": leading.detectable if leading else None,
        "ceiling": leading.ceiling if leading else None,
        "rarest": row.rarest,
        "witness": dict(leading.witness) if leading else None,
        "trials": leading.trials if leading else 0,
        "seconds": round(row.seconds, 3),
        "seed": row.seed,
        "reproduce": row.reproduce,
        "expectation": row.entry.expectation,
        "surprise": row.surprise or None,
        "evidence": [evidence_record(item) for item in row.verdict.evidence],
        "environment": environment(),
    }
    if row.proof is not None:
        found["proof"] = row.proof
    if published is not None:
        found["published"] = {
            "truth": published.truth,
            "bound": published.bound,
            "tool": published.tool,
            "seconds": published.seconds,
            "due": published.due,
        }
    return cast("Record", plain(found))


def claim_record(claim: Claim) -> ClaimRecord:
    """Return what a record says of its claim, without the measure that leads: it may take a second to compute."""
    found: ClaimRecord = {
        "id": claim.id,
        "source": claim.source.text(),
        "statement": claim.statement,
        "guarantee": claim.guarantee.text(),
        "subject": claim.subject,
        "parameters": dict(claim.parameters),
        "relation": claim.relation,
        "space": claim.space.record(),
    }
    return cast("ClaimRecord", plain(found))


def evidence_record(item: Evidence) -> EvidenceRecord:
    """One piece of evidence with all its counts, so that the bound can be computed again."""
    return {
        "auditor": item.auditor,
        "version": item.version,
        "says": str(judge(item)),
        "measure": {"kind": item.measure.kind, "argument": item.measure.argument, "claimed": item.measure.claimed},
        "bound": item.bound,
        "excess": item.excess,
        "confidence": item.confidence,
        "error": item.error,
        "proved": item.proved,
        "coverage": item.coverage,
        "estimate": item.estimate,
        "detectable": item.detectable,
        "ceiling": item.ceiling,
        "trials": item.trials,
        "seconds": round(item.seconds, 3),
        "statistics": dict(item.statistics),
        "witness": dict(item.witness),
        "picture": dict(item.picture),
    }


def plain(value: Any) -> Any:
    """Reduce to JSON values: numpy scalars and arrays to numbers and lists, nan to null, infinities to strings."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
