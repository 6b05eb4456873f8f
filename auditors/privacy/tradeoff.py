"""The trade-off auditor: several points of the whole trade-off curve at once, with bounds that hold together.

Method (f-DP: Dong, Roth, Su, arXiv 1905.02383; audits of mu: Nasr et al., arXiv 2302.07956): bins in the order of their
log-ratios give nested events, so a handful of thresholds walks the curve from end to end. They are chosen on selection
draws; then all are counted in the same fresh draws, and each gets a joint region of its own. Half of the error
probability goes to the threshold with the largest expected gain and the other half, evenly, to all others (union
bound), so the measured points, the bound and the picture hold at once. One ordering covers both directions: the curve
from d1 to d0 is the inverse.

Reported beside the bound: the measured curve with its simultaneous upper limits, and the mu of a Gaussian curve fitted
to it, which is an estimate, labelled as such, and never turned into an epsilon. Limits: its best point has half of the
error probability that the event auditor's has; what it adds is the whole curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from auditors.privacy.admission import EventAuditing
from auditors.privacy.detectable import detectable
from auditors.privacy.directions import direction_text
from auditors.privacy.event_bounds import Finding, Goal, measure_lower
from auditors.privacy.histogram.bins import Bins
from auditors.privacy.histogram.events import BinEvent, chosen, event_above, rates, thresholds
from auditors.privacy.histogram.search import certify
from auditors.privacy.picture import claimed_curve, rectangle
from auditors.privacy.recorded_statistics import (
    alpha_of,
    claimed_goal,
    entry,
    found_again,
    items,
    real,
    same,
    whole,
    within,
)
from auditors.privacy.sampled_evidence import pair_witness, sampled_evidence
from dpverify.core.auditing import Task
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float, Guarantee
from dpverify.stats.joint import JointRegion
from dpverify.stats.multiplicity import bonferroni_share
from dpverify.stats.region import RectangleRegion

POINTS = 16
"""Thresholds at most, besides the best one."""

BEST = 0.5
"""The best threshold's part of the error probability."""

