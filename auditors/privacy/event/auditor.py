"""The black-box event auditor: draw outputs on both sides, choose one event, count it in fresh draws.

Method (Jagielski et al., arXiv 2006.07709; Bichsel et al., DP-Sniper, S&P 2021): candidate pairs are screened with
small samples; on a larger sample for the best few, one event and one direction are chosen, among scores built on
earlier draws. Then the event is counted in new draws, and a region of (p, q) gives the bound. This is one event, one
direction and one look, so the event gets the whole false-alarm probability, and no correction for multiple testing is
needed, however many events the search tried. Only if the selection finds exact values on one side alone, a second event
is counted in separate draws, for a tenth of the false-alarm probability (`single_values`).

Assumptions: independent draws from one law a side; draws of the named streams are independent. Limits: events rarer
than about 1 / trials cannot be detected, and a claim that is not refuted has passed a test with this event on this pair
only. The plug-in ratio of the best-looking event is different: it is biased upward.

Pairs are screened by successive halving (Karnin, Koren, Somekh, ICML 2013): all pairs get small samples first, the best
ones larger ones. They are ranked by the expected gain of their best event, with less caution (`bold`) where other draws
confirm the choice. In that case one more pair is kept: of the other pairs, the one with the largest shrunken gain.
Caution lowers the gain of rare events most, so a pair whose best events are rare would be dropped before it has enough
draws; later draws check it. A pair that is dropped too early costs power, and no validity.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from auditors.privacy import admission as listed
from auditors.privacy.admission import EventAuditing, probe
from auditors.privacy.event.expected_gain import Choice, no_difference_choice
from auditors.privacy.event.scores import SHARE, Found, Scored, most_repeated_on_one_side
from auditors.privacy.event.select import (
    Split,
    TrialTrees,
    choose,
    choose_trees,
    confirmed,
    grown_in_full,
    quick_choice,
    shortlist,
    trial_trees,
    with_share,
)
from auditors.privacy.event.tails import Tails
from auditors.privacy.event_bounds import FEWEST_TRIALS, Goal
from auditors.privacy.outputs import Drawer, Sample, fresh_counts
from auditors.privacy.sampled_evidence import event_evidence, pair_witness
from dpverify.core.auditing import Task
from dpverify.core.evidence import Evidence
from dpverify.core.registry import Registry
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.stats.joint import JointRegion

SELECTION = 2**17
SELECTION_SHARE = 32
"""Selection draws max(2^17, trials / 32) a side, at most the trials."""

SAID_EVERY = 2.0
"""Seconds between two computations of the bound so far, for the progress display."""

CONFIRMING_SHARE, MOST_CONFIRMED, MOST_SELECTED = 8, 2**23, 2**22
"""An eighth of the trials, at most 2^23, confirms the selected events.

Selection itself then takes at most 2^22 draws.
"""


ROUNDS = ((2**13, 12), (2**15, 4), (2**17, 2))
"""Rounds of screening: draws a side for each pair, and number of pairs kept."""

SCREENING_SHARE, SCREENED_NUMBERS, MOST_SCREENED, MOST_COUNTED = 8, 16, (2, 8), 8
"""Part of the trials for a round, and largest multiples of the pilots, for narrow and wide outputs.

A round draws this part of the trials (half of them for counted outputs) if that is more than the pilots: few draws
cannot choose what only many trials can detect.
"""

COUNTED, LARGEST_SHARE = 4, 4
"""Factor of the pilots where the subject fills its histogram inside the kernel, since draws are cheap there.

