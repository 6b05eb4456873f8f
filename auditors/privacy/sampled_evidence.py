"""Evidence of auditors that count draws: the fields that all of them fill alike, and those of one counted event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from auditors.privacy.detectable import detectable
from auditors.privacy.directions import direction_text
from auditors.privacy.event_bounds import Finding, Goal
from auditors.privacy.picture import event_picture
from dpverify.core.auditing import Auditor, Task
from dpverify.core.evidence import Evidence
from dpverify.core.subjects import Pair
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.stats.joint import JointRegion


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
