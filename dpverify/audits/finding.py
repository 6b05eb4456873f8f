"""A finding: the row of an audit and what is to be said beside it; all that leaves a process that ran an audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from dpverify.core.errors import AuditError, one_line
from dpverify.core.note import Kind, Note
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status, Verdict
from dpverify.proofs.told import proof_fault
from dpverify.runner.row import Row, rarest_of
from dpverify.runner.store.codec import evidence_of, text_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of one audit, as its entry and the judges leave it."""

    row: Row
    """The claim's verdict, with its evidence."""
    notes: tuple[Note, ...] = ()
    """For the mechanism's author; no verdict rests on them."""
    inferred: bool = False
    """Whether the relation was read off the pair."""
    reproducible: bool = True
    """Whether the mechanism takes its randomness from the generator that it is given."""
    draws: int | None = None
    """Draws a side, where the audit turned seconds into them."""
    accepted: str = ""
    """Why a failure is accepted; empty where none is."""
    fails: bool = False
    """Whether the verdict fails its suite; an accepted failure does, too."""
    told: tuple[str, ...] = ()
    """What the suite's author should know."""

    @property
    def status(self) -> Status:
        """The verdict in a word."""
        return self.row.verdict.status

    def but(self, status: Status, reason: str) -> Self:
        """The finding with another verdict on the same evidence."""
        verdict = replace(self.row.verdict, status=status, reason=reason)
        return replace(self, row=replace(self.row, verdict=verdict))

    def after(self, seconds: float) -> Self:
        """The finding with the time that it took."""
        return replace(self, row=replace(self.row, seconds=seconds))

    def noting(self, *notes: Note) -> Self:
        """The finding with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    def values(self) -> dict[str, Any]:
        """Plain JSON values, for another process."""
        return {
            "row": row_values(self.row),
            "notes": [[note.kind, note.text] for note in self.notes],
            "inferred": self.inferred,
            "reproducible": self.reproducible,
            "draws": self.draws,
        }

    @classmethod
    def of_values(cls, values: Mapping[str, Any], entry: SuiteEntry) -> Finding:
        """The finding that another process sent; nothing else than plain data is made of it.

        AuditError when the values are malformed, or of another claim.
        """
        try:
            draws = values["draws"]
            return cls(
                row=row_of(values["row"], entry),
                notes=tuple(Note(Kind(kind), str(text)) for kind, text in values["notes"]),
                inferred=bool(values["inferred"]),
                reproducible=bool(values["reproducible"]),
                draws=None if draws is None else int(draws),
            )
        except (TypeError, ValueError, LookupError) as problem:
            raise AuditError("the audit's process sent no result that can be read") from problem

    @classmethod
    def without_evidence(
        cls, entry: SuiteEntry, status: Status, reason: str, *, seed: int, seconds: float = 0.0
    ) -> Finding:
        """Return a finding that has no evidence of an auditor, and says why."""
        verdict = Verdict(claim=entry.claim, status=status, reason=one_line(reason))
        return cls(row=Row(entry=entry, verdict=verdict, seconds=seconds, seed=seed, reproduce=""))


def row_values(row: Row) -> dict[str, Any]:
    """Plain values from which `row_of` makes the row again; the suite entry is not included."""
    return {
        "status": str(row.verdict.status),
        "reason": row.verdict.reason,
        "evidence": [text_of(item) for item in row.verdict.evidence],
        "seconds": row.seconds,
        "seed": row.seed,
        "reproduce": row.reproduce,
        "proof": row.proof,
    }


def row_of(found: Any, entry: SuiteEntry) -> Row:
    """The row made of the values that a worker sent.

    AuditError when the values are malformed, or contain evidence on another claim.
    """
    try:
        evidence = tuple(evidence_of(text) for text in found["evidence"])
        if any(item.claim != entry.claim.id for item in evidence):
            raise ValueError("evidence on another claim")
        verdict = Verdict(
            claim=entry.claim, status=Status(found["status"]), evidence=evidence, reason=str(found["reason"])
        )
        proof = found["proof"]
        if proof is not None and (fault := proof_fault(proof, entry.claim.guarantee, entry.claim.relation)):
            raise ValueError(fault)
        return Row(
            entry=entry,
            verdict=verdict,
            seconds=float(found["seconds"]),
            seed=int(found["seed"]),
            reproduce=str(found["reproduce"]),
            rarest=rarest_of(entry.claim.guarantee, evidence),
            proof=proof,
        )
    except (ValueError, TypeError, LookupError, RecursionError) as problem:
        raise AuditError(f"the audit's process sent no result that can be read ({type(problem).__name__})") from problem
