"""``dpverify.audit_accountant``: do an accountant's answers contradict each other, or a lower bound?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from dpverify.accountant_audit.cases import Case, cases, plainest
from dpverify.accountant_audit.judge import Judge
from dpverify.accountant_audit.kinds import NUMBERS, AuditedRun
from dpverify.accountant_audit.relations import (
    AnswerContradiction,
    AnswerRelation,
    AskedAccountant,
    NotComparedError,
    relations,
)
from dpverify.accountant_audit.result import AccountantAuditResult, AccountantClaim, RelationRow
from dpverify.accountant_audit.subject import RefusedError, Subject, subject_of
from dpverify.adapters.time_limit import Interrupted, TimeLimit
from dpverify.audits.finding import Finding
from dpverify.audits.judges import Known, judged
from dpverify.core.claim import Claim, Source
from dpverify.core.errors import InputError
from dpverify.core.note import Kind, Note
from dpverify.core.rules import OPEN_UNIT
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status
from dpverify.core.watchdog_page import handle_ctrl_c_here, listening

SETTINGS = 60
PER_CALL = 60.0


def audit_accountant(
    accountant: Any,
    *,
    steps: Iterable[str] | Mapping[str, Iterable[str]] | None = None,
    relation: str | None = None,
    error: float | None = None,
    settings: int = SETTINGS,
    max_seconds_per_call: float = PER_CALL,
    seed: int = 0,
    name: str | None = None,
) -> AccountantAuditResult:
    """Search settings for answers of a privacy accountant that contradict each other, or a lower bound.

    Parameters
    ----------
    accountant : str, callable or object
        A name (``rdp`` of ours, ``dp_accounting.rdp`` of a library); a function of ``sigma``, ``steps``, ``delta``,
        and ``q`` and ``sensitivity`` where it has them; or a class, a function of nothing, or an object with
        ``compose(step, count)`` and ``epsilon(delta)``. ``step`` is a dict such as
        ``{"step": "poisson-gaussian", "q": 0.1, "sigma": 1.0}``. It may have ``delta(epsilon)``, and ``state_dict()``
        with ``load_state_dict(state)``. It answers an upper bound, or (lower, upper) where it states both.
    steps : list of str, mapping, or None
        Kinds of steps that `compose` takes (``gaussian``, ``poisson-gaussian``, ``laplace``, ``pure``,
        ``exponential``, ``zcdp``), or their numbers by kind; None for the accountant's own ``steps``, or ``gaussian``.
    relation : str or None
        The neighbour relation that its answers hold for, ``add-remove`` or ``replace``; None for its own ``relation``,
        or the first. Where nothing is sampled, the sensitivity is the relation's.
    error : float or None
        The relative error that the accountant states: each answer is at most so far above the truth. Two answers that
        contradict each other beyond it refute the accountant; without it they are inconsistent.
    settings : int
        Settings that each relation is looked at in, at most.
    max_seconds_per_call : float
        Limit of one call.
    seed : int
        Same seed, same result.
    name : str or None
        In messages and results, instead of the accountant's own.

    Returns
    -------
    AccountantAuditResult

    Raises
    ------
    InputError
        One line for wrong arguments, and for an accountant that answers none of its plainest questions.

    Notes
    -----
    ``refuted`` rests on a lower bound that is never above the truth, or on intervals that the accountant states.
    Where nothing is found the accountant may still be wrong, and one that is loose in all its answers is never refuted.
    """
    begun = time.perf_counter()
    if isinstance(settings, bool) or not isinstance(settings, int) or settings < 1:
        raise InputError(f"settings = {settings!r}", allowed="a whole number >= 1")
    if error is not None:
        OPEN_UNIT.checked("error", error)
    limit = TimeLimit(per_call=max_seconds_per_call)
    subject = subject_of(accountant, steps=steps, relation=relation, error=error, limit=limit, name=name)
    asked = AskedAccountant(subject, Judge(relation=subject.relation))
    with limit, listening(), handle_ctrl_c_here(f"the accountant {subject.name}", Interrupted):
        _refuse_silence(subject)
        rows = tuple(_row(each, asked, settings=settings, seed=seed) for each in relations(subject))
    claim = Claim(
        id="-".join(subject.name.split()),
        guarantee=AccountantClaim(steps=tuple(subject.steps)),
        relation=subject.relation,
        subject=subject.name,
        source=Source(paper="user", locus=""),
    )
    found = {row.verdict for row in rows}
    worst = (Status.REFUTED, Status.INCONCLUSIVE, Status.NOT_REFUTED)
    status = next((each for each in worst if each in found), Status.INCONCLUSIVE)
    reason = next((f"{row.name}: {row.words}" for row in rows if row.verdict is status), "no relation could be asked")
    finding = Finding.without_evidence(
        SuiteEntry(claim=claim, suites=()),
        status,
        "" if status is Status.NOT_REFUTED else reason,
        seed=seed,
        seconds=time.perf_counter() - begun,
    )
    notes = [Note(Kind.PLAIN, subject.known)] if subject.known else []
    return AccountantAuditResult(
        finding=judged(finding.noting(*notes), Known()),
        rows=rows,
        version=subject.version,
        relation=subject.relation,
        steps=tuple(subject.steps),
        calls=subject.calls,
    )


def _refuse_silence(subject: Subject) -> None:
    """InputError where no plain question, one step of a kind, has an answer."""
    problems = []
    for kind, numbers in subject.steps.items():
        for place in (0, -1):
            run = AuditedRun(kind, tuple((name, NUMBERS[name].plain[place]) for name in numbers))
            try:
                subject.epsilon((run,), 1e-5)
                return
            except RefusedError as problem:
                problems.append(f"{kind}: {problem}")
    raise InputError(
        f"{subject.name} answers no question; {problems[0]}",
        allowed="an accountant that answers for one plain step at delta = 1e-5",
    )


def _row(relation: AnswerRelation, asked: AskedAccountant, *, settings: int, seed: int) -> RelationRow:
    """Search for a setting that contradicts one relation, and tell it."""
    row = partial(RelationRow, name=relation.name, asks=relation.asks)
    if why := relation.unsupported(asked):
        return row(verdict=Status.UNSUPPORTED, words=f"not asked: {why}")
    looked: dict[Case, str] = {}

    def found(case: Case) -> AnswerContradiction | None:
        try:
            contradiction = relation.look(asked, case)
        except RefusedError as problem:
            looked[case] = str(problem)
            return None
        except NotComparedError:
            return None
        looked[case] = ""
        return contradiction

    def score(case: Case) -> float:
        try:
            return relation.score(asked, case)
        except RefusedError:
            return 0.0

    drawn = cases(
        asked.subject,
        fewest_runs=relation.fewest_runs,
        most_runs=relation.most_runs,
        most_count=relation.most_count,
        number=relation.number,
    )

    def search(shows: Callable[[Case], bool]) -> Case | None:
        examples = max(1, round(settings * relation.share))
        return plainest(drawn, shows, score if relation.climbs else None, examples=examples, seed=seed)

    case = search(lambda each: found(each) is not None)
    unanswered = sum(map(bool, looked.values()))
    row = partial(row, settings=len(looked), unanswered=unanswered)
    if case is None:
        problem = next(filter(None, looked.values()), "no setting puts two questions")
        if len(looked) == unanswered:
            return row(verdict=Status.UNSUPPORTED, words=f"not answered: {problem}")
        some = f"; it did not answer in {unanswered} of them: {problem}" if unanswered else ""
        return row(verdict=Status.NOT_REFUTED, words=f"no contradiction in {len(looked)} settings{some}")
    contradiction = found(case)
    assert contradiction is not None
    if not contradiction.refuted:  # a setting further on may lie below a lower bound
        worse = search(lambda each: (one := found(each)) is not None and one.refuted)
        contradiction = (worse and found(worse)) or contradiction
    return row(
        verdict=Status.REFUTED if contradiction.refuted else Status.INCONCLUSIVE,
        inconsistent=not contradiction.refuted,
        words=contradiction.words,
        shown=tuple(given.text() for given in contradiction.answers),
        answers=tuple(given.answer.upper for given in contradiction.answers),
        bound=contradiction.bound.value if contradiction.bound else None,
        beside=contradiction.bound.asked if contradiction.bound else "",
    )
