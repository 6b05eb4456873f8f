"""The gate: one audit that is cheap where a claim falls easily, and goes on until a pass says something.

In this order, each step on draws of its own:

1. *replay*, where the mechanism's noise can be recorded: what is shown before any noise, or a counted event;
2. a search for the worst pair, on draws that no verdict rests on (`explore`); there one pair is chosen, once;
3. *bets* on that pair (`auditors.privacy.sequential`), which stop as soon as the claim is refuted;
4. a closer look at that pair (`closer_look`), on draws that no verdict rests on: are there *exact values* that one side
   alone repeats, is any event beyond the claim, and how much is lost there. Such values are counted in fresh draws;
5. one *event* on that pair (`auditors.privacy.event`), whose number of draws is fixed before the first of them: enough
   for the goal, or all of them where the replay or the closer look saw an excess that they cannot prove;
6. where the goal is met, a *second look* with more draws, for what is rare; where it is missed, with all that are left.
   What it chooses is counted in fresh draws.

The false-alarm probability is divided among replay, bets, event and one count more (of exact values, or after the
second look) before the first draw, and none of them gets back what another did not spend. The confidence of the
evidence is that of the whole audit, whichever step decided; `steps` has each one's share. A refutation ends the audit.
A pass is an event's, whose `detectable` says what it would have seen. A pass that could have seen nothing up to its
ceiling is marked (`statistics["vacuous"]`) and judged inconclusive.

Assumptions and limits: those of the steps. Often confused with running all auditors beside one another, where each
draws its full budget.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from auditors.privacy.admission import guarantee_of, refusal
from auditors.privacy.event.auditor import EventAuditor
from auditors.privacy.event_bounds import Goal
from auditors.privacy.gate.run import Run
from auditors.privacy.gate.sought import Draws, Levels, draws_needed, reached
from auditors.privacy.replay.auditor import ReplayAuditor
from auditors.privacy.sampled_evidence import entry, items, real, within
from auditors.privacy.sequential.auditor import SequentialAuditor
from dpverify.core.auditing import Rechecks, Task
from dpverify.core.evidence import Again, Evidence, LackingError
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee
from dpverify.datasets.neighbors.fixed_pair import FixedPair

UNPAID = ("search", "closer look", "second look")
"""Steps on which no verdict rests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateAuditor:
    """Any privacy guarantee, any subject that can be sampled."""

    name: str = "gate"
    version: str = "4"
    statistical: bool = True
    by_request: bool = True
    detect: float | None = None
    """The true value of the headline that a full pass must have been able to detect; None sets no goal."""
    pairs: int | None = None
    """So many pairs are searched, with few draws each, and bets decide where they can be laid: of what lies outside of
    an example gross faults are looked for. None: as the number of draws says, and all steps."""
    rare: float | None = None
    """Part of the trials that look for what is rare, where outputs repeat values. None: a quarter, and another that
    counts what it saw, whatever the outputs are."""
    replay: ReplayAuditor = field(default_factory=ReplayAuditor)
    bets: SequentialAuditor = field(default_factory=SequentialAuditor)
    event: EventAuditor = field(default_factory=EventAuditor)

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        return refusal(task)

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """The bound again, from the counts of the step that it came from."""
        return recheck_step(guarantee, evidence, self._deciding())

    def _deciding(self) -> dict[str, Any]:
        """The steps that a verdict may rest on, and who computes their bounds."""
        counted = dict.fromkeys(("exact values", "event", "second event"), self.event)
        return {"replay": self.replay, "bets": self.bets, **counted}

    def audit(self, task: Task) -> Evidence:
        """Replay, search, bet, count: until the claim is refuted or the event has been counted.

        Raises
        ------
        InputError
            When the mechanism raises on every pair, or its outputs cannot be compared.
        AuditError
            When there are no two different neighbours.
        """
        replayed = self.replay.refuses(task) is None
        return Run(
            name=self.name,
            version=self.version,
            replay=self.replay,
            bets=self.bets,
            event=self.event,
            detect=self.detect,
            rare=self.rare,
            brief=self.pairs is not None,
            task=task,
            goal=Goal(guarantee=guarantee_of(task)),
            levels=Levels.of(task.alpha, replayed=replayed),
            draws=Draws.of(
                task.trials, searched=task.neighbors.count(task.claim.space) != 1 and not _fixed(task), pairs=self.pairs
            ),
            replayed=replayed,
        ).play()

    def reach(self, task: Task) -> str:
        """What the task's draws cannot detect of `detect`, and how many would, before they are made; empty if all."""
        if self.detect is None:
            return ""
        goal = Goal(guarantee=guarantee_of(task))
        levels, draws = Levels.of(task.alpha, replayed=True), Draws.of(task.trials, searched=not _fixed(task))
        if reached(goal, self.detect, draws.event, alpha=levels.event):
            return ""
        needed = draws_needed(goal, self.detect, alpha=levels.event, above=draws.event)
        label = goal.headline.label()
        told = f"{task.trials} draws a side will not detect {label} = {self.detect:.4g} with 80 % power"
        if needed is None:
            return f"{told}, nor would any number of draws up to 1e10"
        return f"{told}; {math.ceil(needed * task.trials / max(draws.event, 1))} might"


def _fixed(task: Task) -> bool:
    return isinstance(task.neighbors, FixedPair)


def recheck_step(guarantee: Guarantee, evidence: Evidence, steps: Mapping[str, Any]) -> Again:
    """The bound of the deciding step; the error probability is that of the whole audit.

    Records of version 1 have the step's own error probability instead.

    Raises
    ------
    LackingError
        When no step drew enough to decide anything.
    ContradictionError
        When the steps spend more than the whole.
    """
    said = evidence.statistics
    auditor = steps.get(said.get("step", ""))
    taken = items(said, "steps")
    if auditor is None or all(entry(step, "step") != said["step"] for step in taken):
        raise LackingError("no step of the gate counted anything: its command makes it again")
    level = real(next(step for step in taken if entry(step, "step") == said["step"]), "level")
    if isinstance(auditor, ReplayAuditor):
        auditor = replace(auditor, level=level)
    assert isinstance(auditor, Rechecks)
    again = auditor.recheck(guarantee, evidence)
    if evidence.version.startswith("1+"):
        return again
    whole = real(said, "level")
    within("the counts", again.alpha, level)
    within("the steps", sum(real(step, "level") for step in taken if entry(step, "step") not in UNPAID), whole)
    return replace(again, alpha=whole)


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("gate", GateAuditor())
