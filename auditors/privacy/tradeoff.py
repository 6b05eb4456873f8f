"""The trade-off auditor: measures several points of the whole trade-off curve, with simultaneous bounds.

Method (f-DP: Dong, Roth, Su, arXiv 1905.02383; audits of mu: Nasr et al., arXiv 2302.07956): bins sorted by their
log-ratios give nested events, so a few thresholds cover the curve from end to end. They are chosen on selection draws.
Then all are counted in the same new draws, and each gets a joint region. The threshold with the largest expected gain
gets half of the error probability, and all others share the other half evenly (union bound), so measured points, bound
and figure hold simultaneously. One ordering covers both directions: the curve from d1 to d0 is the inverse.

It also reports the measured curve with simultaneous upper limits, and the mu of a fitted Gaussian curve, which is
labelled as an estimate and never converted to an epsilon. Limits: its best point has half the error probability of the
event auditor's; the advantage is the whole curve.
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
from auditors.privacy.event_bounds import Finding, Goal, direction_text, measure_lower
from auditors.privacy.histogram.events import BinEvent, Bins, certify, chosen, event_above, rates, thresholds
from auditors.privacy.sampled_evidence import (
    alpha_of,
    claimed_curve,
    claimed_goal,
    entry,
    found_again,
    items,
    pair_witness,
    real,
    rectangle,
    same,
    sampled_evidence,
    whole,
    within,
)
from dpverify.core.auditing import Task
from dpverify.core.evidence import Again, Evidence
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float, Guarantee
from dpverify.stats.joint import JointRegion
from dpverify.stats.multiplicity import bonferroni_share
from dpverify.stats.region import RectangleRegion

POINTS = 16
"""Most thresholds besides the best one."""

BEST = 0.5
"""The best threshold's part of the error probability."""

NARROWEST = 0.05
"""Smallest difference of neighbouring thresholds, in the probit of one of the two shares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeoffAuditor(EventAuditing):
    """Examines any privacy guarantee, mainly curves, of any subject that can be sampled or counted."""

    name: str = "tradeoff"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True
    error_share: ClassVar[float] = BEST

    def audit(self, task: Task) -> Evidence:
        """Search, choose thresholds, count and bound; errors as for the event auditor."""
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
                "bins": found.bins.plain(),
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
        """Compute the result of the recorded points again: the largest violation, else the largest headline bound."""
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
    """Events {log-ratio > t} along the curve, evenly spaced in the mean of the probits of both shares."""
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
    """The joint result of the regions: the largest violation, else the largest bound on the headline."""
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
    """The measured points from d0 to d1 in order, with simultaneous upper limits (each with half of its error)."""
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
    """The confidence region in the direction d0 to d1.

    For an event of the other direction, the complement swaps the rates.
    """
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
