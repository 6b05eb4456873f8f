"""The score auditor: tests a claim with an attack's scores of many independent trainings with and without a record.

Method: every look of `looks` is an event with a joint region of (p, q) at a part of the error; the one with the largest
bound is reported. All looks hold simultaneously, so the best may be reported: thresholds, tails and directions share
the error by Bonferroni, over positions fixed in advance (``ranks``), two halves (``split``), or two directions
(``threshold``).

Assumptions: the scores of a side are independent draws of one law (separate trainings, not records of one training; for
these use `one_run`), and the two sides are independent. D is the side with the record: for a claim that is not
symmetric, "in against out" is the forward direction. Any attack is allowed, but it must not be chosen or fitted on
these scores. Limits: a bound is at most about the logarithm of the number of trainings; a weak attack shows little of a
broken training. Ties are broken at random by the audit's stream. NaN is refused, since leaving out trainings by their
outcome is a selection. The estimate is not the plug-in at the reported look, which would have a selection bias. It is
the plug-in at an event fixed in advance (the given threshold, or the upper half of all scores), and is omitted where
the bound is larger.

A recheck takes the look that the record reports, which must be one of the planned ones at its part of the error
probability: its bound holds whichever was chosen.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from auditors.privacy.admission import goal_of, guarantee_refusal
from auditors.privacy.event_bounds import KINDS, Finding, Goal, direction_text, measure_lower, tightness, value
from auditors.privacy.sampled_evidence import (
    alpha_of,
    claimed_goal,
    direction,
    entry,
    event_picture,
    found_again,
    real,
    region,
    same,
    sampled_evidence,
    whole,
)
from auditors.privacy.scores.looks import (
    SHARES,
    SIDES,
    FixedEvent,
    Look,
    Scores,
    drawn_scores,
    expected_gain,
    fixed_looks,
    lacks_scores,
    median_event,
    positions,
    rank_looks,
    rank_tests,
    split_looks,
)
from dpverify.core.auditing import Task
from dpverify.core.errors import InputError
from dpverify.core.evidence import Again, ContradictionError, Evidence
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float, Guarantee, HasScores
from dpverify.stats.multiplicity import bonferroni_share
from dpverify.stats.power import detectable_probability

Method = Literal["ranks", "split", "threshold"]

EXAMINED = 4
"""Number of looks, the best by `expected_gain`, whose region is computed; all looks share the error probability."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAuditor:
    """Examines any privacy guarantee of any subject with scores."""

    name: str = "scores"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True
    method: Method = "ranks"
    """How thresholds are chosen, see `looks`; it must be fixed before the scores are seen."""
    threshold: float | None = None
    """For method ``threshold``."""

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
        """Evaluate every look, and report the one with the largest bound.

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
        """Compute the bound again from the counts of the reported look."""
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
    """The look with the largest excess among those with the largest expected gain."""
    found = [(goal.finding(look.region(), look.direction), look) for look in _promising(goal, looks)]
    return max(found, key=lambda one: (one[0].excess > 0, float(tightness(one[0].measure, one[0].bound))))


def _promising(goal: Goal, looks: list[Look]) -> list[Look]:
    """The `EXAMINED` looks with the largest expected gain, the largest first."""
    gains = [
        float(
            expected_gain(
                goal, np.array([at.k1]), at.n1, np.array([at.k2]), at.n2, direction=at.direction, alpha=at.alpha
            )[0]
        )
        for at in looks
    ]
    return [looks[place] for place in np.argsort(gains)[::-1][:EXAMINED]]


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
    """Plug-in at the event fixed in advance, in its stronger direction; None where the bound is larger."""
    p, q = fixed.rates()
    found = float(max(value(goal.headline, p, q), value(goal.headline, q, p)))
    return found if found >= bound else None


def _detectable(goal: Goal, look: Look) -> float:
    """Smallest true headline value that this look refutes with 80 % power, if q has its expected value."""
    q = min((look.k2 + 0.5) / look.n2, 1.0)
    p = detectable_probability(
        q, look.n1, look.n2, allowed=goal.allowed(look.direction), alpha=look.alpha, share=look.share
    )
    return float(value(goal.headline, np.array(p), np.array(q))) if math.isfinite(p) else math.inf


def _ceiling(goal: Goal, looks: list[Look]) -> float:
    """The largest headline bound of a perfect attack with so many scores."""
    sizes = {(look.n1, look.n2): look for look in looks}
    return max(measure_lower(replace(look, k1=look.n1, k2=0).region(), goal.headline) for look in sizes.values())


def _could_refute(goal: Goal, looks: list[Look]) -> bool:
    """Whether a perfect attack with so many scores would refute the claim."""
    sizes = {(look.n1, look.n2, look.direction): look for look in looks}
    return any(goal.refutes(replace(at, k1=at.n1, k2=0).region(), at.direction) for at in sizes.values())


def one_look(guarantee: Guarantee, evidence: Evidence) -> Again:
    """The bound from the counts of the reported look."""
    said, alpha, goal = evidence.statistics, alpha_of(evidence), claimed_goal(guarantee)
    toward = direction(said, SIDES)
    same("the direction", said["direction"], entry(evidence.witness, "direction"))
    method, looks = entry(said, "method"), whole(said, "looks")
    own = real(said, "alpha_of_this_look")
    counted = region(said, alpha=own)
    sizes = [whole(entry(said, "sizes"), side) for side in SIDES]
    same("the number of scores", [counted.n1, counted.n2], sizes if toward == 0 else sizes[::-1])
    if method == "ranks":
        same("the number of looks", looks, rank_tests((sizes[0], sizes[1])))
        if counted.k2 + 1 not in positions(counted.n2):
            raise ContradictionError(f"no planned look leaves {counted.k2} of {counted.n2} scores beyond it")
    elif method in ("split", "threshold"):
        same("the number of looks", looks, 2)
    else:
        raise InputError(f"method {str(method)[:40]!r}", allowed="ranks, split, threshold")
    same("this look's part of the error", own, bonferroni_share(alpha, tests=looks))
    same("the region's share", counted.share, SHARES[goal.scale])
    return found_again(goal.finding(counted, toward), alpha=alpha, trials=min(counted.n1, counted.n2))


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("scores", ScoreAuditor())
