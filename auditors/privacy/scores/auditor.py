"""The score auditor: from scores of an attack on many independent trainings with and without, to a verdict.

Method: every look of `looks` is an event with a joint region of (p, q) at its own part of the error; the one
that shows most is reported. All looks hold at once, so the best may be taken: thresholds, tails and directions share
the error by Bonferroni, over positions fixed beforehand (``ranks``), or over two halves (``split``), or two directions
(``threshold``).

Assumptions: the scores of a side are independent draws of one law (trainings of their own, not records of one training:
that is `one_run`), and so are the two sides. D is the side with the record: a claim that is not symmetric reads "in
against out" as its forward direction. Any attack will do; it may not have been chosen or fitted on these very scores.
Limits: a bound is at most about the logarithm of the number of trainings; a weak attack shows little of a broken
training. Ties are broken at random by the audit's own stream; NaN is refused, since leaving trainings out by their
outcome is a look at the outcome. The estimate is no plug-in at the reported look: that was chosen among many because it
looks best, and shows something where there is nothing. It is the plug-in at an event that was fixed beforehand (the
threshold given, or the upper half of all scores), and left out where the bound shows more than that event does.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from auditors.privacy.admission import goal_of, guarantee_refusal
from auditors.privacy.directions import direction_text
from auditors.privacy.event_bounds import KINDS, Finding, Goal, measure_lower, tightness, value
from auditors.privacy.picture import event_picture
from auditors.privacy.sampled_evidence import sampled_evidence
from auditors.privacy.scores.draws import drawn_scores, lacks_scores
from auditors.privacy.scores.looks import (
    SIDES,
    FixedEvent,
    Look,
    Scores,
    expected_gain,
    fixed_looks,
    median_event,
    rank_looks,
    split_looks,
)
from auditors.privacy.scores.recheck import one_look
from dpverify.core.attack_scores import HasScores
from dpverify.core.auditing import Task
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float, Guarantee
from dpverify.stats.power import detectable_probability

Method = Literal["ranks", "split", "threshold"]

EXAMINED = 4
"""So many of the looks, the best by `expected_gain`, get their region; the error probability is shared among all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAuditor:
    """Any privacy guarantee, any subject with scores.

    Attributes
    ----------
    method : "ranks", "split" or "threshold"
        How thresholds are chosen, see `looks`; to be fixed before the scores are seen.
    threshold : float or None
        For method ``threshold``.
    """

    name: str = "scores"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True
    method: Method = "ranks"
    threshold: float | None = None

    def __post_init__(self) -> None:
        if self.method not in ("ranks", "split", "threshold"):
            raise InputError(f"method {self.method!r}", allowed="ranks, split, threshold")
        if (self.method == "threshold") != (self.threshold is not None) or not math.isfinite(self.threshold or 0.0):
            raise InputError(
                f"method {self.method!r} with threshold {self.threshold}",
                allowed="a finite threshold with the method 'threshold', and with no other",
                remedy="name a threshold only if it was fixed before the scores were seen",
            )

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        return guarantee_refusal(task, kinds=KINDS) or lacks_scores(task, HasScores)

    def audit(self, task: Task) -> Evidence:
        """Every look, and the one that shows most.

        Raises
        ------
        InputError
            For scores with NaN, or an empty side.
        AuditError
            For a claim that is no privacy guarantee.
        """
        goal = goal_of(task)
        first, second = (_checked(side) for side in drawn_scores(task))
        looks, fixed = self._looks(task, goal, first, second)
        finding, look = _most(goal, looks)
        return _evidence(self, task, goal, finding, look, looks, fixed)

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """The bound again from the counts of the look that showed most."""
        return one_look(guarantee, evidence)

    def _looks(self, task: Task, goal: Goal, first: Float, second: Float) -> tuple[list[Look], FixedEvent]:
        if self.method == "threshold":
            assert self.threshold is not None
            looks = list(fixed_looks(first, second, goal, threshold=self.threshold, alpha=task.alpha))
            at = looks[0]
            return looks, FixedEvent(event=at.text(), inside=at.k1, n_in=at.n1, outside=at.k2, n_out=at.n2)
        scores = Scores.of(first, second, rng=task.stream("ties"))
        if self.method == "split":
            looks = list(split_looks(scores, goal, alpha=task.alpha, rng=task.stream("halves")))
        else:
            looks = list(rank_looks(scores, goal, alpha=task.alpha))
        return looks, median_event(scores)


