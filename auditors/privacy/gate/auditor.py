"""The gate: one audit that is cheap where a claim falls easily, and goes on until a pass says something.

In this order, each step on draws of its own:

1. *replay*, where the mechanism's noise can be recorded: what is shown before any noise, or a counted event;
2. a search for the worst pair, on draws that no verdict rests on (`explore`); there one pair is chosen, once;
3. *bets* on that pair (`auditors.privacy.sequential`), which stop as soon as the claim is refuted;
4. a closer look at that pair (`closer_look`), on draws that no verdict rests on: are there *exact values* that one side
   alone repeats, is any event beyond the claim, and how much is lost there. Such values are counted in fresh draws;
5. one *event* on that pair (`auditors.privacy.event`), whose number of draws is fixed before the first of them: enough
   for the goal, or all of them where the replay or the closer look saw an excess that they cannot prove.

The false-alarm probability is divided among replay, bets and event before the first draw, and none of them gets back
what another did not spend; exact values have a tenth of the event's, where they are counted. The confidence of the
evidence is that of the whole audit, whichever step decided; `steps`
has each one's share. A refutation ends the audit; a pass is the event's, whose `detectable` says what it would
have seen. A pass that could have seen nothing up to its ceiling is marked (`statistics["vacuous"]`) and judged
inconclusive.

Assumptions and limits: those of the steps. Often confused with running all auditors beside one another, where each
draws its full budget.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from auditors.privacy.admission import guarantee_of, refusal
from auditors.privacy.event.auditor import EventAuditor
from auditors.privacy.event_bounds import Goal
from auditors.privacy.gate.closer_look import Closer, by_the_loss, closer_look
from auditors.privacy.gate.exact_values import exact_values
from auditors.privacy.gate.explore import Explored, explore
from auditors.privacy.gate.levels import ALONE, SCARCE, Draws, Levels
from auditors.privacy.gate.recheck import recheck_step
from auditors.privacy.gate.sought import LEAST, draws_alone, draws_needed, event_draws, reached
from auditors.privacy.replay.auditor import ReplayAuditor
from auditors.privacy.sequential.auditor import SequentialAuditor
from dpverify.core.auditing import Auditor, Task
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee, Pair
from dpverify.core.verdict import Status, judge, why_vacuous
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.datasets.neighbors.json_values import plain_pair

FIRST_LOOK = 2**12
"""Most draws a side of a closer look that need not say how much is lost."""

REPLAYED_PAIRS, FRESH_WHERE_SCARCE = 2, 256
"""Pairs of a replay; and the fresh runs a side that it may make where draws are scarce."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateAuditor:
    """Any privacy guarantee, any subject that can be sampled.

    Attributes
    ----------
    detect : float or None
        The true value of the headline that a full pass must have been able to detect; None sets no goal.
    """

    name: str = "gate"
    version: str = "3"
    statistical: bool = True
    by_request: bool = True
    detect: float | None = None
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
        return {"replay": self.replay, "bets": self.bets, "exact values": self.event, "event": self.event}

    def audit(self, task: Task) -> Evidence:
        """Replay, search, bet, count: until the claim is refuted or the event has been counted.

        Raises
        ------
        InputError
            When the mechanism raises on every pair, or its outputs cannot be compared.
        AuditError
            When there are no two different neighbours.
        """
        goal = Goal(guarantee=guarantee_of(task))
        replayed = self.replay.refuses(task) is None
        levels = Levels.of(task.alpha, replayed=replayed)
        draws = Draws.of(task.trials, searched=task.neighbors.count(task.claim.space) != 1 and not _fixed(task))
        steps: list[dict[str, Any]] = []
        sought = self.detect
        if replayed:
            found = self._replayed(task, levels.replay)
            steps.append(_step("replay", levels.replay, found))
            if found is not None and judge(found) is Status.REFUTED:
                return self._said(task, found, steps)
            if found is not None and found.excess > 0:
                sought = None  # the recorded noise speaks against the claim, without proof: no draw is saved
        explored = explore(task, goal, draws)
        steps.append(
            {"step": "search", "pairs_searched": explored.looked_at, "raised": explored.raised, "draws": 2 * draws.look}
        )
        on_pair = _certifying(task, explored)
        betting = replace(on_pair, alpha=levels.bets, trials=draws.bets, stream=_below(task, "bets"))
        if self.bets.refuses(task) is None and _able(self.bets, betting):
            found = replace(self.bets, detect=sought).audit(betting)
            steps.append(_step("bets", levels.bets, found))
            if judge(found) is Status.REFUTED:
                return self._said(task, found, steps)
        counting = replace(on_pair, alpha=levels.event, trials=draws.event, stream=_below(task, "event"))
        if not _able(self.event, counting):
            return self._powerless(task, goal, explored, counting, steps)
        planned = _trials(goal, explored, sought, counting)
        weak = sought is not None and planned == draws.event
        looking = replace(on_pair, stream=_below(task, "closer look"))
        closer = closer_look(
            looking, goal, explored.pair, draws=draws.closer if weak else min(draws.closer, FIRST_LOOK), losses=weak
        )
        if closer.draws:
            steps.append(closer.record())
        if closer.beyond:
            sought = None
        if (alone := self._alone(task, goal, explored.pair, closer, counting)) is not None:
            steps.append(_step("exact values", ALONE * levels.event, alone))
            if judge(alone) is Status.REFUTED:
                return self._said(task, alone, steps)
            left = max(draws.event - (alone.trials or 0), LEAST)
            counting = replace(counting, alpha=(1.0 - ALONE) * levels.event, trials=left)
        if closer.beyond or closer.loss is not None or alone is not None:
            planned = _trials(goal, explored, sought, counting, loss=closer.loss)
        counting = replace(counting, trials=planned)
        if not _able(self.event, counting):
            return self._powerless(task, goal, explored, counting, steps)
        found = by_the_loss(goal, self.event.audit(counting), closer.loss)
        steps.append(_step("event", counting.alpha, found))
        return self._said(task, found, steps)

    def _alone(self, task: Task, goal: Goal, pair: Pair, closer: Closer, counting: Task) -> Evidence | None:
        """What fresh draws say of exact values of one side; None where none were seen, or too few draws are left."""
        if closer.alone is None:
            return None
        level = ALONE * counting.alpha
        trials = draws_alone(goal, closer.alone, alpha=level, most=counting.trials)
        if trials is None:
            return None
        counting = replace(counting, alpha=level, trials=trials, stream=_below(task, "exact values"))
        return exact_values(self.event, counting, goal, pair, closer.alone)

    def _replayed(self, task: Task, level: float) -> Evidence | None:
        """What replay says; None where the subject cannot be replayed after all."""
        scarce = task.trials < SCARCE
        replay = replace(
            self.replay,
            level=level,
            pairs=1 if scarce else REPLAYED_PAIRS,
            exceeding=True,
            most=FRESH_WHERE_SCARCE if scarce else self.replay.most,
        )
        try:
            return replay.audit(replace(task, effort=1.0, stream=_below(task, "replay")))
        except InputError:  # the search meets the same, and says whether any pair is left
            return None

    def _said(self, task: Task, found: Evidence, steps: list[dict[str, Any]]) -> Evidence:
        """The gate's evidence: the deciding step's, with what every step found."""
        statistics: dict[str, Any] = {
            **found.statistics,
            "step": steps[-1]["step"],
            "steps": steps,
            "level": task.alpha,
        }
        if self.detect is not None:
            statistics["sought"] = self.detect
        reason = why_vacuous(found)
        if reason and judge(found) is Status.NOT_REFUTED:
            statistics["vacuous"] = reason
        return replace(
            found,
            auditor=self.name,
            version=f"{self.version}+{found.auditor}-{found.version}",
            confidence=None if found.confidence is None else 1.0 - task.alpha,
            statistics=statistics,
        )

    def _powerless(
        self, task: Task, goal: Goal, explored: Explored, counting: Task, steps: list[dict[str, Any]]
    ) -> Evidence:
        """So few draws could refute nothing, so none were made."""
        fewest = self.event.lacks(counting)
        share = 0.25  # of the draws, which count the event
        reason = (
            f"{task.trials} draws a side cannot refute {goal.guarantee.text()}, whatever the mechanism does: "
            f"{math.ceil((fewest or 0) / share)} could"
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
            statistics={"step": "none", "steps": steps, "vacuous": reason},
            witness=plain_pair(explored.pair),
        )

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
        return f"{told}; {math.ceil(needed * task.trials / draws.event)} might"


