"""Points of a trade-off curve: the strongest of their bounds again, each from its own counts and part of the error."""

from __future__ import annotations

from auditors.privacy.event_bounds import Finding, measure_lower
from auditors.privacy.recorded_statistics import alpha_of, entry, goal_of, items, real, same, whole, within
from auditors.privacy.tradeoff import fitted_mu
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee
from dpverify.stats.joint import JointRegion


def all_points(guarantee: Guarantee, evidence: Evidence) -> Again:
    """What the points say together: the largest violation, else the largest bound on the headline."""
    said, alpha, goal = evidence.statistics, alpha_of(evidence), goal_of(guarantee)
    n1, n2 = whole(said, "n1"), whole(said, "n2")
    regions, toward = [], []
    for point in items(said, "points"):
        k1, k2 = whole(point, "k1", most=n1), whole(point, "k2", most=n2)
        level, share = real(point, "alpha"), real(point, "share")
        regions.append(JointRegion(k1=k1, n1=n1, k2=k2, n2=n2, alpha=level, share=share))
        toward.append(whole(point, "direction", most=1))
    within("the points", sum(region.alpha for region in regions), alpha)
    findings = [goal.finding(region, side) for region, side in zip(regions, toward, strict=True)]
    exceeded = max(findings, key=lambda finding: finding.excess)
    if exceeded.excess > 0.0:
        place, best = findings.index(exceeded), exceeded
    else:
        bounds = [measure_lower(region, goal.headline) for region in regions]
        place = bounds.index(max(bounds))
        best = Finding(measure=goal.headline, bound=bounds[place], excess=min(findings[place].excess, 0.0))
    same("the decisive point", entry(said, "decisive"), place)
    return Again(
        measure=best.measure,
        bound=best.bound,
        excess=best.excess,
        alpha=alpha,
        trials=n1,
        numbers={"mu.estimate": fitted_mu(regions)},
    )


def register(registry: Registry) -> None:
    """All points at once."""
    registry.rechecks.add("tradeoff", all_points)
