"""An audit of one callable, made ready: its settings checked and completed, its data, its one unit and its plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpverify.adapters.bound import bound
from dpverify.adapters.callable_mechanism import CallableMechanism, OnError
from dpverify.adapters.signature import Call
from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.auditing import Auditor, Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.subjects import Guarantee
from dpverify.core.suite import DEFAULT_CONFIDENCE, SuiteEntry
from dpverify.definitions.grammar import parse_guarantee
from dpverify.gate.goal import RARE, sought_factor, with_goal
from dpverify.gate.neighbourhood import of_example, of_pair
from dpverify.gate.neighbours import Bounds
from dpverify.gate.outside import DOMAINS, Domain
from dpverify.gate.sample import sample_of
from dpverify.gate.saved_pairs import with_saved_pairs
from dpverify.one_audit import OneAudit, silent
from dpverify.programs.command import PROGRAM, Command
from dpverify.programs.mechanism import CommandMechanism
from dpverify.runner.plan import Plan, check_confidence, chosen_auditors, task_streams, unit_for
from dpverify.stats.intervals import LARGEST_TRIALS

DEFAULT_TRIALS = 200_000
"""Draws a side on a pair that the user brings."""

DEFAULT_SECONDS = 30.0
"""Of an audit that finds its neighbours."""

LONGEST_CALL = 60.0
"""Seconds of one call, at least, where draws are to fit into seconds: what hangs cannot be audited in them."""


def settled_audit(
    mechanism: Callable[..., Any],
    d0: Any = None,
    d1: Any = None,
    *,
    claim: Guarantee | str,
    data: Any = None,
    records: Any = None,
    bounds: Bounds | str | None = None,
    unit: str | None = None,
    domain: Domain = "example",
    relation: str | None = None,
    trials: int | None = None,
    seconds: float | None = None,
    confidence: float = DEFAULT_CONFIDENCE,
    seed: int = 0,
    call: Call | None = None,
    methods: Sequence[str] | None = None,
    name: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    progress: Callable[[str, float], None] | None = None,
    on_error: OnError = "raise",
    max_seconds: float | None = None,
    max_seconds_per_call: float | None = None,
    sequential: bool = False,
    detect: float | None = None,
    evidence_file: Path | str | None = None,
    regressions: Path | str | None = None,
    show_records: bool = False,
    rare: float | None = None,
) -> OneAudit:
    """The audit of `audit`, ready to begin: all that is wrong with what was asked is said here, before any draw."""
    limited = any(each is not None for each in (seconds, trials, detect, rare))
    seconds = DEFAULT_SECONDS if seconds is None else seconds
    made, sampled = data is not None, ""
    unlimited = all(each is None for each in (trials, max_seconds, max_seconds_per_call))
    might_hang = made and unlimited and 0 < seconds < math.inf
    per_call = max(LONGEST_CALL, 2.0 * seconds) if might_hang else max_seconds_per_call
    limit = TimeLimit(seconds=max_seconds, per_call=per_call)
    check_confidence(confidence)
    if trials is not None and not 1 <= trials <= LARGEST_TRIALS:
        raise InputError(f"trials = {trials}", allowed=f"an integer in [1, {LARGEST_TRIALS}]")
    if not seconds > 0:
        raise InputError(f"seconds = {seconds}", allowed="a number above 0")
    known = registry()
    guarantee = parse_guarantee(claim, known.definitions.mapping()) if isinstance(claim, str) else claim
    if domain not in DOMAINS:
        raise InputError(f"domain {domain!r}", allowed=", ".join(DOMAINS))
    of_records = {"records": records, "bounds": bounds, "unit": unit}
    folder = None if regressions is None else Path(regressions)
    if made:
        if d0 is not None or d1 is not None:
            raise InputError("data beside d0 and d1", allowed="one example, or a pair", remedy="leave one of them out")
        data, sampled = sample_of(data, relation=relation, seed=seed)
        place = of_example(data, relation=relation, **of_records)
    else:
        stated = None if domain == "example" else domain
        _check_pair(d0, d1, {**of_records, "domain": stated, "regressions": regressions})
        place = of_pair(d0, d1, relation=relation, known=known)
    if parameters and isinstance(mechanism, Command):
        raise InputError("parameters with a command", allowed="a callable with them; a command says how it is started")
    mechanism = bound(mechanism, parameters)
    kind = CommandMechanism if isinstance(mechanism, Command) else CallableMechanism
    subject = kind(mechanism, call=call, on_error=on_error, limit=limit)
    known_as = (name or subject.name).replace(" ", "-")
    claimed = Claim(
        id=known_as,
        streams=known_as.rpartition(":")[2],  # the command line names the module, too, and draws the same
        guarantee=guarantee,
        relation=place.relation,
        subject=mechanism.text if isinstance(mechanism, Command) else subject.name,
        source=Source(paper="user", locus=PROGRAM if isinstance(mechanism, Command) else ""),
        space=SearchSpace(),
    )
    task = Task(
        claim=claimed,
        build=_builder(subject),
        neighbors=place.generator,
        alpha=1 - confidence,
        trials=trials or DEFAULT_TRIALS,
        stream=task_streams(seed, claimed.stream_name),
        seed=seed,
    )
    asked = _asked_for(methods, sequential, detect, evidence_file, made=made)
    if rare is not None and (asked != ["gate"] or not 0.0 <= rare <= 0.5):
        raise InputError(f"rare = {rare:g}", allowed="a number in [0, 0.5], where the gate audits")
    if asked == ["gate"] and not limited:
        rare = RARE
    auditors, gated = chosen_auditors(known, asked), asked == ["gate"]
    if made and sequential and detect is None:
        detect = sought_factor(guarantee.measures()[0])
    settings = {
        "name": None if name is None or ":" in name else name,  # the command line's own name for a callable
        "relation": relation,
        "trials": trials,
        "confidence": confidence,
        "seed": seed,
        "call": call,
        "methods": methods,
        "on_error": on_error,
        "max_seconds": max_seconds,
        "max_seconds_per_call": max_seconds_per_call,
        "sequential": sequential,
        "detect": detect,
        "rare": rare,
        "evidence_file": evidence_file,
        "domain": domain,
        **of_records,
    }
    return OneAudit(
        subject=subject,
        place=place,
        plan=_plan(
            SuiteEntry(claim=claimed, suites=()),
            task,
            auditors,
            confidence=confidence,
            detect=detect,
            rare=rare,
            saved=None if sequential else folder,
        ),
        data={"data": data} if made else {"d0": d0, "d1": d1},
        settings=settings,
        limit=limit,
        seconds=seconds if (made or gated) and trials is None else None,
        sequential=sequential,
        detect=detect,
        evidence_file=evidence_file,
        show_records=show_records,
        domain=domain,
        sampled=sampled,
        progress=progress or silent,
    )


def _plan(
    entry: SuiteEntry,
    task: Task,
    auditors: Sequence[Auditor],
    *,
    confidence: float,
    detect: float | None,
    rare: float | None,
    saved: Path | None,
) -> Plan:
    """One unit, its auditors with equal shares of the false-alarm probability; saved pairs come first."""
    unit = with_saved_pairs(with_goal(unit_for(entry, task, auditors), detect, rare=rare), saved)
    statistical = sum(auditor.statistical for auditor in unit.auditors)
    alpha = (1 - confidence) / max(1, statistical)
    return Plan(
        units=(replace(unit, task=replace(unit.task, alpha=alpha)),),
        seed=task.seed,
        confidence=confidence,
        alpha=alpha,
        statistical=statistical,
        profile="quick",
        suite="audit",
    )


def _check_pair(d0: Any, d1: Any, settings: dict[str, Any]) -> None:
    """InputError where there is neither an example nor a pair, or a setting of examples with a pair."""
    if d0 is None or d1 is None:
        raise InputError(
            "no data", allowed="data=EXAMPLE, one example data set", remedy="or the two data sets of a pair: d0, d1"
        )
    used = [name for name, value in settings.items() if value is not None]
    if used:
        raise InputError(f"{', '.join(used)} beside d0 and d1", allowed="these settings with data=EXAMPLE only")


def _asked_for(
    methods: Sequence[str] | None,
    sequential: bool,
    detect: float | None,
    evidence_file: Path | str | None,
    *,
    made: bool,
) -> Sequence[str] | None:
    """The auditors' names; InputError where the options contradict one another."""
    if not sequential:
        if made and methods is None and evidence_file is None:
            return ["gate"]
        gated = methods is not None and set(methods) == {"gate"}
        if (detect is not None and not gated) or evidence_file is not None:
            raise InputError(
                "detect or an evidence file without a sequential audit",
                allowed="both only where the audit may stop at any time",
                remedy="add sequential=True (--sequential)",
            )
        return methods
    if methods is not None and set(methods) != {"sequential"}:
        raise InputError(f"sequential with the methods {', '.join(methods)}", allowed="one or the other")
    return ["sequential"]


def _builder(subject: CallableMechanism) -> Callable[..., CallableMechanism]:
    def build(**_searched: Any) -> CallableMechanism:
        return subject

    return build
