"""One audit of the gate: its steps in their order, each on draws of its own, until one of them decides."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from auditors.privacy.event.auditor import EventAuditor
from auditors.privacy.event.expected_gain import Choice
from auditors.privacy.event_bounds import Goal
from auditors.privacy.gate.closer_look import Closer, by_the_loss, closer_look
from auditors.privacy.gate.looks import PAIRS, SEEN, CappedEvent, Explored, exact_values, explore, second_look
from auditors.privacy.gate.sought import LEAST, SCARCE, Draws, Levels, draws_alone, event_draws
from auditors.privacy.replay.auditor import ReplayAuditor
from auditors.privacy.sequential.auditor import SequentialAuditor
from dpverify.core.auditing import Auditor, Task
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.verdict import Status, judge, why_vacuous
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.stats.intervals import LARGEST_TRIALS

FIRST_LOOK = 2**12
"""Most draws a side of a closer look that need not say how much is lost."""

MANY = 2 * FIRST_LOOK
"""Draws a side of an event that are planned again after a thorough look, in the hope that fewer do."""

FEWEST_SECOND = 100
"""Draws a side without which a second look sees nothing."""

REPLAYED_PAIRS, FRESH_WHERE_SCARCE = 2, 256
"""Pairs of a replay; and the fresh runs a side that it may make where draws are scarce."""


@dataclass(slots=True, kw_only=True)
class Run:
    """What an audit has spent and found so far."""

    name: str
    version: str
    """`name`, `version`: of the gate."""
    replay: ReplayAuditor
    bets: SequentialAuditor
    event: EventAuditor
    """`replay`, `bets`, `event`: auditors of the steps."""
    detect: float | None
    rare: float | None
    """`detect`, `rare`: the gate's."""
    brief: bool
    """Whether bets end the audit, whatever they find."""
    task: Task
    goal: Goal
    levels: Levels
    draws: Draws
    replayed: bool
    sought: float | None = None
    """The true value of the headline that a pass must have been able to detect; None saves no draw."""
    steps: list[dict[str, Any]] = field(default_factory=list)
    """What each step was given and what it found."""
    made: int = 0
    """Draws a side so far, of all steps after the replay."""
    rarest: tuple[int, float] | None = None
    """Draws a side, and level, of a count for the rarest leak that the second look sees."""
    choice: Choice | None = None
    """What chose the event that was counted first."""

    def play(self) -> Evidence:
        """Replay, search, bet, count: until the claim is refuted or the event has been counted."""
        self.sought = self.detect
        if (found := self._replay()) is not None and judge(found) is Status.REFUTED:
            return self._said(found, "replay")
        explored = explore(self.task, self.goal, self.draws)
        self._searched(explored)
        on_pair = _certifying(self.task, explored)
        found = self._bet(on_pair)
        if found is not None and (self.brief or judge(found) is Status.REFUTED):
            return self._said(found, "bets")
        counting = replace(on_pair, alpha=self.levels.event, trials=self.draws.event, stream=self._below("event"))
        return self._count(counting, explored)

    def _replay(self) -> Evidence | None:
        """What replay says; None where the subject cannot be replayed."""
        if not self.replayed:
            return None
        scarce = self.task.trials < SCARCE
        replay = replace(
            self.replay,
            level=self.levels.replay,
            pairs=1 if scarce else REPLAYED_PAIRS,
            exceeding=True,
            most=FRESH_WHERE_SCARCE if scarce else self.replay.most,
        )
        try:
            found = replay.audit(replace(self.task, effort=1.0, stream=self._below("replay")))
        except InputError:  # the search meets the same, and says whether any pair is left
            self.steps.append({"step": "replay", "level": self.levels.replay, "found": "cannot be done"})
            return None
        self._step("replay", self.levels.replay, found)
        if found.excess > 0:
            self.sought = None  # the recorded noise speaks against the claim, without proof: no draw is saved
        return found

    def _searched(self, explored: Explored) -> None:
        a_pair = 2 * self.draws.look
        self.steps.append(
            {"step": "search", "pairs_searched": explored.looked_at, "raised": explored.raised, "draws": a_pair}
        )
        self.made += a_pair * explored.looked_at

    def _bet(self, on_pair: Task) -> Evidence | None:
        """What bets say; None where they cannot be laid."""
        betting = replace(on_pair, alpha=self.levels.bets, trials=self.draws.bets, stream=self._below("bets"))
        if self.bets.refuses(self.task) is not None or not _able(self.bets, betting):
            return None
        found = replace(self.bets, detect=self.sought).audit(betting)
        self._step("bets", self.levels.bets, found)
        return found

    def _count(self, counting: Task, explored: Explored) -> Evidence:
        """The closer look, the exact values that it saw, and the event."""
        if not _able(self.event, counting):
            return self._powerless(counting, explored)
        planned = self._planned(counting, explored.look.choice)
        many = planned == counting.trials or planned > MANY
        closer = self._look(counting, explored, thorough=self.sought is not None and many)
        if closer.beyond:
            self.sought = None
        if (alone := self._alone(counting, explored, closer)) is not None:
            if judge(alone) is Status.REFUTED:
                return self._said(alone, "exact values")
            counting = replace(counting, trials=counting.trials - (alone.trials or 0))
        if closer.beyond or closer.choice is not None or closer.loss is not None or alone is not None:
            planned = self._planned(counting, closer.choice or explored.look.choice, loss=closer.loss)
        counting = replace(counting, trials=planned)
        if not _able(self.event, counting):
            return self._powerless(counting, explored)
        capped = CappedEvent.of(self.event, most_alone=self.task.trials - self.made - 2 * planned)
        found = by_the_loss(self.goal, capped.audit(counting), closer.loss)
        self._step("event", counting.alpha, found)
        self.made += planned  # choosing takes about as many
        if alone is not None or judge(found) is Status.REFUTED:
            return self._said(found, "event")
        return self._more(explored, closer, found)

    def _more(self, explored: Explored, closer: Closer, found: Evidence) -> Evidence:
        """A second look, and the count of what it chose; `found` is the event's evidence, which did not refute."""
        weak = bool(why_vacuous(found)) or self._missed(found)
        self.choice = closer.choice or explored.look.choice
        left, pairs = self.task.trials - self.made, [explored.pair, *explored.others][:PAIRS]
        if weak:
            look, most = left // 3, left - left // 3
        elif self.rare is None:
            look = most = min(self.task.trials // 4, left // 2)
        else:
            look = min(round(self.rare * self.task.trials), left // 2) if closer.repeats else 0
            most = left - look
        counting = replace(self.task, alpha=self.levels.more, trials=most, stream=self._below("second look"))
        if look < (FEWEST_SECOND if weak else LEAST) or not _able(self.event, counting):
            return self._said(found, "event")
        self.task.progress("looking again, for what is rare", 0.9)
        second = second_look(counting, self.goal, pairs, draws=look, rare=not weak)
        self.steps.append({"step": "second look", "pairs": len(pairs), "draws": look})
        self.made += look
        if not weak:
            self.rarest = min(most, SEEN * second.half), self.levels.more
        if second.choice is None:
            return self._said(found, "event")
        counting = replace(counting, trials=second.trials, stream=self._below("second event"))
        again = exact_values(self.event, counting, self.goal, second.pair, second.choice)
        self._step("second event", self.levels.more, again)
        sees, saw = (math.inf if each.detectable is None else each.detectable for each in (again, found))
        better = judge(again) is Status.REFUTED or (weak and sees < saw)
        return self._said(again, "second event") if better else self._said(found, "event")

    def _look(self, counting: Task, explored: Explored, *, thorough: bool) -> Closer:
        """The closer look; where it is thorough, it says how much is lost, and which event shows it."""
        draws = self.draws.closer if thorough else min(self.draws.closer, FIRST_LOOK)
        looking = replace(counting, stream=self._below("closer look"))
        closer = closer_look(looking, self.goal, explored.pair, draws=draws, losses=thorough)
        if closer.draws:
            self.steps.append(closer.plain())
        self.made += closer.draws
        return closer

    def _alone(self, counting: Task, explored: Explored, closer: Closer) -> Evidence | None:
        """What fresh draws say of exact values of one side; None where none were seen, or too few draws are left."""
        if closer.alone is None:
            return None
        level = self.levels.more
        most = max(counting.trials - LEAST, counting.trials // 2)  # the event keeps the rest
        trials = draws_alone(self.goal, closer.alone, alpha=level, most=most)
        if trials is None:
            return None
        counting = replace(counting, alpha=level, trials=trials, stream=self._below("exact values"))
        found = exact_values(self.event, counting, self.goal, explored.pair, closer.alone)
        self._step("exact values", level, found)
        return found

    def _planned(self, counting: Task, choice: Choice | None, *, loss: float | None = None) -> int:
        """Draws a side that count an event like `choice`, of those that `counting` has."""
        return event_draws(self.goal, choice, self.sought, alpha=counting.alpha, most=counting.trials, loss=loss)

    def _step(self, name: str, level: float, found: Evidence) -> None:
        """One line of the record: what a step was given and what it found."""
        self.steps.append(
            {
                "step": name,
                "level": level,
                "found": str(judge(found)),
                "bound": found.bound,
                "draws": found.trials,
                "detectable": found.detectable,
            }
        )
        if name != "replay":
            self.made += found.trials or 0

    def _said(self, found: Evidence, step: str) -> Evidence:
        """The gate's evidence: that of the step that decided, with what every step found."""
        statistics: dict[str, Any] = {
            **found.statistics,
            "step": step,
            "steps": self.steps,
            "level": self.task.alpha,
            "left": max(self.task.trials - self.made, 0),
        }
        if self.rarest is not None:
            statistics["rarest_by"] = list(self.rarest)
        if self.detect is not None:
            statistics["sought"] = self.detect
        reason = why_vacuous(found) if judge(found) is Status.NOT_REFUTED else ""
        needed = statistics["would_do"] = self._would_do(found) if reason or self._missed(found) else None
        if reason:
            told = f"about {needed} draws a side (trials) might decide, an estimate" if needed else ""
            statistics["vacuous"] = "; ".join(filter(None, [reason, told]))
        return replace(
            found,
            auditor=self.name,
            version=f"{self.version}+{found.auditor}-{found.version}",
            confidence=None if found.confidence is None else 1.0 - self.task.alpha,
            statistics=statistics,
        )

    def _missed(self, found: Evidence) -> bool:
        return self.detect is not None and (found.detectable or 0.0) > self.detect

    def _would_do(self, found: Evidence) -> int | None:
        """Trials of an audit whose event, at the counted rates, would detect what is sought; None where none do."""
        said = found.statistics
        if self.choice is None or self.detect is None or said["k1"] <= said["k2"]:
            return None
        choice = replace(self.choice, p=said["k1"] / said["n1"], q=said["k2"] / said["n2"])
        most = LARGEST_TRIALS // 4
        needed = event_draws(self.goal, choice, self.detect, alpha=self.levels.event, most=most)
        return None if needed == most else 4 * needed  # the event has a quarter of them

    def _powerless(self, counting: Task, explored: Explored) -> Evidence:
        """So few draws could not count an event that refutes, so none were counted."""
        fewest = self.event.lacks(counting)
        share = 0.25  # of the draws, which count the event
        reason = (
            f"{self.task.trials} draws a side are too few to count an event that could refute "
            f"{self.goal.guarantee.text()}: {math.ceil((fewest or 0) / share)} could"
        )
        headline = self.goal.headline
        return Evidence(
            claim=self.task.claim.id,
            auditor=self.name,
            version=self.version,
            measure=headline,
            bound=0.0,
            excess=-headline.claimed,
            confidence=1.0 - self.task.alpha,
            detectable=math.inf,
            ceiling=0.0,
            trials=0,
            seed=self.task.seed,
            statistics={"step": "none", "steps": self.steps, "vacuous": reason},
            witness=plain_pair(explored.pair),
        )

    def _below(self, step: str) -> Callable[..., Any]:
        return lambda *names: self.task.stream(step, *names)


def _able(auditor: Auditor, task: Task) -> bool:
    """Whether so many draws could refute the claim at all."""
    try:
        return auditor.lacks(task) is None  # type: ignore[attr-defined]
    except InputError:
        return False


def _certifying(task: Task, explored: Explored) -> Task:
    """The task on the one pair that is certified."""
    pair = explored.pair
    return replace(
        task,
        neighbors=FixedPair(
            d0=pair.d0, d1=pair.d1, relation=task.neighbors.relation, generator=task.neighbors, label=pair.label
        ),
    )
