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

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.libraries.offered import Mechanism, Offered
from dpverify.adapters.time_limit import TimeLimit
from dpverify.audits.asked import RARE
from dpverify.audits.callable_audit import CallableAudit
from dpverify.audits.finding import Finding
from dpverify.audits.judges import Known, judged_for_suite
from dpverify.audits.question import Question
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.plugins import registry
from dpverify.core.subjects import Pair
from dpverify.core.suite import Expectation, SuiteEntry
from dpverify.core.watchdog_page import listening
from dpverify.datasets.neighbors.fixed_pair import ListedPairs
from dpverify.neighbourhood.goal import with_goal
from dpverify.neighbourhood.neighbourhood import Neighbourhood
from dpverify.runner.plan import Plan, task_streams, unit_for

CALLS = 2.0
"""Calls of a mechanism for each draw a side: all steps of the gate together make no more."""

FEWEST = 1_000
"""Draws a side, however slow the mechanism is."""

LONG_ENOUGH = 0.05
"""Seconds of the processor that a timing must take; shorter ones are made with more draws."""

MORE = 2
"""Times the draws of the first audit, in the one that confirms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSettings:
    """The settings that each claim of a table is audited with."""

    alpha: float
    """False-alarm probability of one claim: the table's, divided by the number of its claims."""
    trials: int
    """Draws a side of one claim. The gate stops as soon as the claim falls, or its goal is reached."""
    seconds: float | None = None
    """Slow mechanisms get fewer draws: as many as take about so long, by a clock, before the audit. None never."""
    seed: int = 0
    """Of everything that can be seeded."""
    max_seconds: float = 600.0
    """After which one claim's audit is stopped and inconclusive."""


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
    asked: ClaimSettings,
    *,
    progress: Callable[[str, float], None] | None = None,
) -> Finding:
    """The audit of one claim in this process.

    DpverifyError when the mechanism cannot be built, raises on every pair, or gives outputs that cannot be compared.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library's own, such as those of deprecated constructors
        found = _look(offered.build(), offered, entry, asked, progress)

        def again() -> Finding:
            more = replace(asked, seed=asked.seed + 1, trials=MORE * asked.trials)
            on_pair = replace(offered, pairs=_refuting(found, offered.pairs))
            return _look((offered.single or offered.build)(), on_pair, entry, more, progress)

        return judged_for_suite(found, Known(again=None if offered.twin else again))


def _refuting(found: Finding, pairs: Sequence[Pair]) -> Sequence[Pair]:
    """The pair of the witness; all of them where it cannot be told."""
    leading = found.row.verdict.leading
    label = "" if leading is None else str(leading.witness.get("pair", ""))
    return [pair for pair in pairs if pair.label and pair.label == label] or pairs


def _look(
    function: Mechanism,
    offered: Offered,
    entry: SuiteEntry,
    asked: ClaimSettings,
    progress: Callable[[str, float], None] | None,
) -> Finding:
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
    unit = with_goal(unit_for(entry, task, [gate]), None, rare=RARE)
    one = CallableAudit(
        question=Question(
            function,
            offered.pairs[0].d0,
            offered.pairs[0].d1,
            claim=entry.claim.guarantee,
            progress=progress,
            show_records=True,  # the pairs are made up, and nobody's
        ),
        subject=subject,
        place=place,
        plan=Plan.of_unit(unit, confidence=1.0 - asked.alpha, alpha=asked.alpha, suite="audit-library"),
        limit=limit,
        loops=True,
    )
    return replace(one.look(), draws=task.trials)


def _affordable(asked: ClaimSettings, subject: CallableMechanism, place: Neighbourhood, task: Task) -> int:
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
