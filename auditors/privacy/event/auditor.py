"""The black-box event auditor: draw outputs on both sides, choose one event, count it in fresh draws.

Method (Jagielski et al., arXiv 2006.07709; Bichsel et al., DP-Sniper, S&P 2021): candidate pairs are screened with
small samples; on a larger sample for the best few, one event and one direction are chosen, among scores built on what
was drawn before; then the event is counted in draws that nothing has looked at, and a region of (p, q) gives the bound.
Because that is one event, one direction and one look, the whole error probability is spent on it and no multiplicity is
left, whatever the search tried before.

Assumptions: independent draws from one law a side; draws of the named streams are independent. Limits: it sees what it
samples, so an event rarer than about 1 / trials is out of reach, and a claim that is not refuted has survived this
event on this pair and no more. Often confused with the plug-in ratio of the best-looking event, which is biased upward.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from auditors.privacy.event.outputs import SIDES, Drawer, Sample
from auditors.privacy.event.promise import Choice
from auditors.privacy.event.scores import Coordinate, Event
from auditors.privacy.event.select import (
    Listed,
    Split,
    choose,
    choose_trees,
    confirmed,
    glanced_at,
    promised,
    shortlist,
    with_share,
)
from auditors.privacy.event.tails import Tails
from auditors.privacy.goal import KINDS, Goal
from auditors.privacy.power import detectable
from dpverify.core.chunks import parts
from dpverify.core.errors import AuditError
from dpverify.core.evidence import Evidence
from dpverify.core.protocols import Float, Pair, PrivacyGuarantee, Task, capabilities
from dpverify.core.registry import Registry
from dpverify.datasets.neighbors.plain import plain_pair
from dpverify.stats.joint import JointRegion
from dpverify.stats.region import RectangleRegion

FEWEST_TRIALS = 100
PAIRS = 25
"""Pairs screened at effort 1."""

ROUNDS = ((2**13, 12), (2**15, 4), (2**17, 2))
"""Screening: so many draws a side for each pair, then so many pairs are kept."""

SCREENING_SHARE, SCREENED_NUMBERS, MOST_SCREENED, MOST_COUNTED = 8, 16, (2, 8), 8
"""A round takes this part of the trials (half of them where they are counted) where that is more, and at most so many
pilots, more of narrow outputs than of wide ones: what many trials can tell apart, few cannot choose."""

SELECTION = 2**17
SELECTION_SHARE = 32
"""Selection takes 2^17 draws a side, or a thirty-second of the trials where that is more (never more than all)."""

COUNTED = 8
"""Pilots are so many times larger where the subject fills its histogram inside the kernel: there draws cost little,
and screening may then take a few times the trials."""

SELECTION_NUMBERS = 2**24
CONFIRMING_SHARE, FEWEST_CONFIRMING, MOST_CONFIRMED, MOST_SELECTED = 8, 2**19, 2**24, 2**22
"""An eighth of the trials confirms what selection lists, or so many as are enough, where that can tell events apart:
selection may then be coarser."""

FEWEST_PILOT = 400
PICTURED = 129


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A pair and the searched parameters, with the best event found for it so far and the draws seen for that.

    `hope` is what a bold look promises of it: ranks it beside those that surely show something.
    """

    place: int
    pair: Pair
    parameters: Mapping[str, float]
    drawer: Drawer
    choice: Choice | None = None
    seen: tuple[Sample, Sample] | None = None
    hope: float = -1.0

    @property
    def gain(self) -> float:
        """Of its event; below everything while there is none."""
        return -1.0 if self.choice is None else self.choice.gain


