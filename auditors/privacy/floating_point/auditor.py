"""The floating-point auditor: tests whether noise computed in doubles hides the answer that it was added to.

Mironov, "On Significance of the Least Significant Bits for Differential Privacy" (CCS 2012): a sum of an answer and
noise, both doubles, is rounded to a grid that depends on both, so that some outputs are possible under one answer and
impossible under its neighbour, whatever the law of the noise in real numbers. The auditor learns which outputs
distinguish the two sides from a table of binades and last set bits, and by a regression on single bits (`scores`).

Error probability: pairs, centres, scores, thresholds and the direction are chosen on separate draws. The one chosen
event is counted in new draws, and its region gets the whole alpha, however much was tried before. Any function of the
output is post-processing, so a bound on the event is a bound on the mechanism.

Assumptions: as for all events, independent draws from one law a side. Limits: it examines the claim's stated parameters
and a few pairs (simple ones, such as 0 against 1, have different grids). Gaps in the *values* that noise can take
(Mironov's attack on the logarithm, which needs the sampler's formula) are found only if they show in these bits. It
tests the program, not the law: almost every program that adds doubles is refuted, including those of this project
(their noise is for verification, not for release).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.admission import EventAuditing, guarantee_refusal, sampling_refusal
from auditors.privacy.event.expected_gain import Choice, largest_gain, no_difference_choice
from auditors.privacy.event.select import with_share
from auditors.privacy.event.tails import Tails
from auditors.privacy.event_bounds import KINDS, Goal
from auditors.privacy.floating_point.scores import MOST_COLUMNS, floats, scores
from auditors.privacy.outputs import Drawer, Sample, fresh_counts
from auditors.privacy.sampled_evidence import event_evidence, pair_witness
from auditors.search_boxes import candidate_pairs, scaled_limit
from dpverify.core.auditing import Task
from dpverify.core.evidence import Evidence
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset, HasQuery, Pair
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.stats.joint import JointRegion

PAIRS = 8
PILOT = 2**12
"""Draws a side on which pairs are compared."""

SELECTION = 2**16
"""Draws a side for choosing the event (at most the trials): half for learning, half for thresholds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplesOnly:
    """Offers only the samples of a subject, since a histogram has no bits."""

    subject: Any

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Samples of the subject."""
        drawn: NDArray[Any] = self.subject.sample(dataset, size, rng=rng)
        return drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatingPointAuditor(EventAuditing):
    """Examines any privacy guarantee of a subject that can be sampled.

    `beyond_law`: it sees effects that no law in real numbers describes, so it may rightly refute a claim that such a
    law proves.
    """

    name: str = "floating-point"
    version: str = "2"
    statistical: bool = True
    by_request: bool = True
    beyond_law: bool = True

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        return guarantee_refusal(task, kinds=KINDS) or sampling_refusal(task, counts=False)

    def audit(self, task: Task) -> Evidence:
        """Choose a pair, choose an event on its bits, count it in fresh draws.

        Raises
        ------
        InputError
            When the trials could not refute the claim whatever happened, or for outputs that cannot be audited.
        AuditError
            When the search space has no pair of different neighbours.
        """
        goal = self.admitted(task)
        task.progress("comparing pairs", 0.0)
        pair, compared = self._pair(task, goal)
        task.progress("choosing the event", 0.2)
        drawer = Drawer(SamplesOnly(subject=task.build()), pair)
        choice = self._choose(task, goal, drawer, ("select",), size=min(SELECTION, task.trials), thorough=True)
        if choice is None:  # no difference was found
            choice = no_difference_choice(scalar=drawer.scalar)
        choice = with_share(choice, goal, trials=task.trials, alpha=task.alpha)
        k1, k2 = self._certify(task, drawer, choice)
        region = JointRegion(k1=k1, n1=task.trials, k2=k2, n2=task.trials, alpha=task.alpha, share=choice.share)
        return event_evidence(
            self,
            task,
            goal,
            region,
            choice.direction,
            event=choice.event.text(),
            statistics={**choice.statistics(region), "pairs_compared": compared},
            witness=pair_witness(pair, {}),
        )

    def _pair(self, task: Task, goal: Goal) -> tuple[Pair, int]:
        """The (first) pair whose pilot has the largest expected gain, and the number of compared pairs."""
        pairs = candidate_pairs(task, scaled_limit(task, PAIRS, draws=PILOT))
        if len(pairs) == 1:
            return pairs[0], 1
        gains = []
        for place, pair in enumerate(pairs):
            drawer = Drawer(SamplesOnly(subject=task.build()), pair)
            choice = self._choose(task, goal, drawer, ("pilot", place), size=PILOT, thorough=False)
            gains.append(-1.0 if choice is None else choice.gain)
        return pairs[int(np.argmax(gains))], len(pairs)

    def _choose(
        self, task: Task, goal: Goal, drawer: Drawer, names: tuple[str | int, ...], *, size: int, thorough: bool
    ) -> Choice | None:
        """The event with the largest expected gain: scores from one half of the draws, thresholds from the other."""
        sides = drawer.both(size, task.stream, *names)
        (build0, held0), (build1, held1) = (side.halves(task.stream(*names, "halves")) for side in sides)
        build, held = (build0, build1), (held0, held1)
        tried = scores(build, _centres(drawer, build), thorough=thorough)
        tails = [tail for score in tried if (tail := Tails.of(score, held)) is not None]
        return largest_gain(tails, goal, trials=task.trials, alpha=task.alpha)

    def _certify(self, task: Task, drawer: Drawer, choice: Choice) -> tuple[int, int]:
        """Counts of the event in fresh draws: under P (the side where it is likelier) and under Q."""
        hits = [0, 0]
        about = [choice.event.plain(), plain_pair(drawer.pair)]
        for so_far, drawn in fresh_counts(task, drawer, drawer.subject.subject, choice.event.hits, about=about):
            hits = so_far.tolist()
            task.progress("counting the event in fresh draws", 0.4 + 0.3 * drawn / task.trials)
        return hits[choice.direction], hits[1 - choice.direction]


def _centres(drawer: Drawer, sides: tuple[Sample, Sample]) -> list[tuple[float, float]]:
    """The centre of each coordinate on d0 and d1: the query's answers where available, else medians of draws."""
    width = min(drawer.width, MOST_COLUMNS)
    subject, datasets = drawer.subject.subject, (drawer.pair.d0, drawer.pair.d1)
    if isinstance(subject, HasQuery):
        answers = [np.asarray(subject.query(dataset), dtype=np.float64).reshape(-1) for dataset in datasets]
        if all(answer.size == drawer.width for answer in answers):
            return [(float(answers[0][column]), float(answers[1][column])) for column in range(width)]
    medians = [[float(np.median(floats(side.values, column))) for column in range(width)] for side in sides]
    return list(zip(*medians, strict=True))


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("floating-point", FloatingPointAuditor())
