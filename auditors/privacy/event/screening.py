"""Chooses the pairs of data sets and searched parameters that the event auditor examines closely, by rounds of pilots.

Successive halving (Karnin, Koren, Somekh, ICML 2013): all pairs get small samples first, the best ones larger ones.
They are ranked by the expected gain of their best event, with less caution (`bold`) where other draws confirm the
choice. In that case one more pair is kept: of the other pairs, the one with the largest shrunken gain. Caution lowers
the gain of rare events most, so a pair whose best events are rare would be dropped before it has enough draws; later
draws check it.

Validity needs no assumption here; a pair that is dropped too early costs power.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from auditors.privacy import contenders as listed
from auditors.privacy.event.expected_gain import Choice
from auditors.privacy.event.select import Split, quick_choice
from auditors.privacy.event_bounds import Goal
from auditors.privacy.outputs import Sample
from dpverify.core.auditing import Task

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
