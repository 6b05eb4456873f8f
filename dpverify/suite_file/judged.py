"""What a gate makes of an entry's result: does it fail, is the failure accepted, does a pass say too little.

The same for `dpverify run` and for pytest.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from typing import Any

from dpverify.audit_result import AuditResult
from dpverify.core.verdict import Status
from dpverify.suite_file.entry import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A result, judged.

    Attributes
    ----------
    result : AuditResult
        As it is reported: with ``strict``, a pass that says too little is inconclusive, with the reason.
    fails : bool
        Whether the gate fails, but for an acceptance.
    accepted : str
        Why a failure is accepted; empty where none is, or where none is any more.
    told : tuple of str
        What the author of the file should know, one line each.
    """

    result: AuditResult
    fails: bool
    accepted: str = ""
    told: tuple[str, ...] = ()


def judged(result: AuditResult, entry: Entry, *, strict: bool, today: datetime.date) -> Judged:
    """Judge the result of an entry; what is known to be broken passes by its refutation alone."""
    if entry.expect == "broken":
        return Judged(result=result, fails=result.verdict is not Status.REFUTED)
    short = result.shortfall()
    status = result.verdict
    if strict and short:
        status = Status.INCONCLUSIVE
        result = _with(result, status, short if result.verdict is not status else result.row.verdict.reason)
    fails = status in (Status.REFUTED, Status.ERROR, Status.UNSUPPORTED) or (strict and status is Status.INCONCLUSIVE)
    told = () if fails or not short else (short,)
    accepted, more = acceptance(entry, status, today=today)
    return Judged(result=result, fails=fails, accepted=accepted, told=(*told, *([more] if more else [])))


def acceptance(entry: Entry, status: Status, *, today: datetime.date) -> tuple[str, str]:
    """Why a verdict is accepted, and what the author of the file should know; each empty where there is nothing."""
    accept, where = entry.accept, f"{entry.file.name}:{entry.line}"
    if accept is None:
        return "", ""
    until = f"until {accept.until.isoformat()}"
    if str(status) == accept.verdict and today <= accept.until:
        return f"accepted {until}: {accept.reason}", ""
    if str(status) == accept.verdict:
        return "", (
            f"{entry.name} was accepted as {accept.verdict} {until} ({accept.reason}), and that day is over: mend the "
            f"mechanism, or accept it anew with a later day ({where})"
        )
    if status in (Status.NOT_REFUTED, Status.CERTIFIED):
        return "", f"{entry.name} is accepted as {accept.verdict}, and is not any more: delete its `accept` ({where})"
    return "", ""


def accepted_record(entry: Entry) -> dict[str, Any]:
    """The field of a record of which the failure is accepted."""
    accept = entry.accept
    return {} if accept is None else {"accepted": {"until": accept.until.isoformat(), "reason": accept.reason}}


def _with(result: AuditResult, status: Status, reason: str) -> AuditResult:
    verdict = replace(result.row.verdict, status=status, reason=reason)
    return replace(result, verdict=status, row=replace(result.row, verdict=verdict))
