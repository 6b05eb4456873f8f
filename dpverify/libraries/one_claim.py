"""One claim of a library, audited on its own pairs by the gate: replay where it can be recorded, bets, one event.

A refutation of the library's own claim is repeated once, on the pair that it was found on, with fresh draws and with
one call of the library for each output; where that does not refute, nothing is claimed. The false-alarm probability is
at most that of the first audit.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.libraries.offered import Mechanism, Offered
from dpverify.adapters.time_limit import TimeLimit
from dpverify.audit_result import AuditResult
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.interrupt import listening
from dpverify.core.plugins import registry
from dpverify.core.subjects import Pair
from dpverify.core.suite import Expectation, SuiteEntry
from dpverify.core.verdict import Status
from dpverify.datasets.neighbors.listed_pairs import ListedPairs
from dpverify.gate.goal import RARE, with_goal
from dpverify.gate.neighbourhood import Neighbourhood
from dpverify.one_audit import OneAudit
from dpverify.reporting.formatting import number_down
from dpverify.runner.plan import Plan, task_streams, unit_for

CALLS = 2.0
"""Calls of a mechanism for each draw a side: all steps of the gate together make no more."""

FEWEST = 1_000
"""Draws a side, however slow the mechanism is."""

LONG_ENOUGH = 0.05
"""Seconds of the processor that a timing must take; shorter ones are made with more draws."""

MORE = 2
"""Times the draws of the first audit, in the one that confirms."""

CONFIRMED = "confirmed with fresh draws, one call of the library for each output"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of each claim of a table.

    Attributes
    ----------
    alpha : float
        False-alarm probability of one claim: the table's, divided by the number of its claims.
    trials : int
        Draws a side of one claim. The gate stops as soon as the claim falls, or its goal is reached.
    seconds : float or None
        Slow mechanisms get fewer draws: as many as take about so long, by a clock, before the audit. None never.
    seed : int
        Of everything that can be seeded.
    max_seconds : float
        After which one claim's audit is stopped and inconclusive.
    """

    alpha: float
    trials: int
    seconds: float | None = None
    seed: int = 0
    max_seconds: float = 600.0


def entry_of(offered: Offered, *, library: str, version: str) -> SuiteEntry:
    """The claim as any suite has it: the library's own is expected to stand, a twin to be broken."""
    expectation: Expectation = "broken" if offered.twin else "stands"
    claim = Claim(
        id=offered.id,
        guarantee=offered.guarantee,
        relation=offered.relation,
        subject=offered.constructor,
        parameters=offered.parameters,
        space=SearchSpace(),
        source=Source(paper=f"{library} {version}", locus=offered.source),
        statement=f"{offered.constructor}: {offered.twin or 'as the library makes it'}",
    )
    return SuiteEntry(claim=claim, expectation=expectation, suites=())


def audit_claim(
    offered: Offered,
    entry: SuiteEntry,
    asked: Asked,
    *,
    progress: Callable[[str, float], None] | None = None,
) -> AuditResult:
    """The audit of one claim in this process.

    Raises
    ------
    DpverifyError
        When the mechanism cannot be built, raises on every pair, or gives outputs that cannot be compared.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library's own, such as those of deprecated constructors
        found = _look(offered.build(), offered, entry, asked, progress)
        if found.verdict is not Status.REFUTED or offered.twin:
            return found
        again = replace(asked, seed=asked.seed + 1, trials=MORE * asked.trials)
        on_pair = replace(offered, pairs=_refuting(found, offered.pairs))
        second = _look((offered.single or offered.build)(), on_pair, entry, again, progress)
    if second.verdict is Status.REFUTED:
        return replace(found, notes=(*found.notes, CONFIRMED))
    lead = found.evidence
    first = "" if lead is None else f" ({lead.measure.label()} >= {number_down(lead.bound)})"
    reason = f"refuted once{first}, and not again with fresh draws, one call for each output ({second.verdict})"
    row = replace(second.row, verdict=replace(second.row.verdict, status=Status.INCONCLUSIVE, reason=reason))
    return replace(second, verdict=Status.INCONCLUSIVE, row=row)


def _refuting(found: AuditResult, pairs: Sequence[Pair]) -> Sequence[Pair]:
    """The pair of the witness; all of them where it cannot be told."""
    label = "" if found.evidence is None else str(found.evidence.witness.get("pair", ""))
    return [pair for pair in pairs if pair.label and pair.label == label] or pairs


def _look(
    function: Mechanism,
    offered: Offered,
    entry: SuiteEntry,
    asked: Asked,
    progress: Callable[[str, float], None] | None,
) -> AuditResult:
    limit = TimeLimit(seconds=asked.max_seconds)
    subject = CallableMechanism(function, limit=limit)
    pairs = ListedPairs(pairs=tuple(offered.pairs), relation=offered.relation)
    task = Task(
        claim=entry.claim,
        build=lambda **_: subject,
        neighbors=pairs,
        alpha=asked.alpha,
        trials=asked.trials,
        stream=task_streams(asked.seed, entry.claim.stream_name),
        seed=asked.seed,
    )
    place = Neighbourhood(generator=pairs, plain=tuple(pairs.pairs), inferred=False)
    if asked.seconds is not None:
        with limit, listening():
            task = replace(task, trials=_affordable(asked, subject, place, task))
    gate = registry().auditors.get("gate")
    plan = Plan(
        units=(with_goal(unit_for(entry, task, [gate]), None, rare=RARE),),
        seed=asked.seed,
        confidence=1.0 - asked.alpha,
        alpha=asked.alpha,
        statistical=1,
        profile="quick",
        suite="audit-library",
    )
    one = OneAudit(
        subject=subject,
        place=place,
        plan=plan,
        data={"d0": offered.pairs[0].d0, "d1": offered.pairs[0].d1},
        settings=dict[str, Any](),
        limit=limit,
        show_records=True,  # the pairs are made up, and nobody's
        loops=True,
        progress=progress or _silent,
    )
    result = one.look()
    return replace(result, notes=(f"draws: trials={task.trials}", *result.notes))


def _silent(_message: str, _share: float) -> None:
    """Progress is not shown."""


def _affordable(asked: Asked, subject: CallableMechanism, place: Neighbourhood, task: Task) -> int:
    """The draws that are asked for, or fewer (of two digits) where they would take too long.

    Timed by the processor and not by the clock, so that a busy machine gives as many.
    """
    pair, size = place.returning(subject, stream=task.stream), 1
    while True:
        begun = time.process_time()
        subject.sample(pair.d0, size, rng=task.stream("clock", size))
        taken = time.process_time() - begun
        if taken >= LONG_ENOUGH or size >= asked.trials:
            break
        size *= 4
    affordable = (asked.seconds or 0.0) / (CALLS * max(taken / size, 1e-9))
    return int(float(f"{min(float(asked.trials), max(affordable, FEWEST)):.2g}"))
