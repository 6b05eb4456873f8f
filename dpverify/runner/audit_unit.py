"""Runs one unit: all auditors of one claim, one after another, and their common row.

Evidence and counts that an earlier, interrupted run finished are taken from `keeps`. A failure of one auditor is
recorded and does not stop the others.

Where the exact law has decided a claim, sampling only checks that the sampler follows the law. The number of draws is
doubled from a minimum until an event of a rarity known in advance would reveal a privacy loss of `LEAK` times what the
claim allows (`dpverify.stats.power`, power 0.8, at the audit's alpha). Large epsilons need few draws, tiny ones need
all. Limits: the number is the smallest over a few rarities, for a known event. An audit that has to find its event, or
whose events are all rarer, detects less; its evidence says how much. This is not a goodness-of-fit test of the sampler.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np

from dpverify.adapters.time_limit import Interrupted, NoCopy, TimeLimit
from dpverify.core.auditing import Auditor, Task
from dpverify.core.claim import Claim
from dpverify.core.errors import DpverifyError, InputError, one_line
from dpverify.core.evidence import Evidence
from dpverify.core.extras import left_out
from dpverify.core.note import Telling
from dpverify.core.subjects import Explains, Float, PrivacyGuarantee
from dpverify.core.verdict import Status, Verdict, decide, judge
from dpverify.core.watchdog_page import asked_to_stop
from dpverify.runner.plan import Plan, Unit, task_streams
from dpverify.runner.row import Cut, Row, rarest_of
from dpverify.runner.store.checkpoint import WorkSaver
from dpverify.runner.store.schema import StoreError
from dpverify.runner.thread_limits import one_thread
from dpverify.stats.power import would_refute
from dpverify.stats.rounding import up


@one_thread()
def run_unit(
    unit: Unit,
    plan: Plan,
    *,
    report: Callable[[str, float], None],
    strict: bool = False,
    limit: TimeLimit | None = None,
    keeps: WorkSaver | None = None,
) -> Row:
    """All auditors of one claim, one after another; a failure of one is recorded and does not stop the others.

    With `strict`, bad input is raised instead of recorded, since the caller typed it. When the time `limit` is reached,
    the present auditor and the unit end. The unit is then inconclusive, unless the finished evidence decides.
    """
    claim, begun = unit.entry.claim, time.perf_counter()
    evidence: list[Evidence] = []
    failures: list[str] = []
    stopped, keeps = "", keeps or WorkSaver()
    finished = keeps.evidence(claim.id)
    for auditor in sorted(unit.auditors, key=lambda auditor: auditor.statistical):
        if auditor.name in finished:
            evidence.append(finished[auditor.name])
            continue
        started = time.perf_counter()
        try:
            found = _audited(auditor, unit, plan, evidence, report=report, keeps=keeps)
        except Interrupted:
            if limit is None:
                raise
            limit.stop()
            stopped = limit.words()
            break
        except StoreError:  # a failure of the run, not of the subject
            raise
        except DpverifyError as problem:
            if strict:
                raise
            failures.append(f"{auditor.name}: {one_line(str(problem))}")
        except BaseException as problem:
            if asked_to_stop(problem):
                raise
            said = left_out(problem) or f"{type(problem).__name__}: {one_line(str(problem))}"
            failures.append(f"{auditor.name}: {said}")
        else:
            meaning: dict[str, str] = Telling()("what it refutes", partial(_meaning, claim, found), {})
            witness = {**found.witness, **meaning}
            evidence.append(replace(found, seconds=time.perf_counter() - started, seed=plan.seed, witness=witness))
            keeps.put(evidence[-1])
    verdict = decide(claim, evidence, unsupported="; ".join(unit.refusals), failures=failures)
    if stopped and verdict.status in (Status.NOT_REFUTED, Status.UNSUPPORTED):
        verdict = replace(verdict, status=Status.INCONCLUSIVE, reason=stopped)
    return Row(
        entry=unit.entry,
        verdict=verdict,
        seconds=time.perf_counter() - begun + sum(item.seconds for item in finished.values()),
        seed=plan.seed,
        reproduce=_reproduce(plan, claim.id),
        rarest=rarest_of(claim.guarantee, verdict.evidence),
    )


def failed_row(unit: Unit, plan: Plan, *, keeps: WorkSaver, why: str) -> Row:
    """The row of a unit whose process ended: an error, unless evidence finished before refutes the claim."""
    evidence = list(keeps.evidence(unit.entry.claim.id).values())
    verdict = decide(unit.entry.claim, evidence, failures=[one_line(why)])
    return _row(unit, plan, verdict)


def unfinished_row(unit: Unit, plan: Plan, *, keeps: WorkSaver, cut: Cut, why: str) -> Row:
    """The row of a unit that the run did not finish: inconclusive, unless its finished evidence refutes the claim."""
    evidence = list(keeps.evidence(unit.entry.claim.id).values())
    verdict = decide(unit.entry.claim, evidence)
    status = verdict.status if verdict.status is Status.REFUTED else Status.INCONCLUSIVE
    return replace(_row(unit, plan, replace(verdict, status=status, reason=why)), cut=cut)


def _row(unit: Unit, plan: Plan, verdict: Verdict) -> Row:
    seconds = sum(item.seconds for item in verdict.evidence)
    return Row(
        entry=unit.entry,
        verdict=verdict,
        seconds=seconds,
        seed=plan.seed,
        reproduce=_reproduce(plan, unit.entry.claim.id),
        rarest=rarest_of(unit.entry.claim.guarantee, verdict.evidence),
    )


def _audited(
    auditor: Auditor,
    unit: Unit,
    plan: Plan,
    evidence: Sequence[Evidence],
    *,
    report: Callable[[str, float], None],
    keeps: WorkSaver,
) -> Evidence:
    """The auditor's evidence. Where an exact method has decided, few draws are enough.

    The number of draws may depend on the result of an exact method, which looked at the law and at no draw. The share
    of the false-alarm probability is fixed by the plan, whatever the number of draws. A number of draws that the user
    asked for is never reduced.
    """
    claim = unit.entry.claim
    by_law = [item for item in evidence if decided_by_exact_method(item)]
    task = replace(
        unit.task,
        stream=task_streams(plan.seed, claim.stream_name, auditor.name),
        progress=lambda message, share: report(f"{auditor.name}: {message}", share),
        chunks=keeps.chunks(claim.id, auditor.name),
    )
    with NoCopy():
        if by_law and auditor.statistical and plan.profile == "quick" and plan.trials is None:
            refuted = any(judge(item) is Status.REFUTED for item in by_law)
            with suppress(InputError):  # too few draws to refute such a claim at all: refused before the first draw
                return auditor.audit(reduced_task(task, refuted=refuted))
        return auditor.audit(task)


def _meaning(claim: Claim, found: Evidence) -> dict[str, str]:
    """Say for the witness what a refutation means for a guarantee that implies more than its text says; else empty."""
    explains = claim.guarantee if isinstance(claim.guarantee, Explains) else None
    return {"refutes": explains.refutation(found.measure)} if explains and judge(found) is Status.REFUTED else {}


def _reproduce(plan: Plan, claim_id: str) -> str:
    words = ["dpverify", "run", plan.suite, "--profile", plan.profile, "--seed", plan.seed]
    words += ["--confidence", plan.confidence]
    words += ["--trials", plan.trials] if plan.trials is not None else []
    words += ["--method", ",".join(plan.methods)] if plan.methods is not None else []
    words += ["--regressions", plan.regressions] if plan.regressions is not None else []
    return shlex.join(str(word) for word in [*words, "--only", claim_id])


AS_GOOD_AS_REACHED = 0.99
"""When an exact method's bound reaches this part of the claimed value, sampling only has to check the sampler."""

