"""The histogram auditor: bins and the set of telling bins from one half, one count of that set in fresh draws.

Method: delta(epsilon) of two histograms, sum_i (p_i - e^epsilon q_i)_+, is what the set S = {i : p_i > e^epsilon q_i}
gains; as a plug-in it is biased upward (Koskela, arXiv 2406.04827; Dp-auditorium's histogram tester pays for that with
margins). Here S is fixed on selection draws, for the tangent of the claimed curve with the largest expected gain, and
counted in draws that nothing has looked at: one set, one direction, one look, so the whole error probability is spent
on it, by a joint region of (P(S), Q(S)).

It differs from the event auditor in that it knows bins only, 64 quantile bins (and one for every value that comes
often), while that one tries many families of scores with thresholds as fine as the draws. So it is the plain method,
quick and easy to read; a value that comes rarely is lost in its bin, and a threshold lies on a bin's edge.
Assumptions: independent draws from one law a side. Often confused with the plug-in estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

from auditors.privacy.admission import EventAuditing
from auditors.privacy.histogram.events import chosen
from auditors.privacy.histogram.search import certify
from auditors.privacy.sampled_evidence import event_evidence, event_statistics, pair_witness
from dpverify.core.auditing import Task
from dpverify.core.evidence import Evidence
from dpverify.core.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramAuditor(EventAuditing):
    """Any privacy guarantee, any subject that can be sampled or counted."""

    name: str = "histogram"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True

    def audit(self, task: Task) -> Evidence:
        """Search, choose, count, bound; errors as for the event auditor: too few trials, bad outputs, no pair."""
        goal = self.admitted(task)
        found, event = chosen(task, goal, alpha=task.alpha)
        region = event.region(certify(task, found), alpha=task.alpha)
        return event_evidence(
            self,
            task,
            goal,
            region,
            event.direction,
            event=event.text(),
            statistics={
                **event_statistics(region, event.direction, event, p=event.p, q=event.q, gain=found.gain),
                "tangent": event.threshold if event.direction == 0 else -event.threshold,
                "pairs_screened": found.looked_at,
            },
            witness=pair_witness(found.contender.pair, found.contender.parameters),
            pictured=True,
        )


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("histogram", HistogramAuditor())
