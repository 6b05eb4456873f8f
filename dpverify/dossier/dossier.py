"""The dossier as plain JSON values (schema: ``dossier.schema.json``): every other form is made of it.

Where a declared claim and its record do not agree, it is said loudly, and is the exit status 1. Side of the error: a
promise that cannot be shown to follow from what was audited counts as not audited.
"""

from __future__ import annotations

import datetime
import difflib
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify import __version__
from dpverify.core.errors import DpverifyError
from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry
from dpverify.core.record import Record
from dpverify.core.subjects import Guarantee, PrivacyGuarantee
from dpverify.datasets.neighbors.relation import on_records
from dpverify.definitions.grammar import parse_guarantee
from dpverify.dossier.declarations import Declarations, DeclaredAnswer, DeclaredClaim, Signer
from dpverify.dossier.question import Fact, SourceText, TextQuestion, facts, guarantee_of, texts
from dpverify.dossier.runs import ReadRuns
from dpverify.dossier.standing import control, parts_of, saw_nothing, standing, unit_of, words
from dpverify.reporting.formatting import VERDICTS, false_alarms, number_down
from dpverify.runner.atomic_files import safe_name
from dpverify.runner.compare import moved
from dpverify.runner.recheck_printed import printed_evidence

SCHEMA_VERSION = 1

SPOKEN = {
    "contradicted": "contradicted",
    "refuted": "refuted by evidence",
    "in_part": "partly by evidence",
    "evidence": "by evidence",
    "evidence_and_declaration": "by evidence and declaration",
    "declaration": "by declaration",
    "not_answered": "not answered",
}
"""How a question is answered, in words."""

_LOOKS_AT = {"guarantee": {"loss"}, "relation": {"relation"}, "unit": {"relation", "user-level"}}
"""Which looks a contradiction belongs to."""


def dossier(runs: ReadRuns, declared: Declarations | None, *, today: datetime.date) -> dict[str, Any]:
    """The whole dossier.

    Parameters
    ----------
    runs : ReadRuns
        The records.
    declared : Declarations or None
        What people say; None for nothing.
    today : date
        The day of the dossier.
    """
    against = contradictions(declared, runs) if declared else []
    seen = [item for item in runs.records if not control(item) and not saw_nothing(item)]
    found: dict[str, Any] = {
        "schema": SCHEMA_VERSION,
        "dpverify": __version__,
        "date": today.isoformat(),
        "runs": [str(path) for path in runs.paths],
        "contradictions": [_contradiction(each) for each in against],
        "claims": [
            _claim(claim, item, against)
            for claim in (declared.claims if declared else ())
            for item in runs.of(claim.id)
        ],
        "rows": [_row(item) for item in runs.records],
        "false_alarms": false_alarms(runs.records),
        "declarations": None if declared is None else _file(declared),
        "texts": [_text(text, seen, declared, against) for text in texts()],
    }
    return {**found, "conclusion": _conclusion(found)}


def failed(found: Mapping[str, Any]) -> bool:
    """Tell whether a claim failed, or a declaration is contradicted."""
    return bool(found["contradictions"]) or any(row["standing"] == "failed" for row in found["rows"])


def _contradiction(each: Contradiction) -> dict[str, str]:
    row = f"row-{safe_name(each.id)}"
    return {"id": each.id, "anchor": row, "what": each.what, "declared": each.declared, "found": each.found}


def _claim(claim: DeclaredClaim, item: Record, against: Sequence[Contradiction]) -> dict[str, Any]:
    """A declared claim beside what was audited."""
    return {
        "id": item["id"],
        "anchor": f"row-{safe_name(item['id'])}",
        "guarantee": claim.guarantee,
        "relation": claim.relation,
        "unit": claim.unit or "",
        "audited": f"{item['guarantee']} under {item['relation']}",
        "contradicted": [each.what for each in against if each.id == item["id"]],
    }


def _row(item: Record) -> dict[str, Any]:
    return {
        "id": item["id"],
        "anchor": f"row-{safe_name(item['id'])}",
        "subject": item["subject"],
        "guarantee": item["guarantee"],
        "relation": item["relation"],
        "verdict": item["verdict"],
        "standing": standing(item),
        "control": control(item),
        "words": words(item),
        "answers_nothing": "" if control(item) else saw_nothing(item),
        "seed": item["seed"],
        "reproduce": item["reproduce"],
    }


