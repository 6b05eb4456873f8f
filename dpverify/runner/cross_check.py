"""How many draws check the sampler after an exact method: enough to detect a leak of 1.5 times the claim.

Where the law has decided a claim, sampling only asks whether what is sampled is what the law says. The draws double
from a floor until an event of some rarity, known in advance, would refute `LEAK` times the privacy loss that the
claim allows it (`dpverify.stats.power`, power 0.8, at the audit's own alpha): few for large epsilons, all for tiny.

Limits: the best of a few rarities, and an event that is known. An audit that has to find its event, or whose events
are all rarer, catches less; its evidence says how much. Often confused with a test that the sampler follows the law.
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
"""An exact method that came so close to the claim without exceeding it leaves sampling only the sampler to check."""

FLOOR, EFFORT = 50_000, 0.2
"""The fewest draws a side of that check, and the part of the search effort that goes into it."""

LEAK = 1.5
EVENTS = (0.1, 0.01, 0.001)
"""Probabilities of the events asked; an even chance (0.5) would be too kind: thresholds of sparse vectors are rarer."""

PROVED = (Status.REFUTED, Status.CERTIFIED)


def settled(item: Evidence) -> bool:
    """True when an exact method has decided the claim by a proof, or has as good as reached it; of what was sampled
    never: how many draws one sampling audit gets must not hang on what another one drew."""
    if item.confidence is not None:
        return False
    reached = item.excess <= 0 and item.tightness >= AS_GOOD_AS_REACHED
    return reached or judge(item) in PROVED


def lightened(task: Task, *, refuted: bool = False) -> Task:
    """The task of the check: never more draws than the task itself has, nor fewer than the floor if it has those.

    With a claim that a proof has `refuted` no sample can change the verdict: the floor it is.
    """
    guarantee = task.claim.guarantee
    draws = min(FLOOR, task.trials)
    while not refuted and draws < task.trials and not _would_notice(guarantee, draws, alpha=task.alpha):
        draws = min(2 * draws, task.trials)
    return replace(task, trials=draws, effort=EFFORT * task.effort)


def _would_notice(guarantee: object, draws: int, *, alpha: float) -> bool:
    """Whether so many draws a side refute, with power 0.8, `LEAK` times what the claim allows one of the events."""
    if not isinstance(guarantee, PrivacyGuarantee):
        return False

    def allowed(q: Float) -> Float:
        beta = np.asarray(guarantee.tradeoff(q), dtype=np.float64)
        return np.minimum(np.asarray(up(1.0 - beta, 2)), 1.0)

    def leaked(q: float) -> float:
        """The probability of the event under P when the loss that the claim allows it is exceeded."""
        return float(min(1.0, q * (float(allowed(np.array(q))) / q) ** LEAK))

    return any(would_refute(leaked(q), q, draws, allowed=allowed, alpha=alpha) for q in EVENTS)
