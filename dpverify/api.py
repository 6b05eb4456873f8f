"""``dpverify.audit(mechanism, claim=..., data=EXAMPLE)`` audits one callable; ``d0, d1`` are for a pair one knows."""

from __future__ import annotations

import gc
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
from dpverify.audit_result import AuditResult, result_of, unless_blind, unless_vacuous, with_meaning
from dpverify.core.auditing import Reaches, Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import AuditError, InputError
from dpverify.core.interrupt import handle_ctrl_c_here, listening
from dpverify.core.plugins import registry
from dpverify.core.subjects import Guarantee
from dpverify.core.suite import DEFAULT_CONFIDENCE, SuiteEntry
from dpverify.core.verdict import Status
from dpverify.definitions.grammar import parse_guarantee
from dpverify.gate.clock import draws_within
from dpverify.gate.goal import sought_factor, with_goal
from dpverify.gate.neighbourhood import Neighbourhood, of_example, of_pair
from dpverify.gate.neighbours import Bounds
from dpverify.gate.notes import gate_notes
from dpverify.gate.redact import redacted
from dpverify.runner.audit_unit import run_unit
from dpverify.runner.memory import limit_memory_with_children, share_of_machine
from dpverify.runner.plan import Plan, Unit, check_confidence, chosen_auditors, task_streams, unit_for
from dpverify.runner.row import Row
from dpverify.runner.row_transfer import row_of, row_values
from dpverify.runner.sequential_session import with_session
from dpverify.runner.watched_process import WatchedProcess

DEFAULT_TRIALS = 200_000
"""Draws a side on a pair that the user brings."""

HIDDEN = object()
"""Stands for data that are not written out."""

DEFAULT_SECONDS = 30.0
"""Of an audit that finds its neighbours."""