def _file(declared: Declarations) -> dict[str, Any]:
    return {
        "file": declared.path.name,
        "sha256": declared.sha256,
        "signer": None if declared.signer is None else _signer(declared.signer),
    }


def _signer(signer: Signer) -> dict[str, str]:
    return {"name": signer.name, "role": signer.role, "date": signer.date, "signature": signer.checked}


def _text(
    text: SourceText, seen: Sequence[Record], declared: Declarations | None, against: Sequence[Contradiction]
) -> dict[str, Any]:
    questions = [_question(text, each, seen, declared, against) for each in text.questions]
    tiers = sorted({each.tier for each in text.questions} - {0})
    return {
        "name": text.name,
        "short": text.short,
        "title": text.title,
        "edition": text.edition,
        "address": text.address,
        "read": text.read,
        "counts": {name: sum(each["answered"] == name for each in questions) for name in SPOKEN},
        "tiers": [_tier(tier, questions) for tier in tiers],
        "questions": questions,
    }


def _tier(tier: int, questions: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Count the questions of a tier that are answered as a whole."""
    of = [each for each in questions if each["tier"] == tier]
    whole = sum(each["answered"] not in ("not_answered", "in_part", "refuted", "contradicted") for each in of)
    return {"tier": tier, "questions": len(of), "answered": whole}


def _question(
    text: SourceText,
    question: TextQuestion,
    seen: Sequence[Record],
    declared: Declarations | None,
    against: Sequence[Contradiction],
) -> dict[str, Any]:
    shown = [fact for name in question.evidence for fact in facts(name, seen)]
    said = declared.answers.get(question.declaration) if declared else None
    spoken_against = [each for each in against if _LOOKS_AT[each.what] & set(question.evidence)]
    return {
        "id": question.id,
        "anchor": f"{text.name}-{question.id}",
        "place": question.place,
        "tier": question.tier,
        "quote": question.quote,
        "asks": question.asks,
        "answered": "contradicted" if spoken_against else _answered(question, shown, said),
        "facts": [{"text": each.text, "rows": list(each.rows), "refuted": each.refuted} for each in shown],
        "left": question.left if shown else "",
        "declaration": None if said is None else {"answer": said.answer, **_signer(said.signer)},
        "key": question.declaration,
        "contradictions": [_contradiction(each) for each in spoken_against],
    }


def _answered(question: TextQuestion, shown: Sequence[Fact], said: DeclaredAnswer | None) -> str:
    if any(each.refuted for each in shown):
        return "refuted"
    if shown:
        return "evidence_and_declaration" if said else "in_part" if question.left else "evidence"
    return "declaration" if said else "not_answered"


def _conclusion(found: Mapping[str, Any]) -> list[str]:
    """Sentences for the top, the worst first."""
    claims = [row for row in found["rows"] if not row["control"]]
    told = []
    if found["contradictions"]:
        told.append(f"{_many(len(found['contradictions']), 'declaration')} contradicted by the records.")
    verdicts = Counter(row["verdict"] for row in claims)
    said = ", ".join(f"{verdicts[name]} {spoken}" for name, spoken in VERDICTS.items() if verdicts[name])
    told.append(f"{len(claims)} audited claim{'' if len(claims) == 1 else 's'}: {said or 'none'}.")
    if verdicts["not_refuted"]:
        told.append("Not refuted is no proof: smaller violations than the stated ones may exist.")
    if nothing := sum(bool(row["answers_nothing"]) for row in claims):
        told.append(
            f"{nothing} row{' answers' if nothing == 1 else 's answer'} no question: an audit that could have seen "
            "nothing, or decided nothing."
        )
    if controls := [row for row in found["rows"] if row["control"]]:
        hit = sum(row["standing"] == "passed" for row in controls)
        told.append(f"{hit} of {len(controls)} known-broken mechanisms, which are controls, refuted as they must be.")
    counts: Counter[str] = Counter()
    for text in found["texts"]:
        counts.update(text["counts"])
    parts = [f"{counts[name]} {spoken}" for name, spoken in SPOKEN.items() if counts[name]]
    told.append(f"{sum(counts.values())} questions of {len(found['texts'])} texts: {', '.join(parts)}.")
    return told


def _many(count: int, what: str) -> str:
    return f"{count} {what} is" if count == 1 else f"{count} {what}s are"


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

    InputError for a claim that no record has, or that does not parse; with the line of the file.
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
