"""Which pairs of data sets, and which searched parameters, the event auditor looks at more closely: rounds of pilots.

Successive halving (Karnin, Koren, Somekh, ICML 2013): all pairs get small samples first, the best ones larger ones.
They are ranked by the expected gain of their best event, with less caution (`bold`) where other draws confirm the
choice. There one more pair is kept: of the others, the one with the largest shrunken gain. Caution asks more of rare
events, and a pair whose best ones are rare would be given up before enough was drawn; later draws check it.

Assumptions: none that validity rests on; a pair that is given up too early costs power.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from auditors.privacy import contenders as listed
from auditors.privacy.event.expected_gain import Choice
from auditors.privacy.event.select import Split, glanced_at
from auditors.privacy.event_bounds import Goal
from auditors.privacy.outputs import Sample
from dpverify.core.auditing import Task

ROUNDS = ((2**13, 12), (2**15, 4), (2**17, 2))
"""Screening: so many draws a side for each pair, then so many pairs are kept."""

SCREENING_SHARE, SCREENED_NUMBERS, MOST_SCREENED, MOST_COUNTED = 8, 16, (2, 8), 8
"""A round takes this part of the trials (half of them where they are counted) where that is more, and at most so many
pilots, more of narrow outputs than of wide ones: what many trials can tell apart, few cannot choose."""

COUNTED, LARGEST_SHARE = 4, 4
"""Pilots are so many times larger where the subject fills its histogram inside the kernel: there draws cost little. A
round takes no more than a quarter of the trials, times that."""

SELECTION_NUMBERS = 2**24
"""Numbers a side that are held in memory at most."""

FEWEST_PILOT = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender(listed.Contender):
    """A pair and the searched parameters, with the best event found for it so far and the draws seen for that.

    `possible_gain` is the largest shrunken gain of its events; 0 where no other draws confirm the choice.
    """

    choice: Choice | None = None
    seen: tuple[Sample, Sample] | None = None
    possible_gain: float = 0.0

    @property
    def gain(self) -> float:
        """The expected gain of its event; -1 while there is none."""
        return -1.0 if self.choice is None else self.choice.gain


def screened(task: Task, goal: Goal, contenders: list[Contender], *, bold: bool) -> list[Contender]:
    """The best few pairs by rounds of pilots; `bold` where other draws confirm what is chosen."""
    sure = len(contenders)  # the one more that is kept takes no draws from these
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
            choice, possible = glanced_at(split, goal, trials=task.trials, alpha=task.alpha, bold=bold)
            judged.append(replace(contender, choice=choice, possible_gain=possible, seen=split.remembered()))
        contenders, sure = _kept(judged, kept), kept
    return contenders


def _kept(judged: list[Contender], kept: int) -> list[Contender]:
    """The best by their cautious gain, and of the others the one with the largest possible gain."""
    ranked = sorted(judged, key=lambda contender: -contender.gain)
    best, others = ranked[:kept], ranked[kept:]
    most_possible = max(others, key=lambda contender: contender.possible_gain)
    return [*best, most_possible] if most_possible.possible_gain > 0.0 else best


def contenders_of(task: Task) -> list[Contender]:
    """Pairs and parameters in the order in which they are worth trying, no more than the trials can screen."""
    return listed.contenders(task, Contender, draws=5 * FEWEST_PILOT, middle=True)
