"""``dpverify.audit(mechanism, claim=..., data=EXAMPLE)`` audits one callable; ``d0, d1`` are for a pair one knows."""

from __future__ import annotations

from pathlib import Path

from dpverify.audits.audit_result import AuditResult, result_of
from dpverify.audits.callable_audit import CallableAudit
from dpverify.audits.judges import Known, judged_for_suite
from dpverify.audits.question import Question, answers
from dpverify.audits.settle import settle
from dpverify.core.errors import InputError
from dpverify.core.note import Kind, Note
from dpverify.core.watchdog_page import current_page
from dpverify.neighbourhood.saved_failures import save_failure, told_of_replays
from dpverify.programs.command import Command


@answers(Question)
def audit(question: Question) -> AuditResult:
    """Audit a callable on neighbours that are made from one example data set, or on one pair.

    With `data` the audit makes neighbours like the example, looks for the pair on which the claim fares worst, and
    tests the claim there, cheapest first: replay where the noise can be recorded, bets, one event (the auditor
    ``gate``). Before that the code is read (`dpverify.derive`): what is proved is ``certified``, unless the audit
    refutes it. With `d0` and `d1` it looks at that pair alone.

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
        For an example and for the auditor ``gate``: about so long the audit may take (30 when None; half a second
        beside a proof). Turned into a number of draws by a clock before the audit. Half of these are spent at least,
        unless the claim falls; with None, and neither `trials` nor `detect`, as few as decide, and about two seconds
        more for what is rare.
    confidence : float or None
        One-sided, of the whole audit; 0.999 when neither it nor `false_alarm_rate` is given.
    false_alarm_rate : float or None
        1 - `confidence`, stated as the probability to refute a true claim. Not both.
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
        A folder. A made-up pair that refutes the claim is saved there, and saved failures are tried first, with half of
        the false-alarm probability and a quarter of the draws. With `data` only; sequential audits save and do not try.
    isolate : bool or None
        Audit in a process of its own, which a watchdog ends (where there is ``fork``: not on Windows; best before this
        process starts threads). Only plain numbers and text come back; what the mechanism changes in memory does not,
        and `progress` hears nothing. It may take four fifths of the machine's memory.
    show_records : bool
        Show the pair in the result even where it holds records of your example; they are left out otherwise.
    strict : bool
        Whether a pass that says too little (`AuditResult.shortfall`) is inconclusive.
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
    return answer(settle(question))


def answer(audit: CallableAudit) -> AuditResult:
    """The result of an audit that is ready to begin; errors as for `audit`."""
    function, question = audit.subject.function, audit.question
    unwatched_program = isinstance(function, Command) and current_page() is None
    finding = audit.look_isolated() if question.isolate or unwatched_program else audit.look()
    folder = None if question.regressions is None else Path(question.regressions)
    try:
        saved = save_failure(finding.row, function, audit.place, folder)
    except InputError as problem:  # a verdict is worth more than its file
        saved = (Note(Kind.REGRESSION_LOST, f"not saved: {problem.what}"),)
    finding = finding.noting(*told_of_replays(finding.row), *saved)
    return result_of(judged_for_suite(finding, Known(strict=question.strict)))