def audit(
    mechanism: Callable[..., Any],
    d0: Any = None,
    d1: Any = None,
    *,
    claim: Guarantee | str,
    data: Any = None,
    records: Any = None,
    bounds: Bounds | str | None = None,
    unit: str | None = None,
    relation: str | None = None,
    trials: int | None = None,
    seconds: float = DEFAULT_SECONDS,
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
    show_records: bool = False,
) -> AuditResult:
    """Audit a callable on neighbours that are made from one example data set, or on one pair.

    With `data` the audit makes neighbours like the example, looks for the pair on which the claim fares worst, and
    tests the claim there, cheapest first: replay where the noise can be recorded, bets, one event (the auditor
    ``gate``). With `d0` and `d1` it looks at that pair alone.

    The mechanism is called in this process. Whatever it raises is contained (`SystemExit`, `CancelledError`, a
    `KeyboardInterrupt` that nobody pressed), and so is a copy of this process that it forks and lets come back. What
    it does to the process itself is not: `os._exit`, a crash in C code, memory without end, threads that never end,
    closed descriptors, signal handlers, C code that never returns. `isolate` is for that.

    Parameters
    ----------
    mechanism : callable
        ``f(dataset, rng)``, ``f(dataset, size, rng)`` or ``f(dataset)``.
    d0, d1 : object
        The two data sets, where there is no `data`; each call gets its own copy.
    claim : Guarantee or str
        For example ``PureDP(epsilon=1)``, or the same as text.
    data : object
        An example data set: a list of numbers, tuples or dicts, an array, a table, ``(X, y)``. What a record is and
        its ranges are read off it and said in the result.
    records : str, hypothesis strategy or None
        What a record is, where the example does not show it: ``"float(0, 1)"``, or a strategy for one record.
    bounds : tuple, mapping, str or None
        The range of single values, ``(0, 1)``, or of columns, ``{"age": (0, 120)}``.
    unit : str or None
        The column that says whose record it is: neighbours then differ in all records of one user.
    relation : str or None
        Under which data sets are neighbours; None reads it off the pair, and is ``add-remove`` for an example.
    trials : int or None
        Draws per side. On a pair, of the certified part (200,000 when None; selecting the event takes up to as many
        again); for an example, of the whole audit (None: as many as take about `seconds`).
    seconds : float
        For an example: about so long the audit may take. Turned into a number of draws by a clock before the audit.
    confidence : float
        One-sided, of the whole audit.
    seed : int
        Same seed and same trials, same result, for a mechanism that draws from the `rng` it is given.
    methods : sequence of str or None
        Names of auditors (`dpverify list auditors`), which share the false-alarm probability; None for the usual ones.
    on_error : "raise" or "output"
        What an exception of the mechanism is: an InputError, or an output that events may be made of. With `data`,
        made-up pairs on which it raises are passed over, and counted in the notes.
    max_seconds : float or None
        For the whole audit. What it stops is inconclusive: draws made by then are thrown away (see `time_limit`).
    max_seconds_per_call : float or None
        For each call of the mechanism; a longer one is an InputError. Python code is broken into, C code is not, but
        with `isolate`, where it is ended.
    sequential : bool
        Short for ``methods=["sequential"]``: bet on the draws as they come, and stop when the claim falls.
    detect : float or None
        A factor above 1: with an epsilon of 2 claimed, 1.1 asks about a true epsilon of 2.2. For an example, what a
        full pass must have been able to detect with 80 % power (by default twice the claimed value; above a claimed
        epsilon of 3, the claim and 1 more). For sequential audits, the audit stops once such a value would have been
        detected, if the whole violation shows at the event that is bet on.
    evidence_file : path or None
        For sequential audits: the file that pools the evidence of several sessions, each with a seed of its own.
    isolate : bool
        Audit in a process of its own, which a watchdog ends (where there is ``fork``: not on Windows; best before this
        process starts threads). Only plain numbers and text come back; what the mechanism changes in memory does not,
        and `progress` hears nothing. It may take four fifths of the machine's memory.
    show_records : bool
        Show the pair in the result even where it holds records of your example; they are left out otherwise.

    Returns
    -------
    AuditResult

    Raises
    ------
    InputError
        Bad claim, data, mechanism or outputs; one line that says what, what is allowed and how to mend it.
    OutOfTimeError
        When `max_seconds` are over where there is no audit to be called inconclusive yet.
    AuditError
        When the mechanism raises what is no Exception; with `isolate`, when its process ends without a result, or is
        ended for its memory.
    """
    limit = TimeLimit(seconds=max_seconds, per_call=max_seconds_per_call)
    check_confidence(confidence)
    if trials is not None and trials < 1:
        raise InputError(f"trials = {trials}", allowed="an integer >= 1")
    if not seconds > 0:
        raise InputError(f"seconds = {seconds}", allowed="a number above 0")
    known = registry()
    guarantee = parse_guarantee(claim, dict(known.definitions.items())) if isinstance(claim, str) else claim
    made = data is not None
    settings = {"records": records, "bounds": bounds, "unit": unit}
    if made:
        if d0 is not None or d1 is not None:
            raise InputError("data beside d0 and d1", allowed="one example, or a pair", remedy="leave one of them out")
        place = of_example(data, relation=relation, **settings)
    else:
        _only_with_data(d0, d1, settings)
        place = of_pair(d0, d1, relation=relation, known=known)
    subject = CallableMechanism(mechanism, call=call, on_error=on_error, limit=limit)
    known_as = (name or subject.name).replace(" ", "-")
    entry = SuiteEntry(
        claim=Claim(
            id=known_as,
            streams=known_as.rpartition(":")[2],  # the command line names the module, too, and draws the same
            guarantee=guarantee,
            relation=place.relation,
            subject=subject.name,
            source=Source(paper="user", locus=""),
            space=SearchSpace(),
        ),
        suites=(),
    )
    task = Task(
        claim=entry.claim,
        build=_builder(subject),
        neighbors=place.generator,
        alpha=1 - confidence,
        trials=trials or DEFAULT_TRIALS,
        stream=task_streams(seed, entry.claim.stream_name),
        seed=seed,
    )
    asked = _asked_for(methods, sequential, detect, evidence_file, made=made)
    unit_ = unit_for(entry, task, chosen_auditors(known, asked))
    statistical = sum(auditor.statistical for auditor in unit_.auditors)
    alpha = (1 - confidence) / max(1, statistical)
    unit_ = replace(unit_, task=replace(task, alpha=alpha))
    unit_ = with_goal(unit_, detect)
    if made and sequential and detect is None:
        detect = sought_factor(guarantee.measures()[0])
    plan = Plan(
        units=(unit_,),
        seed=seed,
        confidence=confidence,
        alpha=alpha,
        statistical=statistical,
        profile="quick",
        suite="audit",
    )
    given = {
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
        **(settings if made else {}),
    }
    example = {"data": data} if made else {"d0": d0, "d1": d1}

    def look() -> AuditResult:
        now, spent = unit_, trials
        before: list[str] = []
        with limit, listening(), handle_ctrl_c_here(f"the mechanism {subject.name}", Interrupted):
            first = place.returning(subject, stream=task.stream)
            # Replays and exact laws need no draws, and take the outputs as they are.
            notes: tuple[str, ...] = ()
            if statistical:
                notes = probe(subject, first.d0, first.d1, trials=now.task.trials, stream=task.stream)
            if made and trials is None:
                spent, each = draws_within(seconds, subject, first.d0, first.d1, stream=task.stream)
                now = replace(now, task=replace(now.task, trials=spent))
                before.append(f"trials={spent} draws a side, for about {seconds:g} s at {each:.2g} s a call")
            before += _out_of_reach(now)
            report = progress or (lambda _message, _share: None)
            for line in before:
                report(line, 0.0)
            if sequential:  # after the probe: it finds mechanisms out that only seem to be reproducible
                now = with_session(
                    now,
                    detect=detect,
                    file=evidence_file,
                    pair=first,
                    confidence=confidence,
                    reproducible=subject.reproducible,
                )
            whole = replace(plan, units=(now,))
            try:
                row = run_unit(now, whole, report=report, strict=True, limit=limit)
            except DependentError as problem:  # independent draws come here with probability 1e-9 a look
                if sequential or not subject.one_by_one(problem):
                    raise
                row = run_unit(now, whole, report=report, strict=True, limit=limit)
        shown = example if show_records else _shown(place, row, example)
        used = {**given, "trials": spent}
        if made and "data" not in shown:  # the pair alone
            used |= dict.fromkeys(settings) | {"methods": methods or ["gate"], "relation": place.relation}
        again = reproduce_command(mechanism, shown, claim=guarantee.text(), settings=used)
        row = replace(with_meaning(row, subject), reproduce=again)
        row = unless_vacuous(unless_blind(row, subject.blind), subject, rng=task.stream("ignores data"))
        if not show_records:
            row = redacted(row, place)
        notes = (*notes, *notes_after_audit(subject), *place.assumed, *before, *gate_notes(row))
        return result_of(row, place.inferred, subject.reproducible, notes)

    return _isolated(look, entry, inferred=place.inferred) if isolate else look()