A round draws at most a quarter of the trials times this factor.
"""

SELECTION_NUMBERS = 2**24
"""Most numbers a side in memory."""

FEWEST_PILOT = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleValues:
    """Exact values that occur on one side only, and their pair."""

    found: Found
    contender: Contender


@dataclass(frozen=True, slots=True, kw_only=True)
class EventAuditor(EventAuditing):
    """Examines any privacy guarantee of any subject that can be sampled or counted."""

    name: str = "event"
    version: str = "11"
    statistical: bool = True
    fewest_confirming: int = 2**19
    """Fewest draws a side that can distinguish events; with fewer, selected events are not confirmed."""

    def audit(self, task: Task) -> Evidence:
        """Screen, select, certify.

        Raises
        ------
        InputError
            When no outcome of the trials could refute the claim (the message says how many could), or outputs are not
            finite numbers of one shape and type.
        AuditError
            When the search space has no pair of different neighbours.
        """
        self.admitted(task)
        task.progress("screening pairs", 0.0)
        contenders = contenders_of(task)
        task = _fitted(task, contenders[0].drawer)
        goal = self.admitted(task)
        finalists = best_contenders(task, goal, contenders, bold=self._confirming(task) > 0)
        task.progress("choosing the event", 0.2)
        best, single = self._select(task, goal, finalists)
        alpha = task.alpha
        if single is not None and single.found.trials is not None:
            alpha *= 1.0 - SHARE
            alone = self._single(task, goal, single, looked_at=len(contenders))
            if alone.excess > 0:  # its share of the error is separate, so the other event need not be counted
                return alone
        task.progress("counting the event in fresh draws", 0.4)
        k1, k2 = self._certify(task, goal, best)
        evidence = self._evidence(task, goal, best, (k1, k2), alpha=alpha, looked_at=len(contenders))
        if single is None:
            return evidence
        return replace(evidence, statistics={**evidence.statistics, "single_values": single.found.plain()})

    def _single(self, task: Task, goal: Goal, single: SingleValues, *, looked_at: int) -> Evidence:
        """Count exact values of one side in new draws, with their share of the false-alarm probability."""
        found, contender = single.found, single.contender
        assert found.trials is not None  # asked before
        event = Choice(event=found.event, direction=found.direction, p=found.seen / found.of, q=0.0, gain=1.0)
        best = replace(contender, choice=event)
        own = replace(task, trials=found.trials)
        task.progress(f"counting exact values of one side, {found.trials} draws a side", 0.3)
        counts = self._certify(own, goal, best, name="single values")
        return self._evidence(own, goal, best, counts, alpha=SHARE * task.alpha, looked_at=looked_at)

    def _select(self, task: Task, goal: Goal, finalists: list[Contender]) -> tuple[Contender, SingleValues | None]:
        """Choose the best event of the finalists on a separate sample; with many trials, confirm it on further draws.

        Also returns the exact values that occurred most often on one side only, if any.
        """
        singles: list[SingleValues] = []
        confirming = self._confirming(task)
        listed: list[tuple[Contender, list[Tails]]] = []
        judged: list[tuple[Contender, Split]] = []
        best_trees: tuple[int, TrialTrees] | None = None
        for contender in finalists:
            size = max(SELECTION, task.trials // (1 if contender.drawer.counting else SELECTION_SHARE))
            size = min(size, SELECTION_NUMBERS // contender.drawer.width, task.trials // (2 * len(finalists)) + 1)
            if confirming and not contender.drawer.counting:
                size = min(size, MOST_SELECTED)
            sides = contender.drawer.both(max(size, 32), task.stream, "select", contender.place)
            if (alone := most_repeated_on_one_side(sides, goal, trials=task.trials, alpha=task.alpha)) is not None:
                singles.append(SingleValues(found=alone, contender=contender))
            split = Split.of(sides, contender.seen, rng=task.stream("select", contender.place, "split"))
            if confirming:
                tails, counted = shortlist(split, goal, trials=task.trials, alpha=task.alpha)
                rng = task.stream("select", "trees", contender.place)
                tried = trial_trees(counted, split, goal, trials=task.trials, alpha=task.alpha, rng=rng)
                if tried is not None and (best_trees is None or tried.gain > best_trees[1].gain):
                    best_trees = len(listed), tried
                listed.append((contender, tails))
            else:
                choice = choose(split, goal, trials=task.trials, alpha=task.alpha, thorough=True)
                judged.append((replace(contender, choice=choice), split))
        if listed:
            if (
                best_trees is not None
                and (tail := grown_in_full(best_trees[1], goal, trials=task.trials, alpha=task.alpha)) is not None
            ):
                listed[best_trees[0]][1].append(tail)
            best = self._confirm(task, goal, listed, confirming)
            final = best.choice
        else:
            best, split = max(judged, key=lambda one: one[0].gain)
            final = choose_trees(
                best.choice, split, goal, trials=task.trials, alpha=task.alpha, rng=task.stream("select", "trees")
            )
        single = max(singles, key=lambda one: one.found.seen / one.found.of, default=None)
        if final is None:
            return best, single
        return replace(best, choice=with_share(final, goal, trials=task.trials, alpha=task.alpha)), single

    def _confirm(self, task: Task, goal: Goal, listed: list[tuple[Contender, list[Tails]]], size: int) -> Contender:
        """The contender and event with the largest gain on `size` new draws a side, on which no score was chosen."""
        judged = []
        for contender, tails in listed:
            hits = [np.zeros((2, tail.thresholds.size), dtype=np.int64) for tail in tails]
            for side in (0, 1):
                rng = task.stream("confirm", contender.place, side)
                for part in contender.drawer.chunks(size) if tails else []:
                    drawn = contender.drawer.draw(side, part, rng=rng)
                    scored = Scored(values=drawn.values)
                    for tail, counts in zip(tails, hits, strict=True):
                        counts[side] += tail.hits(drawn, scored)
            again = [tail.again(counts, size) for tail, counts in zip(tails, hits, strict=True)]
            best = confirmed(again, goal, trials=task.trials, alpha=task.alpha)
            judged.append(replace(contender, choice=best))
        return max(judged, key=lambda one: one.gain)

    def _confirming(self, task: Task) -> int:
        """Draws a side that confirm the selected events; 0 where the trials are too few."""
        size = min(task.trials // CONFIRMING_SHARE, MOST_CONFIRMED)
        return size if size >= self.fewest_confirming else 0

    def _certify(self, task: Task, goal: Goal, best: Contender, *, name: str = "certify") -> tuple[int, int]:
        """Count the chosen event in new draws: under P (the side where it is more likely) and under Q."""
        choice = best.choice or no_difference_choice(scalar=best.drawer.scalar)
        about = {"pair": plain_pair(best.pair), "parameters": dict(best.parameters), "event": choice.event.plain()}
        so_far, said, hits = "", time.monotonic(), [0, 0]
        found = fresh_counts(task, best.drawer, best.drawer.subject, choice.event.hits, about=about, name=name)
        for place, (counts, drawn) in enumerate(found):
            hits = counts.tolist()
            if place % 2 and time.monotonic() - said > SAID_EVERY:  # the same number of draws on each side
                so_far = _so_far(task, goal, choice, hits, drawn // 2)
                said = time.monotonic()
            share = drawn / (2 * task.trials)
            task.progress(f"counting, {drawn} of {2 * task.trials} draws{so_far}", 0.4 + 0.6 * share)
        return hits[choice.direction], hits[1 - choice.direction]

    def _evidence(
        self, task: Task, goal: Goal, best: Contender, counts: tuple[int, int], *, alpha: float, looked_at: int
    ) -> Evidence:
        """The evidence of the counts at level `alpha`; the stated confidence is that of the whole audit."""
        k1, k2 = counts
        choice = best.choice or no_difference_choice(scalar=best.drawer.scalar)
        region = JointRegion(k1=k1, n1=task.trials, k2=k2, n2=task.trials, alpha=alpha, share=choice.share)
        return event_evidence(
            self,
            task,
            goal,
            region,
            choice.direction,
            event=choice.event.text(),
            statistics={
                **choice.statistics(region),
                "pairs_screened": looked_at,
                "counts_in_kernel": best.drawer.counting,
            },
            witness=pair_witness(best.pair, best.parameters),
            pictured=True,
        )


def _fitted(task: Task, drawer: Drawer) -> Task:
    """The task with trials reduced to its limit on drawn numbers, for outputs of this width.

    The first draws of the subject are made here, to find the width.
    """
    probe(task, drawer)
    if task.numbers is None or drawer.counting:
        return task
    return replace(task, trials=min(task.trials, max(FEWEST_TRIALS, task.numbers // drawer.width)))


def _so_far(task: Task, goal: Goal, choice: Choice, hits: list[int], n: int) -> str:
    """The bound from the counts so far, for the progress display only, since the number of trials is fixed."""
    k1, k2 = hits[choice.direction], hits[1 - choice.direction]
    region = JointRegion(k1=k1, n1=n, k2=k2, n2=n, alpha=task.alpha, share=choice.share)
    finding = goal.finding(region, choice.direction)
    return f"; {finding.measure.kind} >= {finding.bound:.3g} so far"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender(listed.Contender):
    """A pair and searched parameters, with the best event so far and the draws that it was found on.

    `possible_gain` is the largest shrunken gain of its events; 0 where no other draws confirm the choice.
    """

    choice: Choice | None = None
    seen: tuple[Sample, Sample] | None = None
    possible_gain: float = 0.0

    @property
    def gain(self) -> float:
        """The expected gain of its event; -1 while there is none."""
        return -1.0 if self.choice is None else self.choice.gain


def best_contenders(task: Task, goal: Goal, contenders: list[Contender], *, bold: bool) -> list[Contender]:
    """The best few pairs by rounds of pilots; `bold` where other draws confirm the choice."""
    sure = len(contenders)  # the additional pair does not reduce their draws
    for stage, (pilot, kept) in enumerate(ROUNDS):
        if sure <= kept:
            continue
        width = contenders[0].drawer.width
        room = SELECTION_NUMBERS // width
        more = COUNTED if contenders[0].drawer.counting else 1
        share = task.trials // ((2 if more > 1 else SCREENING_SHARE) * sure)
        most = MOST_COUNTED if more > 1 else min(max(SCREENED_NUMBERS // width, MOST_SCREENED[0]), MOST_SCREENED[1])
        size = max(pilot * more, min(most * more * pilot, share))
        size = min(size, task.trials * more // (LARGEST_SHARE * sure), room)
        judged = []
        for contender in contenders:
            sides = contender.drawer.both(size, task.stream, "screen", stage, contender.place)
            split = Split.of(sides, contender.seen, rng=task.stream("screen", stage, contender.place, "split"))
            choice, possible = quick_choice(split, goal, trials=task.trials, alpha=task.alpha, bold=bold)
            judged.append(replace(contender, choice=choice, possible_gain=possible, seen=split.remembered()))
        contenders, sure = _kept(judged, kept), kept
    return contenders


def _kept(judged: list[Contender], kept: int) -> list[Contender]:
    """The best pairs by cautious gain, and of the others the one with the largest possible gain."""
    ranked = sorted(judged, key=lambda contender: -contender.gain)
    best, others = ranked[:kept], ranked[kept:]
    most_possible = max(others, key=lambda contender: contender.possible_gain)
    return [*best, most_possible] if most_possible.possible_gain > 0.0 else best


def contenders_of(task: Task) -> list[Contender]:
    """Pairs and parameters, the most promising first, at most as many as the trials can screen."""
    return listed.contenders(task, Contender, draws=5 * FEWEST_PILOT, middle=True)


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("event", EventAuditor())
