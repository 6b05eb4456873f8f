"""Which tasks an auditor of privacy claims can take, and with how many trials; and what auditors of events share there.

Assumption: outputs can be drawn again and again. Not to be confused with what a draw itself may turn out to be
(`auditors.privacy.outputs`): nothing is drawn here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from auditors.privacy.event_bounds import KINDS, Goal
from auditors.privacy.event_recheck import one_event
from auditors.privacy.trials_needed import FEWEST_TRIALS
from dpverify.core.auditing import Task
from dpverify.core.errors import AuditError
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again
from dpverify.core.subjects import Guarantee, PrivacyGuarantee, capabilities


@dataclass(frozen=True, slots=True, kw_only=True)
class EventAuditing:
    """Base of auditors that choose an event on some draws and count it in others: any subject that can be drawn from.

    Attributes
    ----------
    error_share : float
        The part of the task's error probability that the most telling event has.
    """

    error_share: ClassVar[float] = 1.0

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        return refusal(task)

    def lacks(self, task: Task) -> int | None:
        """None when a perfect event would refute the claim with the task's trials, else the fewest that would do."""
        return lacking(task, alpha=self.error_share * task.alpha)

    def admitted(self, task: Task) -> Goal:
        """The claim to attack; InputError when the trials could not refute it whatever happened."""
        return admitted(task, alpha=self.error_share * task.alpha)

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """The bound again from the counts of the one event."""
        return one_event(guarantee, evidence)


def refusal(task: Task, *, kinds: Collection[str] = KINDS, method: str = "bound on") -> str | None:
    """Why a method that holds counted events against a privacy guarantee cannot examine the task; None when it can.

    Parameters
    ----------
    task : Task
        Its subject is built.
    kinds : collection of str
        Of measures, that the method knows.
    method : str
        What it has of them.
    """
    return guarantee_refusal(task, kinds=kinds, method=method) or sampling_refusal(task)


def guarantee_refusal(task: Task, *, kinds: Collection[str] | None = None, method: str = "bound on") -> str | None:
    """Why the claim is none for a method that knows these kinds of measures (None: all); None when it is one."""
    guarantee = task.claim.guarantee
    if not isinstance(guarantee, PrivacyGuarantee):
        return "the claim is no privacy guarantee"
    if kinds is not None and guarantee.measures()[0].kind not in kinds:
        return f"no {method} {guarantee.measures()[0].kind} is known here"
    return None


def sampling_refusal(task: Task, *, counts: bool = True) -> str | None:
    """Why no outputs can be had of the task's subject, which is built; None when they can.

    Without `counts`, histograms that a subject fills itself are not taken for outputs.
    """
    able = capabilities(task.build())
    if "sample" in able or (counts and "counts" in able):
        return None
    return "the subject can be neither sampled nor counted" if counts else "the subject cannot be sampled"


def guarantee_of(task: Task) -> PrivacyGuarantee:
    """The claim's guarantee; AuditError for what is no privacy guarantee."""
    guarantee = task.claim.guarantee
    if not isinstance(guarantee, PrivacyGuarantee):
        raise AuditError(f"{guarantee.text()} is no privacy guarantee")
    return guarantee


def goal_of(task: Task) -> Goal:
    """The claim, to be held against events; AuditError for what is no privacy guarantee."""
    return Goal(guarantee=guarantee_of(task))


def admitted(task: Task, *, alpha: float) -> Goal:
    """The same; InputError when the task's trials could not refute it whatever happened, saying how many would do."""
    goal = goal_of(task)
    goal.require(task.trials, alpha=alpha, least=FEWEST_TRIALS)
    return goal


def lacking(task: Task, *, alpha: float) -> int | None:
    """None when a perfect event would refute the claim with the task's trials, else the fewest that would do."""
    goal = goal_of(task)
    if goal.suffices(task.trials, alpha=alpha, least=FEWEST_TRIALS):
        return None
    return goal.fewest(alpha=alpha, least=FEWEST_TRIALS)
