"""Verdicts, and the one place where evidence becomes one.

"Not refuted" means what it says; no word here means "private".
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn, Self

from dpverify.core.claim import Claim
from dpverify.core.errors import AuditError, ClaimRefuted, InputError
from dpverify.core.evidence import Evidence


class Status(StrEnum):
    """The only six things that can be said of a claim."""

    REFUTED = "refuted"
    CERTIFIED = "certified"
    NOT_REFUTED = "not_refuted"
    INCONCLUSIVE = "inconclusive"
    UNSUPPORTED = "unsupported"
    ERROR = "error"


PASSES = (Status.NOT_REFUTED, Status.CERTIFIED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A claim, what was said of it, and on which evidence (the first is the one that the verdict rests on)."""

    claim: Claim
    status: Status
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""

    @property
    def leading(self) -> Evidence | None:
        """The evidence that the verdict rests on; None when nothing could be measured."""
        return self.evidence[0] if self.evidence else None


def judge(evidence: Evidence) -> Status:
    """Return the verdict of one piece of evidence.

    Statistical evidence refutes when its bound clears the claim at its confidence; what is marked as vacuous is
    inconclusive where it does not. Exact evidence refutes or
    certifies only with a proved error; a search, a float grid or an estimated error never certifies.
    """
    if evidence.confidence is not None:
        if evidence.excess > 0:
            return Status.REFUTED
        return Status.INCONCLUSIVE if evidence.statistics.get("vacuous") else Status.NOT_REFUTED
    error = evidence.error or 0.0
    if evidence.excess > 0:
        return (
            Status.REFUTED
            if evidence.proved and evidence.bound - error > evidence.measure.claimed
            else Status.INCONCLUSIVE
        )
    within = evidence.bound + error <= evidence.measure.claimed
    if evidence.proved and within and evidence.coverage in ("enumeration", "enclosure"):
        return Status.CERTIFIED
    return Status.NOT_REFUTED


def beside_proof(status: Status, *, falls_outside: bool) -> Status:
    """The verdict on a claim that was proved from the code, where an audit says `status`.

    A refutation stands, and so does a claim that falls outside of its example: both contradict the proof.
    """
    weaker = (Status.NOT_REFUTED, Status.INCONCLUSIVE, Status.UNSUPPORTED)
    return Status.CERTIFIED if status in weaker and not falls_outside else status


def why_vacuous(evidence: Evidence) -> str:
    """Why evidence that does not refute could not have: no violation up to its ceiling was detectable; else empty."""
    if evidence.detectable is None or evidence.ceiling is None:
        return ""
    if evidence.detectable <= evidence.ceiling:
        return ""
    if coin := evidence.statistics.get("hidden_coin"):
        return (
            f"a replay sees nothing past the first hidden random draw ({coin}); audit by draws instead: the method "
            "event or an example (data=)"
        )
    return (
        "nothing was detectable: at the event that was chosen, no value that these draws could certify would have been "
        "found with 80 % power; the outputs on this pair of data sets are too much alike, or the claim is far above "
        "what is lost there: give data on which the outputs differ more, more draws, or a tighter claim"
    )


# An excess without a proof comes before "not refuted": it must not be hidden by another method's weaker look.
_ORDER = [Status.REFUTED, Status.CERTIFIED, Status.INCONCLUSIVE, Status.NOT_REFUTED]


def decide(
    claim: Claim, evidence: Sequence[Evidence], *, unsupported: str = "", failures: Sequence[str] = ()
) -> Verdict:
    """The verdict on a claim from all the evidence about it.

    A failure beside a refutation does not undo the refutation; a failure alone is an error. A certificate beside
    another exact method's excess, proved or not, is a contradiction: an error of ours, said as such. A certificate
    beside draws that refute is none: the law is as claimed, and the sampler does not follow it.
    """
    judged = [(judge(item), item) for item in evidence]
    found = {status for status, _ in judged}
    if Status.CERTIFIED in found and any(item.confidence is None and item.excess > 0 for item in evidence):
        names = ", ".join(f"{item.auditor}: {status}" for status, item in judged)
        return Verdict(
            claim=claim,
            status=Status.ERROR,
            evidence=tuple(evidence),
            reason=f"the methods contradict each other ({names})",
        )
    if Status.REFUTED not in found and failures:
        return Verdict(claim=claim, status=Status.ERROR, evidence=tuple(evidence), reason="; ".join(failures))
    if not judged:
        return Verdict(
            claim=claim, status=Status.UNSUPPORTED, reason=unsupported or "no auditor can examine this claim"
        )
    ranked = sorted(judged, key=lambda pair: (_ORDER.index(pair[0]), -pair[1].tightness))
    status, leading = ranked[0]
    vacuous = str(leading.statistics.get("vacuous", "")) if status is Status.INCONCLUSIVE else ""
    reason = "; ".join(failures) or vacuous
    return Verdict(claim=claim, status=status, evidence=tuple(item for _, item in ranked), reason=reason)


class CheckedResult:
    """A result with a verdict. It is neither true nor false: compare `verdict`, or call `check`."""

    __slots__ = ()

    @property
    @abstractmethod
    def verdict(self) -> Status:
        """``refuted``, ``not_refuted`` (never "private"), ``inconclusive``, ``unsupported``, ``error``."""

    @abstractmethod
    def finding_line(self) -> str:
        """Say in a line what was found: the text of the error that `check` raises."""

    @abstractmethod
    def record(self) -> Any:
        """Return the result as plain values for JSON."""

    def shortfall(self) -> str:
        """Say in a line what a pass lacks; a full one lacks nothing."""
        return ""

    def check(self, *, require_power: bool = False) -> Self:
        """The result itself, unless a claim is refuted or nothing was decided.

        Parameters
        ----------
        require_power : bool
            Whether a pass must have been able to detect what was to be detected.

        Raises
        ------
        ClaimRefuted
            When a claim is refuted. The message says what was found.
        AuditError
            When nothing was decided (``inconclusive``, ``unsupported``, ``error``), which must not count as a pass;
            with `require_power`, when a pass says too little (`shortfall`).
        """
        if self.verdict is Status.REFUTED:
            raise ClaimRefuted(self.finding_line())
        if self.verdict not in PASSES:
            raise AuditError(self.finding_line())
        if require_power and (short := self.shortfall()):
            raise AuditError(short)
        return self

    def __bool__(self) -> NoReturn:
        raise InputError(
            f"a result ({self.verdict}) used as true or false",
            allowed="compare result.verdict, or call result.check(), which raises ClaimRefuted for a refuted claim",
            remedy="in a test write: dpverify.audit(...).check()",
        )
