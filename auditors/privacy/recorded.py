"""The auditor of draws that were made already: one part of them chooses an event, the rest count it, once.

Method: that of the event auditor (`auditors.privacy.event`), without new draws: all families of events are tried on the
draws that choose, and the chosen one is counted on draws that nothing has looked at, with the whole false-alarm
probability. Assumptions: the draws of a side are independent and of one law, the sides are independent, and nobody has
looked at them to choose which to hand in. Limits: a violation rarer than about one in the number of draws is not seen;
exact values that occur on one side only are not looked for, since no more draws come. Often confused with the largest
ratio of two histograms, which is biased upward.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.admission import EventAuditing, goal_of, guarantee_refusal
from auditors.privacy.event.expected_gain import no_difference_choice
from auditors.privacy.event.select import Split, choose, choose_trees, with_share
from auditors.privacy.event_bounds import KINDS, Goal
from auditors.privacy.gate.sought import draws_needed
from auditors.privacy.outputs import Drawer
from auditors.privacy.sampled_evidence import event_evidence, pair_witness
from dpverify.core.auditing import Task
from dpverify.core.evidence import Evidence
from dpverify.core.recorded_draws import HasDraws, draws_for
from dpverify.core.registry import Registry
from dpverify.core.subjects import Pair
from dpverify.core.verdict import Status, judge, why_vacuous
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.stats.joint import JointRegion


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAuditor(EventAuditing):
    """Any privacy guarantee, any subject whose draws were recorded; the task's trials are the draws that count."""

    name: str = "samples"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True
    detect: float | None = None
    """The true value of the headline that a full pass must have been able to detect; None sets no goal."""

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        if not isinstance(task.build(), HasDraws):
            return "the subject has no recorded draws"
        return guarantee_refusal(task, kinds=KINDS)

    def audit(self, task: Task) -> Evidence:
        """Choose, count, bound. Draws that could refute nothing are not looked at, and the evidence says so.

        Raises
        ------
        InputError
            When outputs are not finite numbers of one shape and type.
        AuditError
            When there is no pair of names for the two sides.
        """
        goal = goal_of(task)
        (pair,) = task.neighbors.candidates(task.claim.space, limit=1, rng=task.stream("pairs"))
        fewest = self.lacks(task)
        if fewest is not None:
            return self._powerless(task, goal, pair, fewest)
        draws = task.build().recorded_draws()
        drawer = Drawer(_Handed(draws.choosing), Pair(d0=0, d1=1))
        split = Split.of(
            drawer.both(len(draws.choosing[0]), task.stream, "choose"), rng=task.stream("choose", "halves")
        )
        how: dict[str, Any] = {"trials": task.trials, "alpha": task.alpha}
        choice = choose(split, goal, thorough=True, **how)
        choice = choose_trees(choice, split, goal, rng=task.stream("choose", "trees"), **how)
        found = no_difference_choice(scalar=drawer.scalar) if choice is None else with_share(choice, goal, **how)
        drawer.subject = _Handed(draws.counting)
        hits = [int(found.event.hits(drawer.draw(side, task.trials, rng=task.stream("count")))) for side in (0, 1)]
        k1, k2 = hits[found.direction], hits[1 - found.direction]
        region = JointRegion(k1=k1, n1=task.trials, k2=k2, n2=task.trials, alpha=task.alpha, share=found.share)
        evidence = event_evidence(
            self,
            task,
            goal,
            region,
            found.direction,
            event=found.event.text(),
            statistics={**found.statistics(region), "choosing": len(draws.choosing[0])},
            witness=pair_witness(pair, {}),
            pictured=True,
        )
        return replace(evidence, statistics={**evidence.statistics, **self._said(evidence, goal, task)})

    def _said(self, evidence: Evidence, goal: Goal, task: Task) -> dict[str, Any]:
        """What the evidence lacks: a pass that could have seen nothing, or less than was sought, and what would do."""
        if judge(evidence) is not Status.NOT_REFUTED:
            return {}
        found: dict[str, Any] = {}
        if self.detect is not None:
            found["sought"] = self.detect
            if evidence.detectable is not None and evidence.detectable > self.detect:
                needed = draws_needed(goal, self.detect, alpha=task.alpha, above=task.trials // 2)
                found["would_do"] = None if needed is None else draws_for(max(needed, task.trials + 1))
        if reason := why_vacuous(evidence):
            label, needed = evidence.measure.label(), found.get("would_do")
            more = f"; about {needed} draws a side might detect {label} = {self.detect:.4g}" if needed else ""
            found["vacuous"] = reason + more
        return found

    def _powerless(self, task: Task, goal: Goal, pair: Pair, fewest: int) -> Evidence:
        reason = (
            f"so few draws cannot refute {goal.guarantee.text()}, whatever the mechanism does: "
            f"{draws_for(fewest)} a side could"
        )
        headline = goal.headline
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version=self.version,
            measure=headline,
            bound=0.0,
            excess=-headline.claimed,
            confidence=1.0 - task.alpha,
            detectable=math.inf,
            ceiling=0.0,
            trials=0,
            seed=task.seed,
            statistics={"vacuous": reason, "would_do": draws_for(fewest)},
            witness=plain_pair(pair),
        )


class _Handed:
    """Draws as a subject that is asked once a side: the data set is the side's number."""

    def __init__(self, sides: tuple[NDArray[Any], NDArray[Any]]) -> None:
        self._sides = sides

    def sample(self, dataset: int, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """All of the side's draws."""
        return self._sides[dataset][:size]


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("samples", RecordedAuditor())
