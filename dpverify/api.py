"""``dpverify.audit(mechanism, claim=..., data=EXAMPLE)`` audits one callable; ``d0, d1`` are for a pair one knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpverify.adapters.callable_mechanism import OnError
from dpverify.adapters.signature import Call
from dpverify.audit_result import AuditResult
from dpverify.core.errors import InputError
from dpverify.core.subjects import Guarantee
from dpverify.core.suite import DEFAULT_CONFIDENCE
from dpverify.core.watchdog_page import current_page
from dpverify.gate.neighbours import Bounds
from dpverify.gate.outside import Domain
from dpverify.gate.saved_pairs import save_pair, told_of_replays
from dpverify.one_audit import OneAudit
from dpverify.programs.command import Command
from dpverify.settled_audit import settled_audit


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
    isolate: bool = False,
    show_records: bool = False,
    rare: float | None = None,
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
        An example data set: a list of numbers, tuples or dicts, an array, a table, ``(X, y)``. Of more than 100,000
        records so many are taken, drawn by the seed; under another relation than add-remove, refused. What a record is
        and
        its ranges are read off it and said in the result. They decide the verdict; where nothing is stated by `records`
        or `bounds`, a tenth of the draws tries what the example does not show (see `domain`).
    records : str, hypothesis strategy or None
        What a record is, where the example does not show it: ``"float(0, 1)"``, or a strategy for one record.
    bounds : tuple, mapping, str or None
        The range of single values, ``(0, 1)``, or of columns, ``{"age": (0, 120)}``.
    unit : str or None
        The column that says whose record it is: neighbours then differ in all records of one user.
    domain : "example" or "type"
        What a claim means that holds in the example's ranges and falls outside (NaN, infinities, large records, ends of
        integer types, unseen texts): with ``example`` the result begins with ``false unless records lie in [0, 1]`` and
        is no refutation; with ``type`` it is one.
    relation : str or None
        Under which data sets are neighbours; None reads it off the pair, and is ``add-remove`` for an example.
    trials : int or None
        Draws per side. On a pair, of the certified part (200,000 when None; selecting the event takes up to as many
        again); for an example, of the whole audit (None: as many as take about `seconds`).
    seconds : float or None
        For an example and for the auditor ``gate``: about so long the audit may take (30 when None). Turned into a
        number of draws by a clock before the audit. Half of these are spent at least, unless the claim falls; with
        None, and neither `trials` nor `detect`, as few as decide, and about two seconds more for what is rare.
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
    rare : float or None
        The part of the draws, in [0, 0.5], in which the auditor ``gate`` looks for what is rare once the rest is
        decided, if outputs repeat values. None: a quarter, whatever the outputs are, or about two seconds (0.06) where
        none of `seconds`, `trials` and `detect` is given.

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
    try:
        saved = save_pair(result.row, function, one.place, None if regressions is None else Path(regressions))
    except InputError as problem:  # a verdict is worth more than its file
        saved = (f"regression: not saved: {problem.what}",)
    return replace(result, notes=(*result.notes, *told_of_replays(result.row), *saved))
