"""Runs one round of a steered run: several instalments in parallel, in threads or in worker processes.

Instalments have separate streams and get all earlier instalments, so their results do not depend on where they run.
Instalments unfinished at the time limit or at Ctrl-C are not returned.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from dpverify.adapters.time_limit import Interrupted, OutOfTimeError, TimeLimit
from dpverify.core.errors import DpverifyError
from dpverify.core.interrupt import asked_to_stop
from dpverify.core.plugins import registry
from dpverify.runner.execute import Words, in_turn
from dpverify.runner.limits import Limits
from dpverify.runner.plan import Plan, Unit, suite_plan
from dpverify.runner.pool import Pool
from dpverify.runner.steer_instalment import Instalment, make_instalment
from dpverify.runner.subprocess_guard import begin_audits
from dpverify.runner.thread_limits import one_thread

BACKENDS = ("processes", "threads")


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalmentOrder:
    """An instalment to be made: the claim's number `place`, of at most `trials` pairs, after those `before`."""

    claim: str
    place: int
    trials: int
    detect: float | None
    before: tuple[Instalment, ...]


Outcomes = Iterator[tuple[InstalmentOrder, Instalment | str]]
"""The instalment, or a line that says why it failed."""


def in_threads(
    plan: Plan, due: Sequence[InstalmentOrder], *, jobs: int, limits: Limits, deadline: float | None
) -> Outcomes:
    """Run a round in this process; a limit interrupts Python between two bytecodes.

    Parameters
    ----------
    plan : Plan
        The plan of the run.
    limits : Limits
        Limits of memory and of one instalment's time apply in worker processes only.
    deadline : float or None
        Monotonic seconds.
    """
    del limits
    units = {unit.entry.claim.id: unit for unit in plan.units}

    def one(given: InstalmentOrder) -> Instalment | str | None:
        if deadline is None:
            return _made(units[given.claim], plan.seed, given)
        left, found = deadline - time.monotonic(), None
        if left > 0:
            with suppress(OutOfTimeError), TimeLimit(seconds=left):
                found = _made(units[given.claim], plan.seed, given)
        return found if time.monotonic() < deadline else None

    with one_thread(), in_turn(one, due, jobs=jobs) as made:
        for given, found in zip(due, made, strict=True):
            if found is not None:
                yield given, found


def in_processes(
    plan: Plan, due: Sequence[InstalmentOrder], *, jobs: int, limits: Limits, deadline: float | None
) -> Outcomes:
    """Run a round in worker processes, which make the plan again from its arguments and stay for the next round."""
    if not due:
        return
    with Pool(partial(_made_there, plan.words(), tuple(due)), jobs=jobs, limits=limits) as pool:
        for place, found, problem in pool.run(range(len(due)), deadline=deadline):
            if found is None or isinstance(found, str):
                yield due[place], found or problem
            else:
                yield due[place], Instalment.of(found)


def _made(unit: Unit, seed: int, given: InstalmentOrder) -> Instalment | str:
    try:
        return make_instalment(
            unit, seed=seed, place=given.place, trials=given.trials, detect=given.detect, before=given.before
        )
    except DpverifyError as problem:
        return str(problem)
    except BaseException as problem:  # a subject may raise anything; the run continues
        if isinstance(problem, Interrupted) or asked_to_stop(problem):
            raise
        return f"{type(problem).__name__}: {problem}"


def _made_there(words: Words, due: tuple[InstalmentOrder, ...], place: int) -> Any:
    """In a worker: make the instalment; returns it as plain values, or the reason why it failed."""
    plan, given = _plan_there(words), due[place]
    unit = next(unit for unit in plan.units if unit.entry.claim.id == given.claim)
    begin_audits()
    found = _made(unit, plan.seed, given)
    return found.plain() if isinstance(found, Instalment) else found


@cache
def _plan_there(words: Words) -> Plan:
    return suite_plan(registry(), **dict(words))
