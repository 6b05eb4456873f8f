"""Decides which tasks an auditor of privacy claims can examine, and with how many trials; base of auditors of events.

Assumption: outputs can be drawn repeatedly. Nothing is drawn here; checks of drawn outputs are in
`auditors.privacy.outputs`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from auditors.privacy.event_bounds import FEWEST_TRIALS, KINDS, Goal
from auditors.privacy.outputs import Drawer
from auditors.privacy.sampled_evidence import one_event
from auditors.search_boxes import candidate_pairs, corners, scaled_limit
from dpverify.core.auditing import Task
from dpverify.core.errors import AuditError
from dpverify.core.evidence import Again, Evidence
from dpverify.core.subjects import Guarantee, Pair, PrivacyGuarantee, capabilities

PAIRS = 25
"""Contenders at effort 1."""

PROBED = 16
"""Draws a side that reveal the shape of the outputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventAuditing:
    """Base of auditors that choose an event on some draws and count it in others, of what can be sampled."""

    error_share: ClassVar[float] = 1.0
    """The part of the task's false-alarm probability that the main event gets."""

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        return refusal(task)

    def lacks(self, task: Task) -> int | None:
        """None when a perfect event would refute the claim with the task's trials, else the fewest that would do."""
        return lacking(task, alpha=self.error_share * task.alpha)

    def admitted(self, task: Task) -> Goal:
        """The claim as a goal; InputError when no outcome of the trials could refute it."""
        return admitted(task, alpha=self.error_share * task.alpha)

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """Compute the bound again from the counts of the event."""
        return one_event(guarantee, evidence)


def refusal(task: Task, *, kinds: Collection[str] = KINDS, method: str = "bound on") -> str | None:
    """Why a method that tests a privacy guarantee by counted events cannot examine the task; None when it can.

    Parameters
    ----------
    task : Task
        The task; its subject is built.
    kinds : collection of str
        Kinds of measures that the method supports.
    method : str
        Name of the method's bound, for the message.
    """
    return guarantee_refusal(task, kinds=kinds, method=method) or sampling_refusal(task)


def guarantee_refusal(task: Task, *, kinds: Collection[str] | None = None, method: str = "bound on") -> str | None:
    """Why a method with these kinds of measures (None: all) cannot examine the claim; None when it can."""
    guarantee = task.claim.guarantee
    if not isinstance(guarantee, PrivacyGuarantee):
        return "the claim is no privacy guarantee"
    if kinds is not None and guarantee.measures()[0].kind not in kinds:
        return f"no {method} {guarantee.measures()[0].kind} is known here"
    return None


def sampling_refusal(task: Task, *, counts: bool = True) -> str | None:
    """Why the task's subject, which is built, cannot be sampled; None when it can.

    Without `counts`, histograms that a subject fills itself do not count as outputs.
    """
    able = capabilities(task.build())
    if "sample" in able or (counts and "counts" in able):
        return None
    return "the subject can be neither sampled nor counted" if counts else "the subject cannot be sampled"


def guarantee_of(task: Task) -> PrivacyGuarantee:
    """The claim's guarantee; AuditError for other claims than privacy guarantees."""
    guarantee = task.claim.guarantee
    if not isinstance(guarantee, PrivacyGuarantee):
        raise AuditError(f"{guarantee.text()} is no privacy guarantee")
    return guarantee


def goal_of(task: Task) -> Goal:
    """The claim as a goal for events; AuditError for other claims than privacy guarantees."""
    return Goal(guarantee=guarantee_of(task))


def admitted(task: Task, *, alpha: float) -> Goal:
    """The claim as a goal; InputError, with a sufficient number, when no outcome of the task's trials refutes it."""
    goal = goal_of(task)
    goal.require(task.trials, alpha=alpha, least=FEWEST_TRIALS)
    return goal


def lacking(task: Task, *, alpha: float) -> int | None:
    """None when a perfect event would refute the claim with the task's trials, else the fewest that would do."""
    goal = goal_of(task)
    if goal.suffices(task.trials, alpha=alpha, least=FEWEST_TRIALS):
        return None
    return goal.fewest(alpha=alpha, least=FEWEST_TRIALS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A pair with a setting of the searched parameters; others have the claim's stated values."""

    place: int
    """Number of the contender; it names the random streams."""
    pair: Pair
    parameters: Mapping[str, float]
    drawer: Drawer
    """Draws outputs of the subject with these parameters on this pair."""


Kind = TypeVar("Kind", bound=Contender)


def contenders(task: Task, kind: type[Kind], *, draws: int, middle: bool = False) -> list[Kind]:
    """All combinations of pairs and settings, ordered by the sum of their ranks; AuditError when there is no pair.

    Parameters
    ----------
    task : Task
        Effort and trials limit the number of contenders.
    kind : type
        `Contender` or a subclass.
    draws : int
        Fewest draws a side for each contender.
    middle : bool
        Whether the middle of the box of parameters is a setting, beside the stated values and the corners.
    """
    limit = scaled_limit(task, PAIRS, draws=draws)
    pairs = candidate_pairs(task, limit)
    box = task.claim.space.parameters
    settings: list[dict[str, float]] = [{}, *corners(box)[: max(1, limit // 2)]]
    if box and middle:
        settings.append({name: (low + high) / 2.0 for name, (low, high) in box.items()})
    subjects = [task.build(**setting) for setting in settings]
    ranked = sorted((i + j, i, j) for i in range(len(pairs)) for j in range(len(settings)))[:limit]
    return [
        kind(place=place, pair=pairs[i], parameters=settings[j], drawer=Drawer(subjects[j], pairs[i]))
        for place, (_, i, j) in enumerate(ranked)
    ]


def probe(task: Task, drawer: Drawer) -> None:
    """Draw a few outputs a side, so that their width is known and errors of the subject appear early."""
    drawer.both(PROBED, task.stream, "probe")
