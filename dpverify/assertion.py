"""``dpverify.assert_dp``: an audit as an assertion, for any test runner; and what the pytest plug-in shares with it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from dpverify.adapters.bound import bound, function_of
from dpverify.adapters.signature import signature
from dpverify.audits.asked import Asked
from dpverify.audits.audit import answer
from dpverify.audits.audit_result import AuditResult
from dpverify.audits.callable_audit import NOT_KEPT
from dpverify.audits.question import Question, answers
from dpverify.audits.settle import settle
from dpverify.code_key.key import CodeKey
from dpverify.core.callable_name import callable_name
from dpverify.core.errors import AuditError, ClaimRefuted, InputError
from dpverify.core.note import Kind, Note, Telling
from dpverify.core.verdict import Status
from dpverify.neighbourhood.evidence_folder import alone, evidence_file
from dpverify.reporting.formatting import number
from dpverify.runner import verdict_strength
from dpverify.runner.session import REPEATED, seeds_in
from dpverify.runner.verdict_strength import proof_line

LATE = 1.5
"""Draws that need so many times the seconds that somebody chose are not begun."""

NO_EVIDENCE = Note(Kind.REPEATED, "no evidence was added: the draws are those of an earlier session in the folder")


class VacuousAuditWarning(UserWarning):
    """A pass that could have seen nothing, less than was to be detected, or that holds in the example's ranges only."""


@answers(Question)
def assert_dp(question: Question) -> AuditResult:
    """Audit a callable as `dpverify.audit` does, in a process of its own, and raise where its claim is refuted.

    Parameters
    ----------
    false_alarm_rate : float or None
        The probability to fail though the claim is true; 1e-9 when neither it nor `confidence` is given.
    strict : bool
        Raise, too, where the audit could have seen nothing, or less than was to be detected, and where the claim is
        false outside of what the example shows; a warning otherwise.
    isolate : bool or None
        None: in a process of its own, where there is ``fork``.

    All other parameters are those of ``dpverify.audit``.

    Returns
    -------
    AuditResult

    Raises
    ------
    ClaimRefuted
        An AssertionError: the claim, the certified bound, the pair, and one line that makes the audit again.
    AuditError
        Where nothing could be audited; with `strict`, where a pass says too little.
    InputError
        As ``dpverify.audit``.
    """
    words = {name: value for name, value in question.words().items() if name != "strict"}
    result = audit_asked(question.mechanism, Asked(), **words)
    if result.verdict is Status.REFUTED:
        plain = f"{result.row.entry.claim.guarantee.text()} of {result.row.entry.claim.subject} is refuted"
        raise ClaimRefuted(Telling()("what was found", partial(failure, result), plain))
    short = result.shortfall()
    if result.verdict in (Status.UNSUPPORTED, Status.ERROR) or (short and question.strict):
        raise AuditError(short or f"{result.verdict}: {result.row.verdict.reason}")
    if short:
        warnings.warn(VacuousAuditWarning(short), stacklevel=3)
    return result


def audit_asked(mechanism: Callable[..., Any], asked: Asked, **words: Any) -> AuditResult:
    """The audit of an example or of a pair as it is asked for, watched where that can be; evidence is pooled."""
    mechanism = bound(mechanism, words.pop("parameters", None))
    words = {name: value for name, value in words.items() if value is not None}
    question = asked.question(mechanism, **words)
    chosen = asked.seconds is not None or "seconds" in words
    longest = LATE * (question.seconds or 0.0) if chosen else question.max_seconds
    if asked.evidence is None or question.data is None or "methods" in words or question.sequential:
        return _answer(question, longest)
    return _pooled(question, asked.evidence, longest, seeded=asked.seed is not None, of=words)


def _pooled(
    question: Question, folder: Path, longest: float | None, *, seeded: bool, of: Collection[str]
) -> AuditResult:
    """The audit, with the evidence of earlier sessions of the same claim, code and settings `of` the call."""
    code, mechanism = key_of(question, of=of), question.mechanism
    if code.unknown:
        result = _answer(question, longest)
        return replace(result, finding=result.finding.noting(Note(Kind.EVIDENCE, f"{NOT_KEPT}: {code.unknown}")))
    path = evidence_file(folder, callable_name(mechanism), code.text)
    with alone(path):
        used = seeds_in(path)
        keywords, _ = signature(function_of(mechanism), path.stem)
        fixed = seeded and "rng" in keywords  # a seed means nothing to a mechanism that is given no rng
        seed = question.seed if fixed else max(used, default=-1) + 1
        question = replace(question, methods=None, rare=None, sequential=True, seed=seed)
        if seed not in used:
            try:
                return _answer(replace(question, evidence_file=path), longest, code)
            except InputError as problem:
                if REPEATED not in problem.what:
                    raise
        result = _answer(question, longest)  # nothing is learned, and no probability is spent
        return replace(result, finding=result.finding.noting(NO_EVIDENCE))