def _checked(side: Float) -> Float:
    scores = np.asarray(side, dtype=np.float64)
    if scores.ndim != 1 or scores.size == 0:
        raise InputError(f"scores of shape {scores.shape}", allowed="at least one score a side, in a flat list")
    if np.isnan(scores).any():
        raise InputError(
            f"{int(np.isnan(scores).sum())} of {scores.size} scores are NaN",
            allowed="numbers, and infinities",
            remedy="let the attack say -inf where it failed: leaving trainings out is a look at their outcome",
        )
    return scores


def _most(goal: Goal, looks: list[Look]) -> tuple[Finding, Look]:
    """The look that refutes most clearly, or else comes closest, among those with the largest expected gain."""
    gains = [
        float(
            expected_gain(
                goal, np.array([at.k1]), at.n1, np.array([at.k2]), at.n2, direction=at.direction, alpha=at.alpha
            )[0]
        )
        for at in looks
    ]
    best = np.argsort(gains)[::-1][:EXAMINED]
    found = [(goal.finding(looks[i].region(), looks[i].direction), looks[i]) for i in best]
    return max(found, key=lambda one: (one[0].excess > 0, float(tightness(one[0].measure, one[0].bound))))


def _evidence(
    auditor: ScoreAuditor,
    task: Task,
    goal: Goal,
    finding: Finding,
    look: Look,
    looks: list[Look],
    fixed: FixedEvent,
) -> Evidence:
    direction = direction_text(look.direction, SIDES)
    headline = finding.measure is goal.headline
    sides = {"in": look.n1, "out": look.n2} if look.direction == 0 else {"in": look.n2, "out": look.n1}
    return sampled_evidence(
        auditor,
        task,
        finding,
        estimate=_estimate(goal, fixed, finding.bound) if headline else None,
        detectable=_detectable(goal, look) if headline else None,
        ceiling=_ceiling(goal, looks) if headline else None,
        trials=min(look.n1, look.n2),
        statistics={
            "method": auditor.method,
            "k1": look.k1,
            "n1": look.n1,
            "k2": look.k2,
            "n2": look.n2,
            "direction": direction,
            "sizes": sides,
            "alpha": task.alpha,
            "looks": len(looks),
            "alpha_of_this_look": look.alpha,
            "region": {"kind": "joint", "share": look.share},
            "fixed_event": dataclasses.asdict(fixed),
            "could_refute": _could_refute(goal, looks),
        },
        witness={"event": look.text(), "direction": direction, "ties": "broken at random"},
        picture=event_picture(goal, look.region(), look.direction),
    )


def _estimate(goal: Goal, fixed: FixedEvent, bound: float) -> float | None:
    """Plug-in at the event that was fixed beforehand, in its stronger direction; None where the bound is above it."""
    p, q = fixed.rates()
    found = float(max(value(goal.headline, p, q), value(goal.headline, q, p)))
    return found if found >= bound else None


def _detectable(goal: Goal, look: Look) -> float:
    """Smallest true headline value that this look refutes with 80 % power, were q its expected value."""
    q = min((look.k2 + 0.5) / look.n2, 1.0)
    p = detectable_probability(
        q, look.n1, look.n2, allowed=goal.allowed(look.direction), alpha=look.alpha, share=look.share
    )
    return float(value(goal.headline, np.array(p), np.array(q))) if math.isfinite(p) else math.inf


def _ceiling(goal: Goal, looks: list[Look]) -> float:
    """The largest headline bound that a perfect attack would have got from so many scores."""
    sizes = {(look.n1, look.n2): look for look in looks}
    return max(measure_lower(replace(look, k1=look.n1, k2=0).region(), goal.headline) for look in sizes.values())


def _could_refute(goal: Goal, looks: list[Look]) -> bool:
    """Whether a perfect attack would have refuted the claim with so many scores."""
    sizes = {(look.n1, look.n2, look.direction): look for look in looks}
    return any(goal.finding(replace(at, k1=at.n1, k2=0).region(), at.direction).excess > 0 for at in sizes.values())


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("scores", ScoreAuditor())
