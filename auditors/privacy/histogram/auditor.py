"""The histogram auditor: bins and the set of telling bins from one half, one count of that set in fresh draws.

Method: delta(epsilon) of two histograms, sum_i (p_i - e^epsilon q_i)_+, is what the set S = {i : p_i > e^epsilon q_i}
gains; as a plug-in it is biased upward (Koskela, arXiv 2406.04827; Dp-auditorium's histogram tester pays for that with
margins). Here S is fixed on selection draws, for the tangent of the claimed curve that promises most, and counted in
draws that nothing has looked at: one set, one direction, one look, so the whole error probability is spent on it, by a
joint region of (P(S), Q(S)).

It differs from the event auditor in that it knows bins only, 64 quantile bins (and one for every value that comes
often), while that one tries many families of scores with thresholds as fine as the draws. So it is the plain method,
quick and easy to read; a value that comes rarely is lost in its bin, and a threshold lies on a bin's edge.
Assumptions: independent draws from one law a side. Often confused with the plug-in estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from auditors.privacy.admission import FEWEST_TRIALS, goal_of, lacking, refusal
from auditors.privacy.detectable import detectable
from auditors.privacy.event.outputs import SIDES
from auditors.privacy.histogram.events import choose, event_above, with_share
from auditors.privacy.histogram.search import certify, search
from auditors.privacy.picture import event_picture
from dpverify.core.auditing import Task
from dpverify.core.evidence import Evidence
from dpverify.core.registry import Registry
from dpverify.datasets.neighbors.plain import plain_pair


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramAuditor:
    """Any privacy guarantee, any subject that can be sampled or counted."""

    name: str = "histogram"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        return refusal(task)

    def lacks(self, task: Task) -> int | None:
        """None when a perfect event would refute the claim with the task's trials, else the fewest that would do."""
        return lacking(task, alpha=task.alpha)

    def audit(self, task: Task) -> Evidence:
        """Search, choose, count, bound; errors as for the event auditor: too few trials, bad outputs, no pair."""
        goal = goal_of(task)
        goal.require(task.trials, alpha=task.alpha, least=FEWEST_TRIALS)
        n, alpha = task.trials, task.alpha
        found = search(task, partial(choose, goal, trials=n, alpha=alpha))
        if found.promised is None:
            event = event_above(found.bins, float(found.bins.ratios.min()), 0.5, 0.5)
        else:
            event = with_share(found.promised.plan, found.gain, goal, trials=n, alpha=alpha)
        counts = certify(task, found)
        region = event.region(counts, alpha=alpha)
        finding = goal.finding(region, event.direction)
        direction = f"{SIDES[event.direction]} against {SIDES[1 - event.direction]}"
        headline = finding.measure is goal.headline
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version=self.version,
            measure=finding.measure,
            bound=finding.bound,
            excess=finding.excess,
            confidence=1.0 - alpha,
            estimate=goal.estimate(region.k1, n, region.k2, n) if headline else None,
            detectable=detectable(goal, region, event.direction) if headline else None,
            ceiling=goal.ceiling(n, alpha=alpha, share=event.share) if headline else None,
            trials=n,
            seed=task.seed,
            statistics={
                "k1": region.k1,
                "n1": n,
                "k2": region.k2,
                "n2": n,
                "direction": direction,
                "alpha": alpha,
                "region": {"kind": "joint", "share": event.share},
                "event": event.record(),
                "tangent": event.threshold if event.direction == 0 else -event.threshold,
                "expected": {"p": event.p, "q": event.q, "gain": found.gain},
                "pairs_screened": found.looked_at,
            },
            witness={
                **plain_pair(found.pair),
                "direction": direction,
                "event": event.text(),
                "parameters": dict(found.parameters),
            },
            picture=event_picture(goal, region, event.direction),
        )


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("histogram", HistogramAuditor())
