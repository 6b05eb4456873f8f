"""The event auditor of the gate: exact values of one side get no more draws than the audit has left.

Alone, the event auditor may count such values in sixteen times its trials.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from auditors.privacy.event.auditor import EventAuditor, SingleValues
from auditors.privacy.event.screening import Contender
from auditors.privacy.event_bounds import Goal
from dpverify.core.auditing import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class CappedEvent(EventAuditor):
    """`EventAuditor` within a budget.

    Attributes
    ----------
    most_alone : int
        Most draws a side that count exact values of one side; values that need more are only noted.
    """

    most_alone: int = 0

    @classmethod
    def of(cls, event: EventAuditor, *, most_alone: int) -> CappedEvent:
        """The same auditor with this limit."""
        given: dict[str, Any] = {each.name: getattr(event, each.name) for each in fields(event)}
        return cls(**given, most_alone=most_alone)

    def _select(self, task: Task, goal: Goal, finalists: list[Contender]) -> tuple[Contender, SingleValues | None]:
        best, single = EventAuditor._select(self, task, goal, finalists)
        if single is not None and (single.found.trials or 0) > self.most_alone:
            single = replace(single, found=replace(single.found, trials=None))
        return best, single
