"""Evidence of auditors that count draws: the fields that all of them fill alike, and those of one counted event.

The picture shows the error rates of a test that says "d0" when the event occurs, in a Clopper-Pearson rectangle with
half of the error probability on each rate. It is not the joint region that gives the bound, so it need not show a
refutation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from auditors.privacy.detectable import detectable
from auditors.privacy.event_bounds import Finding, Goal, direction_text
from dpverify.core.auditing import Auditor, Task
from dpverify.core.evidence import Evidence
from dpverify.core.subjects import Float, Pair
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.stats.joint import JointRegion
from dpverify.stats.region import RectangleRegion

PICTURED = 64
"""Points of the curve on each scale."""


class Recorded(Protocol):
    """What can be written as plain JSON values."""

    def record(self) -> dict[str, Any]:
        """Plain JSON values."""
        ...


def sampled_evidence(
    auditor: Auditor,
    task: Task,
    finding: Finding,
    *,
    trials: int,
    statistics: Mapping[str, Any],
    witness: Mapping[str, Any],
    estimate: float | None = None,
    detectable: float | None = None,
    ceiling: float | None = None,
    picture: Mapping[str, Any] | None = None,
) -> Evidence:
    """Make the evidence of a finding; its confidence follows from the task's error probability."""
    return Evidence(
        claim=task.claim.id,
        auditor=auditor.name,
        version=auditor.version,
        measure=finding.measure,
        bound=finding.bound,
        excess=finding.excess,
        confidence=1.0 - task.alpha,
        estimate=estimate,
        detectable=detectable,
        ceiling=ceiling,
        trials=trials,
        seed=task.seed,
        statistics=statistics,
        witness=witness,
        picture=picture or {},
    )


def event_evidence(
    auditor: Auditor,
    task: Task,
    goal: Goal,
    region: JointRegion,
    direction: int,
    *,
    event: str,
    statistics: Mapping[str, Any],
    witness: Mapping[str, Any],
    pictured: bool = False,
    beside_any_measure: bool = False,
) -> Evidence:
    """Make the evidence of one counted event.

    Parameters
    ----------
    region : JointRegion
        The region of the counts (equal draws a side); its alpha may be a part of the task's.
    direction : int
        0 when the event is more likely under d0.
    event : str
        Description of the event.
    statistics, witness : mapping
        Additional values of the method, beside counts, direction and event.
    pictured : bool
        Whether the trade-off picture is drawn.
    beside_any_measure : bool
        The detectable value and the ceiling are those of the headline measure. They are left out where another measure
        is reported, unless this is True.
    """
    n, finding = region.n1, goal.finding(region, direction)
    headline = finding.measure is goal.headline
    powered = headline or beside_any_measure
    spent = {"spent": task.alpha} if region.alpha < task.alpha else {}
    return sampled_evidence(
        auditor,
        task,
        finding,
        trials=n,
        estimate=goal.estimate(region.k1, n, region.k2, n) if headline else None,
        detectable=detectable(goal, region, direction) if powered else None,
        ceiling=goal.ceiling(n, alpha=region.alpha, share=region.share) if powered else None,
        statistics={"k1": region.k1, "n1": n, "k2": region.k2, "n2": n, "alpha": region.alpha, **spent, **statistics},
        witness={"direction": direction_text(direction), "event": event, **witness},
        picture=event_picture(goal, region, direction) if pictured else None,
    )


def event_statistics(
    region: JointRegion, direction: int, event: Recorded, *, p: float, q: float, gain: float
) -> dict[str, Any]:
    """The event in full, its region, and the expectations from the selection draws."""
    return {
        "direction": direction_text(direction),
        "region": {"kind": "joint", "share": region.share},
        "event": event.record(),
        "expected": {"p": p, "q": q, "gain": gain},
    }


def pair_witness(pair: Pair, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The two data sets and the parameters at which the event was counted."""
    return {**plain_pair(pair), "parameters": dict(parameters)}


def event_picture(goal: Goal, region: JointRegion, direction: int) -> dict[str, Any]:
    """The claimed curve, the confidence region and the measured point, in the event's own direction."""
    return {
        "claimed": claimed_curve(goal, direction),
        "rectangle": rectangle(region),
        "point": {"fpr": region.k2 / region.n2, "fnr": 1.0 - region.k1 / region.n1},
    }


def claimed_curve(goal: Goal, direction: int) -> dict[str, list[float]]:
    """The claimed trade-off at false positive rates evenly spaced on a linear and on a logarithmic scale."""
    alpha = np.unique(np.concatenate([np.linspace(0.0, 1.0, PICTURED), np.geomspace(1e-6, 1.0, PICTURED)]))
    beta: Float = np.asarray(goal.guarantee.tradeoff(alpha, reverse=bool(direction)), dtype=np.float64)
    return {"alpha": alpha.tolist(), "beta": beta.tolist()}


def rectangle(region: JointRegion) -> dict[str, float]:
    """The confidence region for false positives and false negatives: half of the error probability on each rate."""
    k1, k2, n1, n2 = region.k1, region.k2, region.n1, region.n2
    near = RectangleRegion(k1=k1, n1=n1, k2=k2, n2=n2, alpha=region.alpha)
    far = RectangleRegion(k1=n1 - k1, n1=n1, k2=n2 - k2, n2=n2, alpha=region.alpha)
    return {
        "fpr_low": 1.0 - far.q_upper,
        "fpr_high": near.q_upper,
        "fnr_low": far.p_lower,
        "fnr_high": 1.0 - near.p_lower,
    }
