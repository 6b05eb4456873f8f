"""Audits shortened to what a calibration counts: the same bounds and verdicts, in a third of the time.

Left out is what is told beside a bound and decides none: the smallest violation that would have been caught, the
ceiling of a budget. Remembered, for as long as a process lasts, are values that the claim and a few counts decide
alone, and that come again in other audits. In the place of a transcript's level-curve bound stands the one question
that a calibration has for it: whether the regions refute the family's true member.

`test_shortened` holds every auditor to the same evidence either way. Not for anything that is reported to people.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from typing import Any
from unittest.mock import patch

import auditors.privacy.renyi.auditor
import auditors.privacy.sampled_evidence
import auditors.privacy.scores.auditor
import auditors.privacy.tradeoff
import auditors.privacy.transcript.evidence
from auditors.privacy.event_bounds import CURVE_ONLY, Goal, measure_lower
from auditors.privacy.one_run.bounds import OneRunGoal
from auditors.privacy.transcript.level_curve import allowed_by
from dpverify.stats.joint import excess_lower

remembered = lru_cache(maxsize=100_000)

finding, suffices, bound = Goal.finding, Goal.suffices, OneRunGoal.bound
best_share, refutes = Goal.best_share, Goal.refutes
curves = Goal.__dict__["_curves"].func
critical, measure = OneRunGoal.__dict__["critical"].func, OneRunGoal.__dict__["measure"].func


@contextmanager
def shortened() -> Iterator[None]:
    """As long as this is held, audits of this process are shortened; holders may not overlap in threads."""
    with ExitStack() as held:
        for module in [module for name, module in sys.modules.items() if name.startswith("auditors.")]:
            if getattr(module, "measure_lower", None) is measure_lower:
                held.enter_context(patch.object(module, "measure_lower", _lower))
        for module, name in TOLD:
            held.enter_context(patch.object(module, name, _untold))
        held.enter_context(patch.object(auditors.privacy.transcript.evidence, "_family", _family))
        for owner, name, value in REPLACED:
            held.enter_context(patch.object(owner, name, value))
        yield


def _untold(*_given: Any, **_named: Any) -> float:
    return math.inf


def _family(guarantee: Any, _bulk: Any, regions: Any, _trials: int, _alpha: float) -> dict[str, Any]:
    """Epsilon is infinite where the family's true member is refuted, and else 0."""
    allowed = allowed_by(guarantee, guarantee.sigma)
    refuted = max(excess_lower(region, allowed) for region in regions) > 0
    return {"epsilon": math.inf if refuted else 0.0, "detectable_epsilon": None}


@remembered
def _lower(region: Any, measure: Any) -> float:
    return measure_lower(region, measure)


@remembered
def _measures(guarantee: Any) -> Any:
    return guarantee.measures()


@remembered
def _curves(guarantee: Any) -> Any:
    return curves(Goal(guarantee=guarantee))


@remembered
def _finding(guarantee: Any, region: Any, direction: int) -> Any:
    return finding(Goal(guarantee=guarantee), region, direction)


def _best_share(goal: Goal, k1: int, k2: int, trials: int, *, alpha: float, direction: int, gain: float) -> float:
    """Remembered by the claim, the counts and the one question that is asked of the gain."""
    by_curve = CURVE_ONLY[0] < gain <= CURVE_ONLY[1]
    return _share(goal.guarantee, k1, k2, trials, alpha, direction, CURVE_ONLY[int(by_curve)])


@remembered
def _share(guarantee: Any, k1: int, k2: int, trials: int, alpha: float, direction: int, gain: float) -> float:
    return best_share(Goal(guarantee=guarantee), k1, k2, trials, alpha=alpha, direction=direction, gain=gain)


@remembered
def _refutes(guarantee: Any, region: Any, direction: int) -> bool:
    return refutes(Goal(guarantee=guarantee), region, direction)


@remembered
def _suffices(guarantee: Any, trials: int, alpha: float, least: int) -> bool:
    return suffices(Goal(guarantee=guarantee), trials, alpha=alpha, least=least)


@remembered
def _bound(guarantee: Any, run: Any, correct: int) -> float:
    return bound(OneRunGoal(guarantee=guarantee, run=run), correct)


@remembered
def _measure(guarantee: Any, run: Any) -> Any:
    return measure(OneRunGoal(guarantee=guarantee, run=run))


@remembered
def _critical(guarantee: Any, run: Any) -> int | None:
    found: int | None = critical(OneRunGoal(guarantee=guarantee, run=run))
    return found


TOLD: tuple[tuple[Any, str], ...] = (
    (Goal, "ceiling"),
    (auditors.privacy.sampled_evidence, "detectable"),
    (auditors.privacy.renyi.auditor, "detectable"),
    (auditors.privacy.scores.auditor, "_detectable"),
    (auditors.privacy.scores.auditor, "_ceiling"),
    (auditors.privacy.tradeoff, "detectable"),
)

REPLACED: tuple[tuple[Any, str, Any], ...] = (
    (Goal, "measures", property(lambda goal: _measures(goal.guarantee))),
    (Goal, "_curves", property(lambda goal: _curves(goal.guarantee))),
    (Goal, "finding", lambda goal, region, direction: _finding(goal.guarantee, region, direction)),
    (Goal, "best_share", _best_share),
    (Goal, "refutes", lambda goal, region, direction: _refutes(goal.guarantee, region, direction)),
    (Goal, "suffices", lambda goal, trials, *, alpha, least: _suffices(goal.guarantee, trials, alpha, least)),
    (OneRunGoal, "bound", lambda goal, correct: _bound(goal.guarantee, goal.run, correct)),
    (OneRunGoal, "measure", property(lambda goal: _measure(goal.guarantee, goal.run))),
    (OneRunGoal, "critical", property(lambda goal: _critical(goal.guarantee, goal.run))),
    (OneRunGoal, "detectable", property(lambda goal: None)),
)
