"""The histogram auditor: chooses bins and a set of bins on one sample, and counts that set in new draws.

Method: delta(epsilon) of two histograms, sum_i (p_i - e^epsilon q_i)_+, is the excess of the set S = {i : p_i >
e^epsilon q_i}; as a plug-in estimate it is biased upward (Koskela, arXiv 2406.04827; Dp-auditorium's histogram tester
uses margins against that). Here S is fixed on selection draws, for the tangent of the claimed curve with the largest
expected gain, and counted in new draws. This is one set, one direction and one look, so the joint region of (P(S),
Q(S)) gets the whole error probability.

It uses only bins: 64 quantile bins, and one for every frequent value. The event auditor tries many families of scores
with finer thresholds. So this is the simple method, fast and easy to read; but a rare value is lost in its bin, and
thresholds are bin edges. Assumptions: independent draws from one law a side.
"""

from __future__ import annotations

from dataclasses import dataclass

from auditors.privacy.admission import EventAuditing
from auditors.privacy.histogram.events import certify, chosen
from auditors.privacy.sampled_evidence import event_evidence, event_statistics, pair_witness
from dpverify.core.auditing import Task
from dpverify.core.evidence import Evidence
from dpverify.core.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramAuditor(EventAuditing):
    """Examines any privacy guarantee of any subject that can be sampled or counted."""

    name: str = "histogram"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True

    def audit(self, task: Task) -> Evidence:
        """Search, choose, count and bound; errors as for the event auditor."""
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
