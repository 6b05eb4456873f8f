"""``dpverify.audit(mechanism, d0, d1, claim=...)`` audits one callable on one pair of neighbouring data sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpverify.adapters.callable_mechanism import CallableMechanism, OnError
from dpverify.adapters.probe import notes_after_audit, probe
from dpverify.adapters.repeated_draws import DependentError
from dpverify.adapters.reproduce_command import reproduce_command
from dpverify.adapters.signature import Call
from dpverify.adapters.time_limit import Interrupted, TimeLimit
from dpverify.audit_result import AuditResult, result_of, unless_blind, with_meaning
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import AuditError, InputError
from dpverify.core.interrupt import handle_ctrl_c_here, listening
from dpverify.core.plugins import registry
from dpverify.core.subjects import Guarantee, Pair
from dpverify.core.suite import DEFAULT_CONFIDENCE, SuiteEntry
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.datasets.neighbors.infer_relation import infer_relation, not_neighbours
from dpverify.datasets.neighbors.json_values import plain_dataset
from dpverify.definitions.grammar import parse_guarantee
from dpverify.runner.audit_unit import run_unit
from dpverify.runner.memory import limit_memory_with_children, share_of_machine
from dpverify.runner.plan import Plan, check_confidence, chosen_auditors, task_streams, unit_for
from dpverify.runner.row_transfer import row_of, row_values
from dpverify.runner.sequential_session import with_session
from dpverify.runner.watched_process import WatchedProcess

DEFAULT_TRIALS = 200_000


def audit(
    mechanism: Callable[..., Any],
    d0: Any,
    d1: Any,
    *,
    claim: Guarantee | str,
    relation: str | None = None,
    trials: int = DEFAULT_TRIALS,
    confidence: float = DEFAULT_CONFIDENCE,
    seed: int = 0,
    call: Call | None = None,
    methods: Sequence[str] | None = None,
    name: str | None = None,
    progress: Callable[[str, float], None] | None = None,
    on_error: OnError = "raise",
    max_seconds: float | None = None,
    max_seconds_per_call: float | None = None,
    sequential: bool = False,
    detect: float | None = None,
    evidence_file: Path | str | None = None,
    isolate: bool = False,
) -> AuditResult:
    """Audit a callable on one pair of neighbouring data sets.

    The mechanism is called in this process. Whatever it raises is contained (`SystemExit`, `CancelledError`, a
    `KeyboardInterrupt` that nobody pressed), and so is a copy of this process that it forks and lets come back. What
    it does to the process itself is not: `os._exit`, a crash in C code, memory without end, threads that never end,
    closed descriptors, signal handlers, C code that never returns. `isolate` is for that.

    Parameters
    ----------
    mechanism : callable
        ``f(dataset, rng)``, ``f(dataset, size, rng)`` or ``f(dataset)``.
    d0, d1 : object
        The two data sets; each call gets its own copy.
    claim : Guarantee or str
        For example ``PureDP(epsilon=1)``, or the same as text.
    relation : str or None
        Under which the pair must be neighbours; None reads it off the pair.
    trials : int
        Draws per side for the certified part; selecting the event takes up to as many again.
    confidence : float
        One-sided, of the whole audit.
    seed : int
        Same seed, same result, for a mechanism that draws from the `rng` it is given.
    methods : sequence of str or None
        Names of auditors (`dpverify list auditors`), which share the false-alarm probability; None for the usual ones.
    on_error : "raise" or "output"
        What an exception of the mechanism is: an InputError, or an output that events may be made of.
    max_seconds : float or None
        For the whole audit. What it stops is inconclusive: draws made by then are thrown away (see `time_limit`).
    max_seconds_per_call : float or None
        For each call of the mechanism; a longer one is an InputError. Python code is broken into, C code is not, but
        with `isolate`, where it is ended.
    sequential : bool
        Short for ``methods=["sequential"]``: bet on the draws as they come, and stop when the claim falls.
    detect : float or None
        For sequential audits: a factor above 1. The audit stops once a true value of so many times the claim's
        headline number would have been detected with 80 % power, if the whole violation shows at the event that is bet
        on. With an epsilon of 2 claimed, 1.1 asks about a true epsilon of 2.2.
    evidence_file : path or None
        For sequential audits: the file that pools the evidence of several sessions, each with a seed of its own.
    isolate : bool
        Audit in a process of its own, which a watchdog ends (where there is ``fork``: not on Windows; best before this
        process starts threads). Only plain numbers and text come back; what the mechanism changes in memory does not,
        and `progress` hears nothing. It may take four fifths of the machine's memory.

    Returns
    -------
    AuditResult

    Raises
    ------
    InputError
        Bad claim, pair, mechanism or outputs; one line that says what, what is allowed and how to mend it.
    OutOfTimeError
        When `max_seconds` are over where there is no audit to be called inconclusive yet.
    AuditError
        When the mechanism raises what is no Exception; with `isolate`, when its process ends without a result, or is
        ended for its memory.
    """
    limit = TimeLimit(seconds=max_seconds, per_call=max_seconds_per_call)
    check_confidence(confidence)
    if trials < 1:
        raise InputError(f"trials = {trials}", allowed="an integer >= 1")
    known = registry()
    guarantee = parse_guarantee(claim, dict(known.definitions.items())) if isinstance(claim, str) else claim
    if plain_dataset(d0) == plain_dataset(d1):
        raise InputError("d0 and d1 are the same", allowed="two different neighbours", remedy="change one record")
    found = relation or infer_relation(d0, d1)
    if found is None:
        relations = dict.fromkeys(each.relation for _, each in known.neighbors.items())
        raise InputError(
            f"d0 and d1 are not neighbours under any relation that can be read off a pair: {not_neighbours(d0, d1)}",
            allowed="one record more or less (add-remove), or one record replaced (replace)",
            remedy=f"name the relation with --relation: {', '.join(relations)}",
        )
    reason = known.neighbors.get(found).check(d0, d1)
    if reason is not None:
        raise InputError(
            f"d0 and d1 are not neighbours under {found}: {reason}",
            allowed="a neighbouring pair",
            remedy="correct the pair, or name another relation",
        )
    subject = CallableMechanism(mechanism, call=call, on_error=on_error, limit=limit)
    known_as = (name or subject.name).replace(" ", "-")
    entry = SuiteEntry(
        claim=Claim(
            id=known_as,
            streams=known_as.rpartition(":")[2],  # the command line names the module, too, and draws the same
            guarantee=guarantee,
            relation=found,
            subject=subject.name,
            source=Source(paper="user", locus=""),
            space=SearchSpace(),
        ),
        suites=(),
    )
    task = Task(
        claim=entry.claim,
        build=_builder(subject),
        neighbors=FixedPair(d0=d0, d1=d1, relation=found),
        alpha=1 - confidence,
        trials=trials,
        stream=task_streams(seed, entry.claim.stream_name),
        seed=seed,
    )
    unit = unit_for(entry, task, chosen_auditors(known, _asked_for(methods, sequential, detect, evidence_file)))
    statistical = sum(auditor.statistical for auditor in unit.auditors)
    alpha = (1 - confidence) / max(1, statistical)
    unit = replace(unit, task=replace(task, alpha=alpha))
    plan = Plan(
        units=(unit,),
        seed=seed,
        confidence=confidence,
        alpha=alpha,
        statistical=statistical,
        profile="quick",
        suite="audit",
    )

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
        "evidence_file": evidence_file,
    }
    again = reproduce_command(mechanism, d0, d1, claim=guarantee.text(), settings=settings)

    def look() -> AuditResult:
        now, whole = unit, plan
        with limit, listening(), handle_ctrl_c_here(f"the mechanism {subject.name}", Interrupted):
            # Replays and exact laws need no draws, and take the outputs as they are.
            notes = probe(subject, d0, d1, trials=trials, stream=task.stream) if statistical else ()
            if sequential:  # after the probe: it finds mechanisms out that only seem to be reproducible
                now = with_session(
                    unit,
                    detect=detect,
                    file=evidence_file,
                    pair=Pair(d0=d0, d1=d1),
                    confidence=confidence,
                    reproducible=subject.reproducible,
                )
                whole = replace(plan, units=(now,))
            report = progress or (lambda _message, _share: None)
            try:
                row = run_unit(now, whole, report=report, strict=True, limit=limit)
            except DependentError as problem:  # independent draws come here with probability 1e-9 a look
                if sequential or not subject.one_by_one(problem):
                    raise
                row = run_unit(now, whole, report=report, strict=True, limit=limit)
        row = replace(with_meaning(row, subject), reproduce=again)
        row = unless_blind(row, subject.blind)
        return result_of(row, relation is None, subject.reproducible, (*notes, *notes_after_audit(subject)))

    return _isolated(look, entry, inferred=relation is None) if isolate else look()


def _isolated(look: Callable[[], AuditResult], entry: SuiteEntry, *, inferred: bool) -> AuditResult:
    """The result of a process of its own: what comes back is plain data, and nothing else is made of it."""

    def work() -> dict[str, Any]:
        limit_memory_with_children(share_of_machine())
        result = look()
        return {"row": row_values(result.row), "reproducible": result.reproducible, "notes": result.notes}

    found = WatchedProcess(work).result()
    try:
        notes = tuple(map(str, found["notes"]))
        return result_of(row_of(found["row"], entry), inferred, bool(found["reproducible"]), notes)
    except (TypeError, LookupError) as problem:
        raise AuditError("the audit's process sent no result that can be read") from problem


def _asked_for(
    methods: Sequence[str] | None, sequential: bool, detect: float | None, evidence_file: Path | str | None
) -> Sequence[str] | None:
    """The auditors' names; InputError where the options contradict one another."""
    if not sequential:
        if detect is not None or evidence_file is not None:
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
