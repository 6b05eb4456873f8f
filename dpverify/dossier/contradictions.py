"""Where a declared claim and its record do not agree; each is said loudly, and is the exit status 1.

Side of the error: a promise that cannot be shown to follow from what was audited counts as not audited.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpverify.core.errors import DpverifyError
from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry
from dpverify.core.record import Record
from dpverify.core.subjects import Guarantee, PrivacyGuarantee
from dpverify.datasets.neighbors.relation import on_records
from dpverify.definitions.grammar import parse_guarantee
from dpverify.dossier.declarations import Declarations, DeclaredClaim
from dpverify.dossier.looks import guarantee_of
from dpverify.dossier.relation import parts_of, unit_of
from dpverify.dossier.runs import ReadRuns
from dpverify.dossier.standing import words
from dpverify.reporting.formatting import number_down
from dpverify.runner.loosened import moved
from dpverify.runner.recheck_printed import printed_evidence

ROUNDING = 1e-9
"""A bound is taken smaller by this part, so that what is equal but for rounding refutes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A declaration that a row contradicts: in its ``guarantee``, ``relation`` or ``unit``."""

    id: str
    what: str
    declared: str
    found: str


def contradictions(declared: Declarations, runs: ReadRuns) -> list[Contradiction]:
    """All contradictions between the declared claims and the records of the same claims, in every run.

    Raises
    ------
    InputError
        For a claim that no record has, or that does not parse; with the line of the file.
    """
    known = [*dict.fromkeys(runs.claims.values())]
    found: list[Contradiction] = []
    for claim in declared.claims:
        if not runs.of(claim.id):
            near = difflib.get_close_matches(claim.id, known, n=1)
            shown = ", ".join(known[:8]) + (f", and {len(known) - 8} more" if len(known) > 8 else "")
            remedy = f"did you mean {near[0]}?" if near else ""
            raise declared.fault(claim.line, f"no record of a claim {claim.id!r}", allowed=shown, remedy=remedy)
        try:
            promised = _parsed(claim.guarantee) if claim.guarantee else None
        except DpverifyError as problem:
            what, allowed = getattr(problem, "what", str(problem)), getattr(problem, "allowed", "a claim")
            raise declared.fault(claim.line, f"guarantee: {what}", allowed=allowed) from problem
        for record in runs.of(claim.id):
            found += _of_claim(claim, promised, record)
    return found


def _of_claim(claim: DeclaredClaim, promised: Guarantee | None, record: Record) -> Iterator[Contradiction]:
    kind, column = parts_of(record["relation"])
    declared, by = parts_of(claim.relation)
    unit = claim.unit if claim.unit is not None else by or None

    def differs(what: str, said: str, found: str) -> Contradiction:
        return Contradiction(id=record["id"], what=what, declared=said, found=found)

    if declared and declared != kind:
        yield differs("relation", claim.relation, f"the audited neighbours are those of {record['relation']}")
    if unit is not None and unit != (column or ("record" if kind in on_records() else "")):
        audited = unit_of(record["relation"]) or f"what the relation {kind} says, which names no unit"
        yield differs("unit", unit, f"the audited neighbours differ in {audited}")
    if promised is None:
        return
    if why := refutes(record, promised):
        yield differs("guarantee", claim.guarantee, why)
    elif moved(promised, guarantee_of(record)) == "loosened":
        yield differs(
            "guarantee",
            claim.guarantee,
            f"the audited claim is {record['guarantee']}, from which the declared one does not follow: not audited",
        )


def refutes(record: Record, promised: Guarantee) -> str:
    """Say in words how the record refutes a promise, be it the audited one or another; empty where it does not."""
    audited = guarantee_of(record)
    if record["verdict"] == "refuted" and moved(audited, promised) != "loosened":
        return words(record)
    if (record.get("space") or {}).get("proportional"):  # its numbers are those at the witness, not the guarantee's
        return ""
    for part in (printed_evidence(record["id"], each) for each in record["evidence"]):
        if _above(part, promised):
            shown = number_down(part.bound - (part.error or 0.0))
            return f"refuted: {part.measure.label()} is at least {shown} (auditor {part.auditor})"
    return ""


def _above(part: Evidence, promised: Guarantee) -> bool:
    """Tell whether a bound that is certain, or holds at its confidence, lies above what is promised."""
    if part.confidence is None and not part.proved:
        return False
    bound = part.bound - (part.error or 0.0)
    label = part.measure.label()
    for measure in promised.measures():
        if measure.label() == label and bound * (1.0 - ROUNDING) > measure.claimed:
            return True
    # Below the bound the truth has more than `argument` as its delta; a promise of no more is refuted. At argument 0 an
    # allowed delta may be 0 by underflow alone.
    if part.measure.kind != "epsilon" or not part.measure.argument > 0 or not bound > 0:
        return False
    if not isinstance(promised, PrivacyGuarantee) or not math.isfinite(bound):
        return False
    allowed = [promised.delta(bound * (1.0 - ROUNDING), reverse=way) for way in (False, True)]
    return max(float(np.asarray(each)) for each in allowed) <= part.measure.argument


def _parsed(text: str) -> Guarantee:
    return parse_guarantee(text, definitions=registry().definitions.mapping())
