"""Which tasks can be taken by a method that holds counted events against a privacy guarantee, and with how many trials.

Assumption: outputs can be drawn again and again. Not to be confused with what a draw itself may turn out to be
(`auditors.privacy.event.outputs`): nothing is drawn here.
"""

from __future__ import annotations

from collections.abc import Collection

from auditors.privacy.event_bounds import KINDS, Goal
from dpverify.core.auditing import Task
from dpverify.core.errors import AuditError
from dpverify.core.subjects import PrivacyGuarantee, capabilities

FEWEST_TRIALS = 100

NEITHER = "the subject can be neither sampled nor counted"


def refusal(
    task: Task,
    *,
    kinds: Collection[str] = KINDS,
    method: str = "bound on",
    capable: frozenset[str] = frozenset({"sample", "counts"}),
    incapable: str = NEITHER,
) -> str | None:
    """Why such a method cannot examine the task; None when it can.

    Parameters
    ----------
    task : Task
        Its subject is built.
    kinds : collection of str
        Of measures, that the method knows.
    method : str
        What it has of them.
    capable : frozenset of str
        Capabilities of which the subject needs one; without, it is called `incapable`.
    """
    guarantee = task.claim.guarantee
    if not isinstance(guarantee, PrivacyGuarantee):
        return "the claim is no privacy guarantee"
    if guarantee.measures()[0].kind not in kinds:
        return f"no {method} {guarantee.measures()[0].kind} is known here"
    if not capable & capabilities(task.build()):
        return incapable
    return None


def guarantee_of(task: Task) -> PrivacyGuarantee:
    """The claim's guarantee; AuditError for what is no privacy guarantee."""
    guarantee = task.claim.guarantee
    if not isinstance(guarantee, PrivacyGuarantee):
        raise AuditError(f"{guarantee.text()} is no privacy guarantee")
    return guarantee


def goal_of(task: Task) -> Goal:
    """The claim as a goal; AuditError for what is no privacy guarantee."""
    return Goal(guarantee=guarantee_of(task))


def lacking(task: Task, *, alpha: float) -> int | None:
    """None when a perfect event would refute the claim with the task's trials, else the fewest that would do."""
    goal = goal_of(task)
    if goal.suffices(task.trials, alpha=alpha, least=FEWEST_TRIALS):
        return None
    return goal.fewest(alpha=alpha, least=FEWEST_TRIALS)
