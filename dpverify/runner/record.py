"""The record of a row: the JSON object that scripts may rely on (schema: ``dpverify/reporting/record.schema.json``)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from dpverify.core.evidence import Evidence
from dpverify.core.subjects import Guarantee, PrivacyGuarantee
from dpverify.core.suite import Published
from dpverify.core.verdict import judge
from dpverify.runner.environment import environment
from dpverify.runner.row import Row
from dpverify.stats.rarest_leak import rarest_leak

SCHEMA_VERSION = 1

_rarest: dict[tuple[str, int, float], float | None] = {}
"""By claim, draws a side and error probability."""


def record(row: Row, published: Published | None = None) -> dict[str, Any]:
    """One row as plain JSON values; infinities are the strings "inf" and "-inf", absent numbers are null.

    `published` is the published result for the claim, where the suite has one.
    """
    claim, leading = row.entry.claim, row.verdict.leading
    measure = leading.measure if leading else claim.guarantee.measures()[0]
    found = {
        "schema": SCHEMA_VERSION,
        "id": claim.id,
        "source": claim.source.text(),
        "statement": claim.statement,
        "guarantee": claim.guarantee.text(),
        "subject": claim.subject,
        "parameters": dict(claim.parameters),
        "relation": claim.relation,
        "space": claim.space.record(),
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
        "rarest": rarest_of(row),
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
    if published is not None:
        found["published"] = {
            "truth": published.truth,
            "bound": published.bound,
            "tool": published.tool,
            "seconds": published.seconds,
            "due": published.due,
        }
    return {name: plain(value) for name, value in found.items()}


def rarest_of(row: Row) -> float | None:
    """The rarest event whose leak the draws could detect; None where no event was counted."""
    return rarest_detectable(row.entry.claim.guarantee, row.verdict.evidence)


def rarest_detectable(guarantee: Guarantee, evidence: Iterable[Evidence]) -> float | None:
    """Return `rarest_of` by the first evidence of equally many draws a side."""
    if not isinstance(guarantee, PrivacyGuarantee):
        return None
    for item in evidence:
        trials, alpha = item.statistics.get("n1"), item.statistics.get("alpha")
        if item.confidence is None or not isinstance(trials, int) or not isinstance(alpha, float):
            continue
        if trials == item.statistics.get("n2"):
            looks = [(trials, alpha)]
            match item.statistics.get("rarest_by"):  # the gate's second look
                case [int(more), float(level)] if more > 0 and 0.0 < level < 1.0:
                    looks.append((more, level))
            found = [least for each in looks if (least := _rarest_leak(guarantee, *each)) is not None]
            return min(found, default=None)
    return None


def _rarest_leak(guarantee: PrivacyGuarantee, trials: int, alpha: float) -> float | None:
    asked = guarantee.text(), trials, alpha
    if asked not in _rarest:  # a row becomes a record more than once
        _rarest[asked] = rarest_leak(guarantee, trials, alpha=alpha)
    return _rarest[asked]


def evidence_record(item: Evidence) -> dict[str, Any]:
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
        "statistics": item.statistics,
        "witness": item.witness,
        "picture": item.picture,
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