def _only_with_data(d0: Any, d1: Any, settings: dict[str, Any]) -> None:
    """InputError where there is neither an example nor a pair, or a setting of examples with a pair."""
    if d0 is None or d1 is None:
        raise InputError(
            "no data", allowed="data=EXAMPLE, one example data set", remedy="or the two data sets of a pair: d0, d1"
        )
    used = [name for name, value in settings.items() if value is not None]
    if used:
        raise InputError(f"{', '.join(used)} beside d0 and d1", allowed="these settings with data=EXAMPLE only")


def _shown(place: Neighbourhood, row: Row, example: dict[str, Any]) -> dict[str, Any]:
    """The data for the line that makes an audit again: never the user's example, which goes to no log.

    A refutation is made again on its pair, which is made up, where JSON gives the pair back.
    """
    leading = row.verdict.leading
    if "data" not in example:
        return example
    if leading is None or row.verdict.status is not Status.REFUTED or not isinstance(example["data"], list):
        return {"data": HIDDEN}
    if place.shows_records(str(leading.witness.get("pair", ""))):
        return {"data": HIDDEN}
    return {"d0": leading.witness["d0"], "d1": leading.witness["d1"]}


def _out_of_reach(unit: Unit) -> list[str]:
    """What the draws cannot detect though it was asked for, before they are made."""
    lines = (auditor.reach(unit.task) for auditor in unit.auditors if isinstance(auditor, Reaches))
    return [line for line in lines if line]


def _isolated(look: Callable[[], AuditResult], entry: SuiteEntry, *, inferred: bool) -> AuditResult:
    """The result of a process of its own: what comes back is plain data, and nothing else is made of it."""

    def work() -> dict[str, Any]:
        gc.freeze()  # what this process has inherited is not looked through again and again, which took half the time
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
