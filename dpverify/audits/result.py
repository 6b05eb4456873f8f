"""What every audit returns: a finding, shown in a terminal, in Python and in a notebook."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

from dpverify.audits.finding import Finding
from dpverify.audits.judges import reason_inside, shortfall
from dpverify.core.errors import one_line
from dpverify.core.evidence import Evidence
from dpverify.core.note import Kind
from dpverify.core.read_untrusted import shortened
from dpverify.core.subjects import PrivacyGuarantee
from dpverify.core.verdict import CheckedResult, Status
from dpverify.runner import verdict_strength
from dpverify.runner.record import evidence_record, record
from dpverify.runner.row import Row
from dpverify.runner.row_risk import claimed_risk, shown_risk
from dpverify.runner.verdict_strength import drawn_beside, proof_line
from dpverify.shown.mixin import Displayed
from dpverify.shown.tradeoff import with_certified
from dpverify.shown.view import View

WIDE = 300
"""Characters of a line of a result."""


class Result(CheckedResult, Displayed):
    """The result of one audit. It is neither true nor false: compare `verdict`, or call `check`."""

    __slots__ = ()

    finding: Finding

    @property
    def verdict(self) -> Status:
        """``refuted``, ``certified``, ``not_refuted`` (never "private"), ``inconclusive``, ``unsupported``, or
        ``error``."""
        return self.finding.status

    @property
    def row(self) -> Row:
        """Reports show this row."""
        return self.finding.row

    @property
    def evidence(self) -> Evidence | None:
        """Counts, event, witness: all that is needed to compute the bound again."""
        return self.row.verdict.leading

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes are read before the numbers are quoted, one line each; no verdict rests on them."""
        return tuple(map(str, self.finding.notes))

    @property
    def risk(self) -> dict[str, Any] | None:
        """An attacker's chances: ``claim``, what the claim allows at most if it is true, and ``shown``, what the
        evidence shows at least, at its confidence (None where it shows nothing). None for other claims than privacy.
        """
        guarantee = self.row.entry.claim.guarantee
        if not isinstance(guarantee, PrivacyGuarantee):
            return None
        evidence = [evidence_record(each) for each in self.row.verdict.evidence]
        return {"claim": claimed_risk(guarantee), "shown": shown_risk(evidence)}

    def record(self) -> dict[str, Any]:
        """Return the result as plain values for JSON."""
        return {**record(self.row), "notes": list(self.notes)}

    def shortfall(self) -> str:
        """Say in a line what a pass lacks; a full one lacks nothing."""
        return shortfall(self.finding)

    def _before(self) -> str:
        leading, verdict = self.row.verdict.leading, self.verdict.value
        found = ({}, None) if leading is None else (leading.statistics, leading.detectable)
        return verdict_strength.before_verdict(verdict, *found, self.finding.notes)

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return at most ten lines for a person: verdict, bound, event, what would have been caught."""
        first = [self.row.outside] if self.row.outside else []
        head = f"{self._before()}{self.verdict}: {self._title()}"
        told = [*first, head, *(f"  {name:<7} {text}" for name, text in self.facts())]
        return [shortened(line, most=WIDE) for line in told]

    def facts(self) -> list[tuple[str, str]]:
        """Bound, event, draws, what would have been caught, and why: what there is of these, by name."""
        found, leading = [], self.row.verdict.leading
        found += [("false", note.text) for note in self.finding.notes if note.kind is Kind.CONTRADICTED]
        if self.row.proof is not None and self.verdict is Status.CERTIFIED:
            found.append(("proved", proof_line(self.row.proof)))
        if leading is not None:
            bound = f"{leading.measure.label()} >= {floor_text(leading.bound)}, claimed {leading.measure.claimed:.5g}"
            found.append(("bound", f"{bound} ({leading.auditor}, {sure(leading)})"))
            if event := leading.witness.get("event"):
                found.append(("event", f"{event} ({leading.witness.get('direction', '')})"))
            if leading.trials:
                found.append(("draws", f"{leading.trials} a side, seed {self.row.seed}"))
            if leading.detectable is not None and self.verdict is Status.NOT_REFUTED:
                rarest = self.row.rarest
                told = verdict_strength.caught(leading.measure.label(), leading.detectable, rarest=rarest)
                found.append(("caught", "; ".join(told)))
        if reason := reason_inside(self.row):
            found.append(("because", reason))
        return found

    def view(self) -> View:
        """The view shows the facts, the trade-off picture, and how to run the audit again."""
        leading = self.row.verdict.leading
        proof = self.row.proof if self.verdict is Status.CERTIFIED else None
        drawn = leading is not None and math.isfinite(leading.bound)
        return View(
            title=self._title(),
            verdict=self.verdict.value,
            before=self._before(),
            facts=[
                (name, shortened(text, most=WIDE))
                for name, text in (("outside", self.row.outside), *self.facts())
                if text
            ],
            tradeoff={} if leading is None else drawn_beside(_picture(leading), proof),
            measured=(leading.measure.label(), leading.measure.claimed, leading.bound) if leading and drawn else None,
            again=self.row.reproduce,
            notes=self.notes,
        )

    def _title(self) -> str:
        claim = self.row.entry.claim
        return f"{claim.guarantee.text()} of {claim.subject} under {claim.relation}"

    def finding_line(self) -> str:
        """Say in a line what was found."""
        if self.verdict is not Status.REFUTED:
            reason = one_line(self.row.verdict.reason) or "nothing was decided"
            return f"{self.row.entry.claim.guarantee.text()} of {self.row.id} is {self.verdict}: {reason}"
        claim, leading = self.row.entry.claim, self.row.verdict.leading
        told = f"{claim.guarantee.text()} of {claim.subject} is refuted"
        if leading is None:
            return told
        event = leading.witness.get("event")
        where = f", at the event {event} ({leading.witness.get('direction', '')})" if event else ""
        measured = f"{leading.measure.label()} >= {leading.bound:.5g} where {leading.measure.claimed:.5g} is claimed"
        return one_line(f"{told}: {measured} ({leading.auditor}, {sure(leading)}){where}")


def _picture(found: Evidence) -> Mapping[str, Any]:
    return with_certified(found.picture, found.measure.kind, found.measure.argument, found.bound)


def sure(found: Evidence) -> str:
    """Say how sure the bound is."""
    if found.confidence is not None:
        return f"confidence 1 - {1 - found.confidence:.2g}"
    return f"error {found.error:.2g}, {'proved' if found.proved else 'estimated'}"


def floor_text(bound: float) -> str:
    """A lower bound in five digits, rounded down so that it is one."""
    if not math.isfinite(bound):
        return str(bound)
    return f"{float(Context(prec=5, rounding=ROUND_FLOOR).create_decimal(Decimal(repr(bound)))):.5g}"