NARROWEST = 0.05
"""Neighbouring thresholds differ by so much in the probit of one of the two shares at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeoffAuditor(EventAuditing):
    """Any privacy guarantee, above all those that are curves; any subject that can be sampled or counted."""

    name: str = "tradeoff"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True
    error_share: ClassVar[float] = BEST

    def audit(self, task: Task) -> Evidence:
        """Search, choose thresholds, count, bound; errors as for the event auditor."""
        goal, n = self.admitted(task), task.trials
        found, best = chosen(task, goal, alpha=BEST * task.alpha)
        events = [best, *_others(found.bins, found.counts, best)]
        levels = [BEST * task.alpha] + [
            bonferroni_share((1.0 - BEST) * task.alpha, tests=len(events) - 1) for _ in events[1:]
        ]
        counts = certify(task, found)
        regions = [event.region(counts, alpha=level) for event, level in zip(events, levels, strict=True)]
        place, finding = _strongest(goal, events, regions)
        event, region = events[place], regions[place]
        headline = finding.measure is goal.headline
        return sampled_evidence(
            self,
            task,
            finding,
            trials=n,
            estimate=goal.estimate(regions[0].k1, n, regions[0].k2, n) if headline else None,
            detectable=detectable(goal, regions[0], best.direction) if headline else None,
            ceiling=goal.ceiling(n, alpha=levels[0], share=best.share) if headline else None,
            statistics={
                "n1": n,
                "n2": n,
                "alpha": task.alpha,
                "bins": found.bins.record(),
                "points": [
                    {
                        "threshold": one.threshold,
                        "above": one.above,
                        "direction": one.direction,
                        "k1": its.k1,
                        "k2": its.k2,
                        "alpha": its.alpha,
                        "share": its.share,
                    }
                    for one, its in zip(events, regions, strict=True)
                ],
                "decisive": place,
                "mu": {"estimate": fitted_mu(regions), "label": "Gaussian curve fitted to the points; no bound"},
                "pairs_screened": found.looked_at,
            },
            witness={
                **pair_witness(found.contender.pair, found.contender.parameters),
                "direction": direction_text(event.direction),
                "event": event.text(),
            },
            picture={
                "claimed": claimed_curve(goal, 0),
                "rectangle": _turned(rectangle(region), event.direction),
                "point": _point(region, event.direction),
                "measured": _measured(events, regions),
            },
        )

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """What the recorded points say together: the largest violation, else the largest bound on the headline."""
        said, alpha, goal = evidence.statistics, alpha_of(evidence), claimed_goal(guarantee)
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
        return found_again(best, alpha=alpha, trials=n1, numbers={"mu.estimate": fitted_mu(regions)})


def _others(bins: Bins, counts: NDArray[np.int64], best: BinEvent) -> list[BinEvent]:
    """Events {log-ratio > t} along the curve, evenly in the mean of the probits of both shares."""
    levels = thresholds(bins)
    if levels.size == 0:
        return []
    above = rates(bins, counts, levels)
    size = int(counts.sum(axis=1).min())
    place = np.sum(special.ndtri(np.clip(above, 0.5 / size, 1.0 - 0.5 / size)), axis=0) / 2.0
    step = max(NARROWEST, float(np.ptp(place)) / POINTS)
    kept: list[int] = []
    for i in np.argsort(-place, kind="stable").tolist():
        if levels[i] != best.threshold and (not kept or place[kept[-1]] - place[i] >= step):
            kept.append(i)
    return [event_above(bins, float(levels[i]), float(above[0, i]), float(above[1, i])) for i in kept]


def _strongest(goal: Goal, events: Sequence[BinEvent], regions: Sequence[JointRegion]) -> tuple[int, Finding]:
    """What the regions say together: the largest violation, else the largest bound on the headline."""
    found = [goal.finding(region, event.direction) for event, region in zip(events, regions, strict=True)]
    exceeded = [(finding.excess, -i) for i, finding in enumerate(found) if finding.excess > 0.0]
    if exceeded:
        place = -max(exceeded)[1]
        return place, found[place]
    bounds = [measure_lower(region, goal.headline) for region in regions]
    place = int(np.argmax(bounds))
    return place, Finding(measure=goal.headline, bound=bounds[place], excess=min(found[place].excess, 0.0))


def fitted_mu(regions: Sequence[JointRegion]) -> float:
    """The mu of the Gaussian curve closest to the counted points: the mean probit gap, weighted by its precision.

    An estimate: points share their draws, and the curve need not be Gaussian. At least 0; 0 without a usable point.
    """
    total = weight = 0.0
    for region in regions:
        p, q = (region.k1 + 0.5) / (region.n1 + 1), (region.k2 + 0.5) / (region.n2 + 1)
        z = special.ndtri(p), special.ndtri(q)
        spread = sum(
            rate * (1 - rate) / n * 2 * np.pi * np.exp(at * at)
            for rate, n, at in ((p, region.n1, z[0]), (q, region.n2, z[1]))
        )
        total += float((z[0] - z[1]) / spread)
        weight += float(1.0 / spread)
    return max(0.0, total / weight) if weight > 0.0 else 0.0


def _measured(events: Sequence[BinEvent], regions: Sequence[JointRegion]) -> dict[str, list[float]]:
    """The measured points from d0 to d1 in order, with upper limits that hold together (each half of its error)."""
    rows = []
    for event, region in zip(events, regions, strict=True):
        near = RectangleRegion(k1=region.k1, n1=region.n1, k2=region.k2, n2=region.n2, alpha=region.alpha)
        fpr, fnr = region.k2 / region.n2, 1.0 - region.k1 / region.n1
        most = near.q_upper, 1.0 - near.p_lower
        rows.append((fpr, fnr, *most) if event.direction == 0 else (fnr, fpr, *most[::-1]))
    columns: list[Float] = list(np.array(sorted(rows)).T)
    names = ("alpha", "beta", "alpha_high", "beta_high")
    return {name: column.tolist() for name, column in zip(names, columns, strict=True)}


def _turned(box: dict[str, float], direction: int) -> dict[str, float]:
    """The confidence region as seen from d0 to d1: the complement of an event of the other direction swaps the
    rates."""
    if direction == 0:
        return box
    return {
        "fpr_low": box["fnr_low"],
        "fpr_high": box["fnr_high"],
        "fnr_low": box["fpr_low"],
        "fnr_high": box["fpr_high"],
    }


def _point(region: JointRegion, direction: int) -> dict[str, Any]:
    pair = region.k2 / region.n2, 1.0 - region.k1 / region.n1
    return dict(zip(("fpr", "fnr"), pair if direction == 0 else pair[::-1], strict=True))


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("tradeoff", TradeoffAuditor())