@dataclass(frozen=True, slots=True, kw_only=True)
class EventAuditor:
    """Any privacy guarantee, any subject that can be sampled or counted."""

    name: str = "event"
    version: str = "5"
    statistical: bool = True

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        guarantee = task.claim.guarantee
        if not isinstance(guarantee, PrivacyGuarantee):
            return "the claim is no privacy guarantee"
        if guarantee.measures()[0].kind not in KINDS:
            return f"no bound on {guarantee.measures()[0].kind} is known here"
        if not {"sample", "counts"} & capabilities(task.build()):
            return "the subject can be neither sampled nor counted"
        return None

    def lacks(self, task: Task) -> int | None:
        """None when a perfect event would refute the claim with the task's trials, else the fewest that would do."""
        guarantee = task.claim.guarantee
        if not isinstance(guarantee, PrivacyGuarantee):
            raise AuditError(f"{guarantee.text()} is no privacy guarantee")
        goal = Goal(guarantee=guarantee)
        if goal.suffices(task.trials, alpha=task.alpha, least=FEWEST_TRIALS):
            return None
        return goal.fewest(alpha=task.alpha, least=FEWEST_TRIALS)

    def audit(self, task: Task) -> Evidence:
        """Screen, select, certify.

        Raises
        ------
        InputError
            When the trials could not refute the claim whatever happened (saying how many would do), or when outputs
            are not finite numbers of one shape and type.
        AuditError
            When the search space has no pair of different neighbours.
        """
        guarantee = task.claim.guarantee
        if not isinstance(guarantee, PrivacyGuarantee):
            raise AuditError(f"{guarantee.text()} is no privacy guarantee")
        goal = Goal(guarantee=guarantee)
        goal.require(task.trials, alpha=task.alpha, least=FEWEST_TRIALS)
        task.progress("screening pairs", 0.0)
        contenders = list(_contenders(task))
        task = _fitted(task, contenders[0].drawer)
        goal.require(task.trials, alpha=task.alpha, least=FEWEST_TRIALS)
        finalists, spent = self._screen(task, goal, contenders)
        task.progress("choosing the event", 0.2)
        best = self._select(task, goal, finalists)
        task.progress("counting the event in fresh draws", 0.4)
        k1, k2 = self._certify(task, goal, best)
        return self._evidence(task, goal, best, k1, k2, screened=spent)

    def _screen(self, task: Task, goal: Goal, contenders: list[Contender]) -> tuple[list[Contender], int]:
        """The best few pairs by rounds of pilots; how many pairs were looked at."""
        looked_at = len(contenders)
        bold = _confirming(task) > 0
        for stage, (pilot, kept) in enumerate(ROUNDS):
            if len(contenders) <= kept:
                continue
            width = contenders[0].drawer.width
            room = SELECTION_NUMBERS // width
            more = COUNTED if contenders[0].drawer.counting else 1
            share = task.trials // ((2 if more > 1 else SCREENING_SHARE) * len(contenders))
            most = MOST_COUNTED if more > 1 else min(max(SCREENED_NUMBERS // width, MOST_SCREENED[0]), MOST_SCREENED[1])
            size = max(pilot * more, min(most * more * pilot, share))
            size = min(size, task.trials * min(more, 4) // (4 * len(contenders)), room)
            judged = []
            for contender in contenders:
                sides = [
                    contender.drawer.draw(side, size, rng=task.stream("screen", stage, contender.place, side))
                    for side in (0, 1)
                ]
                split = Split.of(sides, contender.seen, rng=task.stream("screen", stage, contender.place, "split"))
                judged.append(replace(contender, seen=split.remembered(), **_glance(task, goal, split, bold=bold)))
            contenders = _kept(judged, kept)
        return contenders, looked_at

    def _select(self, task: Task, goal: Goal, finalists: list[Contender]) -> Contender:
        """The best event over the finalists, on a sample of its own; with many trials, by fresh draws once more."""
        confirming = _confirming(task)
        listed: list[list[Listed]] = []
        judged: list[tuple[Contender, Split]] = []
        for contender in finalists:
            size = max(SELECTION, task.trials // (1 if contender.drawer.counting else SELECTION_SHARE))
            size = min(size, SELECTION_NUMBERS // contender.drawer.width, task.trials // (2 * len(finalists)) + 1)
            if confirming and not contender.drawer.counting:
                size = min(size, MOST_SELECTED)
            sides = [
                contender.drawer.draw(side, max(size, 32), rng=task.stream("select", contender.place, side))
                for side in (0, 1)
            ]
            split = Split.of(sides, contender.seen, rng=task.stream("select", contender.place, "split"))
            if confirming:
                trees = task.stream("select", "trees", contender.place)
                listed.append(promised(split, goal, trials=task.trials, alpha=task.alpha, rng=trees))
            else:
                judged.append(
                    (
                        replace(
                            contender, choice=choose(split, goal, trials=task.trials, alpha=task.alpha, thorough=True)
                        ),
                        split,
                    )
                )
        if listed:
            best = self._confirm(task, goal, list(zip(finalists, shortlist(listed), strict=True)), confirming)
            choice = best.choice
        else:
            best, split = max(judged, key=lambda one: one[0].gain)
            choice = choose_trees(
                best.choice, split, goal, trials=task.trials, alpha=task.alpha, rng=task.stream("select", "trees")
            )
        if choice is None:
            return best
        return replace(best, choice=with_share(choice, goal, trials=task.trials, alpha=task.alpha))

    def _confirm(self, task: Task, goal: Goal, listed: list[tuple[Contender, list[Tails]]], size: int) -> Contender:
        """The contender and the event that promise most by `size` draws a side on which no score was chosen."""
        judged = []
        for contender, tails in listed:
            hits = [np.zeros((2, tail.thresholds.size), dtype=np.int64) for tail in tails]
            for side in (0, 1):
                rng = task.stream("confirm", contender.place, side)
                for part in contender.drawer.chunks(size) if tails else []:
                    drawn = contender.drawer.draw(side, part, rng=rng)
                    for tail, counts in zip(tails, hits, strict=True):
                        counts[side] += tail.hits(drawn)
            again = [tail.again(counts, size) for tail, counts in zip(tails, hits, strict=True)]
            best = confirmed(again, goal, trials=task.trials, alpha=task.alpha)
            judged.append(replace(contender, choice=best))
        return max(judged, key=lambda one: one.gain)

    def _certify(self, task: Task, goal: Goal, best: Contender) -> tuple[int, int]:
        """Counts of the chosen event in fresh draws: under P (the side where it is likelier) and under Q."""
        choice = best.choice or _nothing_seen(best)
        sizes = best.drawer.chunks(task.trials)
        hits, drawn, count = [0, 0], [0, 0], 2 * len(sizes)

        def counted(place: int) -> int:
            chunk, side = divmod(place, 2)
            return choice.event.hits(best.drawer.draw(side, sizes[chunk], rng=task.stream("certify", side, chunk)))

        found = parts(task, best.drawer.subject, ("certify",), count, counted, about=choice.event.record())
        so_far = ""
        for place, inside in enumerate(found):
            chunk, side = divmod(place, 2)
            hits[side] += inside
            drawn[side] += sizes[chunk]
            if side and (20 * place) // count != (20 * (place - 1)) // count:
                so_far = _so_far(task, goal, choice, hits, drawn[1])
            task.progress(f"counting, {sum(drawn)} of {2 * task.trials} draws{so_far}", 0.4 + 0.6 * (place + 1) / count)
        return hits[choice.direction], hits[1 - choice.direction]

    def _evidence(self, task: Task, goal: Goal, best: Contender, k1: int, k2: int, *, screened: int) -> Evidence:
        choice = best.choice or _nothing_seen(best)
        n = task.trials
        region = JointRegion(k1=k1, n1=n, k2=k2, n2=n, alpha=task.alpha, share=choice.share)
        finding = goal.finding(region, choice.direction)
        likelier, other = SIDES[choice.direction], SIDES[1 - choice.direction]
        direction = f"{likelier} against {other}"
        headline = finding.measure is goal.headline
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version=self.version,
            measure=finding.measure,
            bound=finding.bound,
            excess=finding.excess,
            confidence=1.0 - task.alpha,
            estimate=goal.estimate(k1, n, k2, n) if headline else None,
            detectable=detectable(goal, region, choice.direction) if headline else None,
            ceiling=goal.ceiling(n, alpha=task.alpha, share=choice.share) if headline else None,
            trials=n,
            seed=task.seed,
            statistics={
                "k1": k1,
                "n1": n,
                "k2": k2,
                "n2": n,
                "direction": direction,
                "alpha": task.alpha,
                "region": {"kind": "joint", "share": choice.share},
                "event": choice.event.record(),
                "expected": {"p": choice.p, "q": choice.q, "gain": choice.gain},
                "pairs_screened": screened,
                "counts_in_kernel": best.drawer.counting,
            },
            witness={
                **plain_pair(best.pair),
                "direction": direction,
                "event": choice.event.text(),
                "parameters": dict(best.parameters),
            },
            picture=_picture(goal, region, choice.direction),
        )


def _fitted(task: Task, drawer: Drawer) -> Task:
    """The task with as many trials as its limit on numbers leaves for outputs of this width, and of nothing else.

    A few draws tell the width, and meet the subject's errors for next to nothing.
    """
    for side in (0, 1):
        drawer.draw(side, 16, rng=task.stream("probe", side))
    if task.numbers is None or drawer.counting:
        return task
    return replace(task, trials=min(task.trials, max(FEWEST_TRIALS, task.numbers // drawer.width)))


def _confirming(task: Task) -> int:
    """Draws a side that confirm what selection lists; 0 where the trials are too few for that."""
    size = min(task.trials // CONFIRMING_SHARE, MOST_CONFIRMED)
    return size if size >= FEWEST_CONFIRMING else 0


def _glance(task: Task, goal: Goal, split: Split, *, bold: bool) -> dict[str, Any]:
    """The choice of a quick look, and what a bold one hopes for (nothing more, unless it is to be `bold`)."""
    if not bold:
        return {"choice": choose(split, goal, trials=task.trials, alpha=task.alpha, thorough=False)}
    sure, hoped = glanced_at(split, goal, trials=task.trials, alpha=task.alpha)
    return {"choice": sure, "hope": -1.0 if hoped is None else hoped.gain}


def _kept(contenders: list[Contender], kept: int) -> list[Contender]:
    """The best by what they surely show and by what they may, in turns; by the first where nobody looked boldly."""
    sure = sorted(contenders, key=lambda one: -one.gain)
    bold = sorted(contenders, key=lambda one: -one.hope) if any(one.hope >= 0.0 for one in contenders) else sure
    ranked = dict.fromkeys(one.place for pair in zip(sure, bold, strict=True) for one in pair)
    by_place = {one.place: one for one in contenders}
    return [by_place[place] for place in list(ranked)[:kept]]


def _contenders(task: Task) -> list[Contender]:
    """Pairs and parameters in the order in which they are worth trying, no more than the trials can screen."""
    space = task.claim.space
    limit = max(1, min(round(PAIRS * task.effort), task.trials // (5 * FEWEST_PILOT)))
    pairs = task.neighbors.candidates(space, limit=limit, rng=task.stream("pairs"))
    if not pairs:
        raise AuditError(
            f"the relation {task.neighbors.relation!r} has no two different neighbours of size {space.size} "
            f"with values in [{space.low:g}, {space.high:g}]: widen the claim's search space"
        )
    settings = _settings(space.parameters, limit)
    ranked = sorted((i + j, i, j) for i in range(len(pairs)) for j in range(len(settings)))[:limit]
    subjects = [task.build(**setting) for setting in settings]
    return [
        Contender(place=place, pair=pairs[i], parameters=settings[j], drawer=Drawer(subjects[j], pairs[i]))
        for place, (_, i, j) in enumerate(ranked)
    ]


def _settings(boxes: Mapping[str, tuple[float, float]], limit: int) -> list[dict[str, float]]:
    """The claim's own parameters, the corners of the boxes, and their middle."""
    if not boxes:
        return [{}]
    corners = [dict(zip(boxes, corner, strict=True)) for corner in product(*boxes.values())]
    middle = {name: (low + high) / 2.0 for name, (low, high) in boxes.items()}
    return [{}, *corners[: max(1, limit // 2)], middle]


def _so_far(task: Task, goal: Goal, choice: Choice, hits: list[int], n: int) -> str:
    """The bound that the counts up to now would give, for whoever watches: no evidence, since the trials are fixed."""
    k1, k2 = hits[choice.direction], hits[1 - choice.direction]
    region = JointRegion(k1=k1, n1=n, k2=k2, n2=n, alpha=task.alpha, share=choice.share)
    finding = goal.finding(region, choice.direction)
    return f"; {finding.measure.kind} >= {finding.bound:.3g} so far"


def _nothing_seen(best: Contender) -> Choice:
    """The event that stands in where both sides looked alike: it is certified like any other, and shows nothing."""
    column = None if best.drawer.scalar else 0
    return Choice(
        event=Event(score=Coordinate(column=column), threshold=0.0, above=True), direction=0, p=0.5, q=0.5, gain=0.0
    )


def _picture(goal: Goal, region: JointRegion, direction: int) -> dict[str, Any]:
    """The claimed curve, and the measured rectangle by its own Clopper-Pearson limits at half the error each."""
    log_scale = np.geomspace(1e-6, 1.0, PICTURED // 2)
    alpha = np.unique(np.concatenate([np.linspace(0.0, 1.0, PICTURED // 2), log_scale]))
    beta: Float = np.asarray(goal.guarantee.tradeoff(alpha, reverse=bool(direction)), dtype=np.float64)
    near = RectangleRegion(k1=region.k1, n1=region.n1, k2=region.k2, n2=region.n2, alpha=region.alpha)
    far = RectangleRegion(
        k1=region.n1 - region.k1, n1=region.n1, k2=region.n2 - region.k2, n2=region.n2, alpha=region.alpha
    )
    return {
        "claimed": {"alpha": alpha.tolist(), "beta": beta.tolist()},
        "rectangle": {
            "fpr_low": 1.0 - far.q_upper,
            "fpr_high": near.q_upper,
            "fnr_low": far.p_lower,
            "fnr_high": 1.0 - near.p_lower,
        },
        "point": {"fpr": region.k2 / region.n2, "fnr": 1.0 - region.k1 / region.n1},
    }


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("event", EventAuditor())
