"""``dpverify.audit(mechanism, claim=..., data=EXAMPLE)`` audits one callable; ``d0, d1`` are for a pair one knows."""

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
from dpverify.audit_result import AuditResult
from dpverify.core.auditing import Auditor, Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.subjects import Guarantee
from dpverify.core.suite import DEFAULT_CONFIDENCE, SuiteEntry
from dpverify.core.watchdog_page import current_page
from dpverify.definitions.grammar import parse_guarantee
from dpverify.gate.goal import sought_factor, with_goal
from dpverify.gate.neighbourhood import of_example, of_pair
from dpverify.gate.neighbours import Bounds
from dpverify.gate.saved_pairs import save_pair, told_of_replays, with_saved_pairs
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
    parameters: Mapping[str, Any] | None = None,
    progress: Callable[[str, float], None] | None = None,
    on_error: OnError = "raise",
    max_seconds: float | None = None,
    max_seconds_per_call: float | None = None,
    sequential: bool = False,
    detect: float | None = None,
    evidence_file: Path | str | None = None,
    regressions: Path | str | None = None,
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
    closed descriptors, signal handlers, C code that never returns. `isolate` is for that. A program
    (`dpverify.command`) is always audited so.

    Parameters
    ----------
    mechanism : callable
        ``f(dataset, rng)``, ``f(dataset, size, rng)`` or ``f(dataset)``; an instance that has such a method ``sample``;
        or ``dpverify.command("./program")``.
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
        For an example and for the auditor ``gate``: about so long the audit may take. Turned into a number of draws by
        a clock before the audit.
    confidence : float
        One-sided, of the whole audit.
    seed : int
        Same seed and same trials, same result, for a mechanism that draws from the `rng` it is given.
    methods : sequence of str or None
        Names of auditors (`dpverify list auditors`), which share the false-alarm probability; None for the usual ones.
    parameters : mapping or None
        Values of further parameters of the mechanism by name, ``{"scale": 2.0}``. Of a class they make its instance.
    on_error : "raise" or "output"
        What an exception of the mechanism is: an InputError, or an output that events may be made of. With `data`,
        made-up pairs on which it raises are passed over, and counted in the notes.
    max_seconds : float or None
        For the whole audit. What it stops is inconclusive: draws made by then are thrown away (see `time_limit`).
    max_seconds_per_call : float or None
        For each call of the mechanism; a longer one is an InputError. Python code is broken into, C code is not, but
        with `isolate`, where it is ended. None: no limit; for an example without `trials` and `max_seconds`, a
        minute, or twice `seconds` if that is more.
    sequential : bool
        Short for ``methods=["sequential"]``: bet on the draws as they come, and stop when the claim falls.
    detect : float or None
        A factor above 1: with an epsilon of 2 claimed, 1.1 asks about a true epsilon of 2.2. For an example, what a
        full pass must have been able to detect with 80 % power (by default twice the claimed value; above a claimed
        epsilon of 3, the claim and 1 more). For sequential audits, the audit stops once such a value would have been
        detected, if the whole violation shows at the event that is bet on.
    evidence_file : path or None
        For sequential audits: the file that pools the evidence of several sessions, each with a seed of its own.
    regressions : path or None
        A folder. A made-up pair that refutes the claim is saved there, and saved pairs are tried first, with half of
        the false-alarm probability and a quarter of the draws. With `data` only; sequential audits save and do not try.
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
    words = {name: value for name, value in locals().items() if name != "isolate"}
    return looked_at(settled_audit(**words), isolate=isolate, regressions=regressions)


def looked_at(one: OneAudit, *, isolate: bool = False, regressions: Path | str | None = None) -> AuditResult:
    """The result of an audit that is ready to begin; arguments and errors as for `audit`."""
    function = one.subject.function
    unwatched_program = isinstance(function, Command) and current_page() is None
    result = one.look_isolated() if isolate or unwatched_program else one.look()
    saved = save_pair(result.row, function, one.place, None if regressions is None else Path(regressions))
    return replace(result, notes=(*result.notes, *told_of_replays(result.row), *saved))


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
    relation: str | None = None,
    trials: int | None = None,
    seconds: float = DEFAULT_SECONDS,
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
) -> OneAudit:
    """The audit of `audit`, ready to begin: all that is wrong with what was asked is said here, before any draw."""
    made = data is not None
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
    of_records = {"records": records, "bounds": bounds, "unit": unit}
    folder = None if regressions is None else Path(regressions)
    if made:
        if d0 is not None or d1 is not None:
            raise InputError("data beside d0 and d1", allowed="one example, or a pair", remedy="leave one of them out")
        place = of_example(data, relation=relation, **of_records)
    else:
        _check_pair(d0, d1, {**of_records, "regressions": regressions})
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
        "evidence_file": evidence_file,
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
        progress=progress or silent,
    )


def _plan(
    entry: SuiteEntry,
    task: Task,
    auditors: Sequence[Auditor],
    *,
    confidence: float,
    detect: float | None,
    saved: Path | None,
) -> Plan:
    """One unit, its auditors with equal shares of the false-alarm probability; saved pairs come first."""
    unit = with_saved_pairs(with_goal(unit_for(entry, task, auditors), detect), saved)
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