def _step(name: str, level: float, found: Evidence | None) -> dict[str, Any]:
    """One line of the record: what a step was given and what it found."""
    if found is None:
        return {"step": name, "level": level, "found": "cannot be done"}
    return {
        "step": name,
        "level": level,
        "found": str(judge(found)),
        "bound": found.bound,
        "draws": found.trials,
        "detectable": found.detectable,
    }


def _trials(goal: Goal, explored: Explored, sought: float | None, counting: Task, *, loss: float | None = None) -> int:
    """Draws a side that count the event, of those that `counting` has."""
    return event_draws(goal, explored.look.choice, sought, alpha=counting.alpha, most=counting.trials, loss=loss)


def _able(auditor: Auditor, task: Task) -> bool:
    """Whether so many draws could refute the claim at all."""
    try:
        return auditor.lacks(task) is None  # type: ignore[attr-defined]
    except InputError:
        return False


def _fixed(task: Task) -> bool:
    return isinstance(task.neighbors, FixedPair)


def _certifying(task: Task, explored: Explored) -> Task:
    """The task on the one pair that is certified."""
    pair = explored.pair
    return replace(
        task,
        neighbors=FixedPair(
            d0=pair.d0, d1=pair.d1, relation=task.neighbors.relation, generator=task.neighbors, label=pair.label
        ),
    )


def _below(task: Task, step: str) -> Any:
    return lambda *names: task.stream(step, *names)


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("gate", GateAuditor())
