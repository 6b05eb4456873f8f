"""Ways of getting an auditor wrong, which the calibration must see; the last two wrap any auditor.

- `NoSplit`: the event auditor, which counts its event in the very draws that it was chosen on.
- `NoSplitLoss`: the loss auditor, which counts in the very runs from which its threshold was chosen.
- `BestOf`: no union bound. Several audits, each at the whole alpha, and the best-looking one is reported.
- `EitherSide`: one-sided where two are due. Two looks, the claim's pair and its reverse, each at the whole alpha.
- `Says`: no look at all, and one bound whatever the mechanism is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from auditors.privacy.event.auditor import Contender, EventAuditor
from auditors.privacy.event_bounds import Goal
from auditors.privacy.loss import LossAuditor
from dpverify.core.auditing import Auditor, Task
from dpverify.core.evidence import Evidence
from tests.calibration.boundaries import one_pair


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSplit(EventAuditor):
    """Selects on as many draws as it certifies on, and they are the same."""

    name: str = "NoSplit-event"

    def audit(self, task: Task) -> Evidence:
        """Certification (of the only finalist) reads the streams of selection."""

        def reused(*names: Any) -> Any:
            return task.stream(*(("select", 0, names[1]) if names[0] == "certify" else names))

        return EventAuditor.audit(self, replace(task, stream=reused))

    def _select(self, task: Task, goal: Goal, finalists: list[Contender]) -> Contender:
        return EventAuditor._select(self, replace(task, trials=2 * task.trials), goal, finalists)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSplitLoss(LossAuditor):
    """With no more trials than are selected from at least: the same runs."""

    name: str = "NoSplit-loss"

    def audit(self, task: Task) -> Evidence:
        """The coins of each certified run are those of a run of the selection."""

        def reused(*names: Any) -> Any:
            return task.stream(
                *(name.replace("certify", "select") if isinstance(name, str) else name for name in names)
            )

        return LossAuditor.audit(self, replace(task, stream=reused))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sabotaged:
    """An auditor that is called as the one inside; what differs is `audit`."""

    inside: Auditor

    @property
    def name(self) -> str:
        """Which sabotage of which auditor."""
        return f"{type(self).__name__}-{self.inside.name}"

    @property
    def version(self) -> str:
        """The inside's."""
        return self.inside.version

    @property
    def statistical(self) -> bool:
        """The inside's."""
        return self.inside.statistical

    def refuses(self, task: Task) -> str | None:
        """The inside's."""
        return self.inside.refuses(task)


@dataclass(frozen=True, slots=True, kw_only=True)
class BestOf(Sabotaged):
    """The best of `times` audits."""

    times: int = 8

    def audit(self, task: Task) -> Evidence:
        """Look often, tell once."""
        found = [self.inside.audit(replace(task, stream=_below(task, str(look)))) for look in range(self.times)]
        return max(found, key=lambda evidence: (evidence.excess, evidence.bound))


@dataclass(frozen=True, slots=True, kw_only=True)
class EitherSide(Sabotaged):
    """The better of the pair and its reverse."""

    def audit(self, task: Task) -> Evidence:
        """Two sides for the price of one."""
        (pair,) = task.neighbors.candidates(task.claim.space, limit=1, rng=task.stream("pair"))
        turned = one_pair(pair.d1, pair.d0, task.neighbors.relation)
        found = [
            self.inside.audit(replace(task, stream=_below(task, word), neighbors=neighbors))
            for word, neighbors in (("forward", task.neighbors), ("back", turned))
        ]
        return max(found, key=lambda evidence: (evidence.excess, evidence.bound))


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """Looks at nothing, and says the same bound on the claim's headline every time, and one within a family."""

    bound: float
    family: float | None = None
    name: str = "says"
    version: str = "1"
    statistical: bool = True

    def refuses(self, task: Task) -> str | None:
        """Nothing."""
        return None

    def audit(self, task: Task) -> Evidence:
        """The bound."""
        measure = task.claim.guarantee.measures()[0]
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version=self.version,
            measure=measure,
            bound=self.bound,
            excess=self.bound - measure.claimed,
            confidence=1.0 - task.alpha,
            statistics={} if self.family is None else {"family": {"epsilon": self.family}},
        )


def _below(task: Task, word: str) -> Callable[..., Any]:
    return lambda *names: task.stream(word, *names)
