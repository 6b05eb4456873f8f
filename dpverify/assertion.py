"""``dpverify.assert_dp``: an audit as an assertion, for any test runner; and what the pytest plug-in shares with it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from dpverify.adapters.bound import bound, function_of
from dpverify.adapters.signature import signature
from dpverify.api import looked_at
from dpverify.audit_result import AuditResult
from dpverify.code_key.key import CodeKey
from dpverify.core.callable_name import callable_name
from dpverify.core.errors import AuditError, ClaimRefuted, InputError
from dpverify.core.telling import Telling
from dpverify.core.verdict import Status
from dpverify.gate.evidence_folder import alone, evidence_file
from dpverify.gate.goal import RARE
from dpverify.gate.profiles import FALSE_ALARM_RATE
from dpverify.one_audit import NOT_KEPT
from dpverify.reporting.formatting import number
from dpverify.runner import power_words
from dpverify.runner.evidence_file import seeds_in
from dpverify.runner.record import rarest_of
from dpverify.runner.session import REPEATED
from dpverify.settled_audit import DEFAULT_SECONDS, settled_audit

DATA = ("data", "d0", "d1")

GRACE = 60.0
"""Seconds beyond four times the budget after which an audit is ended: compiling, loading, a machine that is busy."""

LATE = 1.5
"""Draws that need so many times the seconds that somebody chose are not begun."""

NO_EVIDENCE = "no evidence was added: the draws are those of an earlier session in the folder"


class VacuousAuditWarning(UserWarning):
    """A pass that could have seen nothing, less than was to be detected, or that holds in the example's ranges only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """How a gate audits.

    Attributes
    ----------
    seed : int
        Of the audit.
    seconds : float
        About so long it may take.
    false_alarm_rate : float
        Of the claim.
    detect : float or None
        The factor of the claim that a full pass must have been able to detect.
    evidence : Path or None
        A folder of evidence that is pooled over sessions.
    chosen : bool
        Whether somebody chose the seconds: draws that need clearly more are then not begun.
    fixed_seed : bool
        Whether somebody chose the seed: sessions of one seed add no evidence.
    regressions : Path or None
        A folder of made-up pairs that refuted claims: they are tried first, and new ones are saved.
    """

    seed: int = 0
    seconds: float = DEFAULT_SECONDS
    false_alarm_rate: float = FALSE_ALARM_RATE
    detect: float | None = None
    evidence: Path | None = None
    chosen: bool = False
    fixed_seed: bool = False
    regressions: Path | None = None

    def found(self, result: AuditResult) -> dict[str, Any]:
        """What a summary says of a result: plain JSON values."""
        tell = Telling()
        lines = [*tell("what was found", partial(told, result), ()), *tell.faults]
        leading = result.row.verdict.leading
        if self.evidence is not None and leading is not None:
            sessions = leading.statistics.get("nights", 1)  # the word of the record format
            pooled = f"evidence of {sessions} sessions, which share the one false-alarm probability"
            lines.append(next((note for note in result.notes if note.startswith(("evidence: ", NO_EVIDENCE))), pooled))
        return {
            "verdict": str(result.verdict),
            "weak": bool(result.verdict is Status.NOT_REFUTED and result.shortfall()),
            "claim": f"{result.row.entry.claim.guarantee.text()} of {result.row.entry.claim.subject}",
            "rate": self.false_alarm_rate,
            "lines": lines,
        }


def assert_dp(
    mechanism: Callable[..., Any],
    *,
    claim: Any,
    false_alarm_rate: float = FALSE_ALARM_RATE,
    strict: bool = False,
    **settings: Any,
) -> AuditResult:
    """Audit a callable as `dpverify.audit` does, in a process of its own, and raise where its claim is refuted.

    Parameters
    ----------
    mechanism, claim, settings : as for ``dpverify.audit``
        ``data=EXAMPLE`` at least.
    false_alarm_rate : float
        The probability to fail though the claim is true.
    strict : bool
        Raise, too, where the audit could have seen nothing, or less than was to be detected, and where the claim is
        false outside of what the example shows; a warning otherwise.

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
    gate = Gate(
        seed=settings.pop("seed", 0),
        chosen="seconds" in settings,
        seconds=settings.pop("seconds", DEFAULT_SECONDS),
        false_alarm_rate=false_alarm_rate,
        detect=settings.pop("detect", None),
    )
    result = look(mechanism, gate, claim=claim, **settings)
    if result.verdict is Status.REFUTED:
        plain = f"{result.row.entry.claim.guarantee.text()} of {result.row.entry.claim.subject} is refuted"
        raise ClaimRefuted(Telling()("what was found", partial(failure, result), plain))
    short = result.shortfall()
    if result.verdict in (Status.UNSUPPORTED, Status.ERROR) or (short and strict):
        raise AuditError(short or f"{result.verdict}: {result.row.verdict.reason}")
    if short:
        warnings.warn(VacuousAuditWarning(short), stacklevel=2)
    return result


