"""The evidence of counted events of a transcript: assumption-free bound, level-curve bound, detectable violations.

Both results are deterministic functions of the same two regions, so reporting both costs no error probability. See
:mod:`auditors.privacy.transcript.auditor` for how alpha is split between the regions, and
:mod:`auditors.privacy.transcript.level_curve` for what the second result assumes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from auditors.privacy.event_bounds import Finding, Goal, direction_text
from auditors.privacy.sampled_evidence import pair_witness, sampled_evidence
from auditors.privacy.transcript.plan import Event, region_of
from dpverify.accounting.subsampled_guarantee import SubsampledGaussian
from dpverify.core.auditing import Auditor, Task
from dpverify.core.errors import AuditError
from dpverify.core.evidence import Evidence
from dpverify.core.subjects import Pair
from dpverify.stats.epsilon import epsilon_lower
from dpverify.stats.joint import JointRegion
from dpverify.stats.power import detectable_epsilon, detectable_probability

FREE = "assumption-free, from the event's rectangle"

TAIL_SHARE = 0.75
"""Part of alpha for the event that bounds epsilon; it is in the tail, where counts are small."""

Counts = tuple[tuple[int, int], tuple[int, int]]
"""Counts of the event of epsilon and the event of the curve, on the more likely side and on the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The pair, the event of epsilon and the event of the curve; `basis` says how the events were chosen."""

    pair: Pair
    tail: Event
    bulk: Event
    basis: str


def claimed(task: Task) -> SubsampledGaussian:
    """The task's guarantee; AuditError for other kinds of guarantees."""
    guarantee = task.claim.guarantee
    if not isinstance(guarantee, SubsampledGaussian):
        raise AuditError(f"{guarantee.text()} names no law of a transcript")
    return guarantee


def evidence_of(auditor: Auditor, task: Task, choice: Choice, counts: Counts) -> Evidence:
    """Make the evidence of both results.

    The smallest detectable epsilon is that of the tail's event, for any mechanism. If that event could detect none, it
    is that of the family; ``detectable_rests_on`` in the statistics says so.
    """
    guarantee = claimed(task)
    goal = Goal(guarantee=guarantee)
    n = task.trials
    events = (choice.tail, choice.bulk)
    alphas = (TAIL_SHARE * task.alpha, (1.0 - TAIL_SHARE) * task.alpha)
    regions = [
        region_of(event, k1, k2, n, alpha=alpha) for event, (k1, k2), alpha in zip(events, counts, alphas, strict=True)
    ]
    findings = [goal.finding(region, event.likelier) for region, event in zip(regions, events, strict=True)]
    lead = _leading(findings)
    place = findings.index(lead)
    headline = lead.measure is goal.headline
    tail = choice.tail
    detectable = detectable_epsilon(
        (counts[0][1] + 0.5) / (n + 1),
        n,
        n,
        epsilon_claim=goal.headline.claimed,
        delta=guarantee.at_delta,
        alpha=alphas[0],
        share=tail.share,
    )
    from auditors.privacy.transcript.level_curve import FAMILY  # accounts, which few audits need

    family = _family(guarantee, choice.bulk, regions, n, alphas[1])
    rests_on = None
    if math.isinf(detectable) and family["detectable_epsilon"] is not None:
        detectable, rests_on = family["detectable_epsilon"], FAMILY
    return sampled_evidence(
        auditor,
        task,
        lead,
        estimate=goal.estimate(counts[0][0], n, counts[0][1], n) if headline else None,
        detectable=detectable if headline else None,
        ceiling=goal.ceiling(n, alpha=alphas[0], share=tail.share) if headline else None,
        trials=n,
        statistics={
            "alpha": task.alpha,
            "basis": choice.basis,
            "assumption_free": {
                "label": FREE,
                "epsilon": max(epsilon_lower(region, delta=guarantee.at_delta) for region in regions),
                "delta": guarantee.at_delta,
                "events": [
                    _counted(event, region, pair) for event, region, pair in zip(events, regions, counts, strict=True)
                ],
            },
            "family": family,
            "detectable_rests_on": rests_on if headline else None,
        },
        witness={
            **pair_witness(choice.pair, {}),
            "direction": direction_text(events[place].likelier),
            "event": events[place].text(),
        },
    )


def _family(
    guarantee: SubsampledGaussian, bulk: Event, regions: list[JointRegion], trials: int, alpha: float
) -> dict[str, Any]:
    """The level-curve bound as plain JSON, with the smallest detectable member of the family."""
    from auditors.privacy.transcript.level_curve import FAMILY, level_at, refuted_level

    found = refuted_level(guarantee, regions)
    exact = guarantee.bracket()
    q = (regions[1].k2 + 0.5) / (trials + 1)
    p = detectable_probability(
        q, trials, trials, allowed=Goal(guarantee=guarantee).allowed(0), alpha=alpha, share=bulk.share
    )
    member = level_at(guarantee, p, q) if math.isfinite(p) and p < 1.0 else None
    return {
        "label": FAMILY,
        "claimed_sigma": guarantee.sigma,
        "claimed_epsilon": [exact.lower, exact.upper],
        "refuted_sigma": found.sigma if found else None,
        "epsilon": found.epsilon if found else 0.0,
        "delta": guarantee.at_delta,
        "detectable_sigma": member.sigma if member else None,
        "detectable_epsilon": member.epsilon if member else None,
    }


def _leading(findings: list[Finding]) -> Finding:
    """The finding that refutes, the headline before other measures; else the largest bound on the headline."""
    refuting = [each for each in findings if each.excess > 0]
    return max(refuting or findings, key=lambda each: (each.measure.kind == "epsilon", each.bound, each.excess))


def _counted(event: Event, region: JointRegion, counts: tuple[int, int]) -> dict[str, Any]:
    return {
        "k1": counts[0],
        "n1": region.n1,
        "k2": counts[1],
        "n2": region.n2,
        "direction": direction_text(event.likelier),
        "alpha": region.alpha,
        "region": {"kind": "joint", "share": region.share},
        "event": event.plain(),
        "expected": {"p": event.p, "q": event.q},
    }