def _answer(question: Question, longest: float | None, code: CodeKey | None = None) -> AuditResult:
    """The audit; refused before its draws where they need longer."""
    return answer(replace(settle(question), code=code, longest=longest))


def key_of(question: Question, *things: Any, of: Collection[str] | None = None) -> CodeKey:
    """The key of the audit's claim, code, data and settings, and of other things.

    Parameters
    ----------
    of : collection of str or None
        The settings that count, where others may differ: evidence is pooled over seeds and budgets. None for all.

    Raises
    ------
    InputError
        For settings that no audit takes.
    """
    left_out = ("progress", "isolate", "show_records", "regressions", "max_seconds")
    audit = settle(question)
    plain = {
        name: repr(value)
        for name, value in question.given().items()
        if name not in left_out and (of is None or name in of)
    }
    plain["claim"] = audit.plan.units[0].entry.claim.guarantee.text()
    return audit.code_key(sorted(plain.items()), [*question.data_sets().values()], *things)


def summary(result: AuditResult, asked: Asked, rate: float) -> dict[str, Any]:
    """A summary of many audits shows these plain JSON values of a result, whose false-alarm probability is `rate`."""
    tell = Telling()
    lines = [*tell("what was found", partial(told, result), ()), *tell.faults]
    leading = result.row.verdict.leading
    if asked.evidence is not None and leading is not None:
        sessions = leading.statistics.get("nights", 1)  # the word of the record format
        pooled = f"evidence of {sessions} sessions, which share the one false-alarm probability"
        about = (Kind.EVIDENCE, Kind.EVIDENCE_LOST, Kind.REPEATED)
        lines.append(next((str(note) for note in result.finding.notes if note.kind in about), pooled))
    return {
        "verdict": str(result.verdict),
        "weak": bool(result.verdict is Status.NOT_REFUTED and result.shortfall()),
        "claim": f"{result.row.entry.claim.guarantee.text()} of {result.row.entry.claim.subject}",
        "rate": rate,
        "lines": lines,
    }


def told(result: AuditResult) -> list[str]:
    """Return a line each on the bound, what would have been caught, the pair, and how to make the audit again."""
    leading = result.row.verdict.leading
    proof = result.row.proof if result.verdict is Status.CERTIFIED else None
    proved = [] if proof is None else [f"proved: {proof_line(proof)}"]
    if leading is None:
        return proved or [result.row.verdict.reason]
    label, claimed = leading.measure.label(), number(leading.measure.claimed)
    sure = f"false-alarm probability {1 - leading.confidence:.2g}" if leading.confidence is not None else "exact"
    lines = [f"{label} >= {number(leading.bound, 4)}, claimed {claimed} ({sure}, {leading.trials} draws a side)"]
    if result.verdict is Status.NOT_REFUTED and leading.detectable is not None:
        lines += verdict_strength.caught(label, leading.detectable, rarest=result.row.rarest)
        lines[-1] += f"; could certify at most {number(leading.ceiling, 4)}"
    if result.row.verdict.reason:
        lines.append(result.row.verdict.reason)
    return [*proved, *lines]


def failure(result: AuditResult, *, page: Path | None = None) -> str:
    """The text of a failed assertion."""
    claim, leading = result.row.entry.claim, result.row.verdict.leading
    lines = [f"{claim.guarantee.text()} of {claim.subject} is refuted under {claim.relation}", *told(result)]
    if leading is not None:
        witness = leading.witness
        lines += [f"{side}: {_short(witness[side])}" for side in ("d0", "d1") if side in witness]
        if witness.get("event"):
            lines.append(f"event: {witness['event']}")
    about = (Kind.CONTRADICTED, Kind.ABOVE, Kind.ASSUMED, Kind.NOISE, Kind.REGRESSION, Kind.REGRESSION_LOST)
    lines += [str(note) for note in result.finding.notes if note.kind in about]
    if page is not None:
        lines.append(f"picture: {page}")
    lines.append(f"again: {result.row.reproduce}")
    return "\n  ".join(lines)


def _short(data: Any, most: int = 400) -> str:
    text = repr(data)
    return text if len(text) <= most else f"{text[: most - 3]}..."