def look(mechanism: Callable[..., Any], gate: Gate, **settings: Any) -> AuditResult:
    """The audit of a gate: the auditor ``gate``, on an example or on a pair, watched where that can be."""
    mechanism = bound(mechanism, settings.pop("parameters", None))
    words = asked(gate, settings)
    if gate.evidence is None or "data" not in settings or "methods" in settings or settings.get("sequential"):
        return _looked_at(mechanism, gate, words)
    code = key_of(mechanism, gate, settings)
    if code.unknown:
        result = _looked_at(mechanism, gate, words)
        return replace(result, notes=(*result.notes, f"evidence: {NOT_KEPT}: {code.unknown}"))
    path = evidence_file(gate.evidence, callable_name(mechanism), code.text)
    with alone(path):
        used = seeds_in(path)
        keywords, _ = signature(function_of(mechanism), path.stem)
        seeded = gate.fixed_seed and "rng" in keywords  # a seed means nothing to a mechanism that is given no rng
        seed = gate.seed if seeded else max(used, default=-1) + 1
        del words["methods"], words["rare"]
        words |= {"sequential": True, "seed": seed}
        if seed not in used:
            try:
                return _looked_at(mechanism, gate, {**words, "evidence_file": path}, code)
            except InputError as problem:
                if REPEATED not in problem.what:
                    raise
        result = _looked_at(mechanism, gate, words)  # nothing is learned, and no probability is spent
        return replace(result, notes=(*result.notes, NO_EVIDENCE))


def _looked_at(
    mechanism: Callable[..., Any], gate: Gate, words: dict[str, Any], code: CodeKey | None = None
) -> AuditResult:
    """The audit, isolated where that can be; refused before its draws where they need too long."""
    isolate = words.pop("isolate", hasattr(os, "fork"))
    one = replace(settled_audit(mechanism, **words), code=code)
    longest = LATE * words["seconds"] if gate.chosen else words["max_seconds"]
    return looked_at(replace(one, longest=longest), isolate=isolate, regressions=words.get("regressions"))


def key_of(mechanism: Callable[..., Any], gate: Gate, settings: Mapping[str, Any], *things: Any) -> CodeKey:
    """Of the audit's code, data and settings, and of other things.

    Raises
    ------
    InputError
        For settings that no audit takes.
    """
    words = asked(gate, settings)
    words.pop("isolate", None)
    plain = {name: repr(value) for name, value in settings.items() if name not in (*DATA, "progress")}
    data = [settings.get(name) for name in DATA]
    return settled_audit(mechanism, **words).code_key(sorted(plain.items()), data, *things)


def asked(gate: Gate, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of ``dpverify.audit`` for a gate that pools no evidence: its own, below those of the settings."""
    words: dict[str, Any] = {
        "seed": gate.seed,
        "confidence": 1.0 - gate.false_alarm_rate,
        "seconds": gate.seconds,
        **settings,
    }
    if gate.regressions is not None and "data" in settings:
        words.setdefault("regressions", gate.regressions)
    words.setdefault("max_seconds", 4.0 * words["seconds"] + GRACE)
    if "methods" not in words and not words.get("sequential"):
        few = gate.detect is None and not gate.chosen and not {"seconds", "trials", "detect"} & set(settings)
        words = {"detect": gate.detect, "rare": RARE if few else None, **words, "methods": ["gate"]}
    return words


def told(result: AuditResult) -> list[str]:
    """What a result says, one line each: the bound, what would have been caught, the pair, how to make it again."""
    leading = result.row.verdict.leading
    if leading is None:
        return [result.row.verdict.reason]
    label, claimed = leading.measure.label(), number(leading.measure.claimed)
    sure = f"false-alarm probability {1 - leading.confidence:.2g}" if leading.confidence is not None else "exact"
    lines = [f"{label} >= {number(leading.bound, 4)}, claimed {claimed} ({sure}, {leading.trials} draws a side)"]
    if result.verdict is Status.NOT_REFUTED and leading.detectable is not None:
        lines += power_words.caught(label, leading.detectable, rarest=rarest_of(result.row))
        lines[-1] += f"; could certify at most {number(leading.ceiling, 4)}"
    if result.row.verdict.reason:
        lines.append(result.row.verdict.reason)
    return lines


def failure(result: AuditResult, *, page: Path | None = None) -> str:
    """The text of a failed assertion."""
    claim, leading = result.row.entry.claim, result.row.verdict.leading
    lines = [f"{claim.guarantee.text()} of {claim.subject} is refuted under {claim.relation}", *told(result)]
    if leading is not None:
        witness = leading.witness
        lines += [f"{side}: {_short(witness[side])}" for side in ("d0", "d1") if side in witness]
        if witness.get("event"):
            lines.append(f"event: {witness['event']}")
    lines += [note for note in result.notes if note.startswith(("assumed: ", "noise: ", "regression: "))]
    if page is not None:
        lines.append(f"picture: {page}")
    lines.append(f"again: {result.row.reproduce}")
    return "\n  ".join(lines)


def _short(data: Any, most: int = 400) -> str:
    text = repr(data)
    return text if len(text) <= most else f"{text[: most - 3]}..."
