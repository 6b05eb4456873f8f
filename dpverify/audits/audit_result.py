"""What ``dpverify.audit`` returns."""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.audits.finding import Finding
from dpverify.audits.result import Result
from dpverify.core.note import plain_notes
from dpverify.core.verdict import Status


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AuditResult(Result):
    """The result of one audit. It is neither true nor false: compare `verdict`, or call `check`.

    Attributes
    ----------
    verdict : Status
        ``refuted``, ``certified`` (proved from the code), ``not_refuted`` (never "private"), ``inconclusive`` (the
        audit could have seen nothing, or was stopped), ``unsupported`` or ``error``.
    epsilon_lower : float or None
        Lower bound on the headline measure of the claim at the stated confidence: never above the truth, up to it.
    epsilon_upper : float or None
        Upper bound that was proved from the code (of the claim's own parameter: mu, rho): never below the truth, in
        real arithmetic with ideal noise. None where nothing was, and where the audit contradicts it.
    epsilon_estimate : float or None
        A point estimate; no bound, and no verdict rests on it.
    evidence : Evidence or None
        Counts, event, witness: all that is needed to compute the bound again.
    relation : str
        The neighbour relation, given or read off the pair (`relation_inferred`).
    reproducible : bool
        Whether the mechanism takes its randomness from the generator that it is given.
    notes : tuple of str
        What the mechanism's author should know, one line each; no verdict rests on it.
    row : Row
        The row for reports.
    """

    finding: Finding

    @property
    def epsilon_lower(self) -> float | None:
        """The lower confidence bound on epsilon."""
        return self.evidence.bound if self.evidence else None

    @property
    def epsilon_upper(self) -> float | None:
        """The upper bound that was proved from the code."""
        return self.row.proof["upper"] if self.row.proof and self.verdict is Status.CERTIFIED else None

    @property
    def epsilon_estimate(self) -> float | None:
        """The point estimate of epsilon."""
        return self.evidence.estimate if self.evidence else None

    @property
    def relation(self) -> str:
        """The name of the neighbour relation."""
        return self.row.entry.claim.relation

    @property
    def relation_inferred(self) -> bool:
        """Tell whether it was read off the pair."""
        return self.finding.inferred

    @property
    def reproducible(self) -> bool:
        """Tell whether the mechanism takes its randomness from the generator that it is given."""
        return self.finding.reproducible


def result_of(finding: Finding) -> AuditResult:
    """The result of a finding; why a claim is unsupported stands among its notes, too."""
    if finding.status is Status.UNSUPPORTED:
        finding = finding.noting(*plain_notes(finding.row.verdict.reason))
    return AuditResult(finding=finding)