FLOOR, EFFORT = 50_000, 0.2
"""The fewest draws a side of that check, and the part of the search effort that it gets."""

LEAK = 1.5
EVENTS = (0.1, 0.01, 0.001)
"""Probabilities of the events considered; 0.5 would be too optimistic, since events of sparse vectors are rarer.
"""

PROVED = (Status.REFUTED, Status.CERTIFIED)


def decided_by_exact_method(item: Evidence) -> bool:
    """True when an exact method has decided the claim by a proof, or its bound has almost reached the claimed value.

    Evidence from samples never counts here: the number of draws of one sampling audit must not depend on the draws of
    another.
    """
    if item.confidence is not None:
        return False
    reached = item.excess <= 0 and item.tightness >= AS_GOOD_AS_REACHED
    return reached or judge(item) in PROVED


def reduced_task(task: Task, *, refuted: bool = False) -> Task:
    """The task of the check, with at most the draws of `task`, and at least `FLOOR` where the task has as many.

    No sample can change the verdict of a claim that a proof has `refuted`, so the check then makes the fewest draws.
    """
    guarantee = task.claim.guarantee
    draws = min(FLOOR, task.trials)
    while not refuted and draws < task.trials and not _would_notice(guarantee, draws, alpha=task.alpha):
        draws = min(2 * draws, task.trials)
    return replace(task, trials=draws, effort=EFFORT * task.effort)


def _would_notice(guarantee: object, draws: int, *, alpha: float) -> bool:
    """Tell whether so many draws a side detect, with power 0.8, `LEAK` times the claimed loss at an event."""
    if not isinstance(guarantee, PrivacyGuarantee):
        return False

    def allowed(q: Float) -> Float:
        beta = np.asarray(guarantee.tradeoff(q), dtype=np.float64)
        return np.minimum(np.asarray(up(1.0 - beta, 2)), 1.0)

    def leaked(q: float) -> float:
        """The event's probability under P when its privacy loss is `LEAK` times what the claim allows."""
        return float(min(1.0, q * (float(allowed(np.array(q))) / q) ** LEAK))

    return any(would_refute(leaked(q), q, draws, allowed=allowed, alpha=alpha) for q in EVENTS)
