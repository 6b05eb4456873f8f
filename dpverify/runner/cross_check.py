"""How many draws check the sampler after an exact method: enough to detect a leak of 1.5 times the claim.

Where the exact law has decided a claim, sampling only checks that the sampler follows the law. The number of draws is
doubled from a minimum until an event of a rarity known in advance would reveal a privacy loss of `LEAK` times what the
claim allows (`dpverify.stats.power`, power 0.8, at the audit's alpha). Large epsilons need few draws, tiny ones need
all.

Limits: the number is the smallest over a few rarities, for a known event. An audit that has to find its event, or whose
events are all rarer, detects less; its evidence says how much. This is not a goodness-of-fit test of the sampler.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpverify.core.auditing import Task
from dpverify.core.evidence import Evidence
from dpverify.core.subjects import Float, PrivacyGuarantee
from dpverify.core.verdict import Status, judge
from dpverify.stats.power import would_refute
from dpverify.stats.rounding import up

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
