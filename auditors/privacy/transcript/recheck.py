"""Transcripts: both bounds again, the assumption-free one and that within the family, from the two events' counts."""

from __future__ import annotations

from auditors.privacy.event_bounds import Goal
from auditors.privacy.recorded_statistics import alpha_of, direction, entry, items, real, region, same, within
from dpverify.accounting.subsampled_guarantee import SubsampledGaussian
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again, ContradictionError
from dpverify.core.subjects import Guarantee
from dpverify.stats.epsilon import epsilon_lower


def two_events(guarantee: Guarantee, evidence: Evidence) -> Again:
    """The bounds of the event of epsilon and the event of the curve, at their parts of the error."""
    if not isinstance(guarantee, SubsampledGaussian):
        raise ContradictionError(f"{guarantee.text()} names no law of a transcript")
    said, alpha = evidence.statistics, alpha_of(evidence)
    free = entry(said, "assumption_free")
    told = items(free, "events")
    if len(told) != 2:
        raise InputError(f"{len(told)} events", allowed="two: that of epsilon and that of the curve")
    regions = [region(each, alpha=real(each, "alpha")) for each in told]
    within("the events", sum(each.alpha for each in regions), alpha)
    sizes = {size for each in regions for size in (each.n1, each.n2)}
    same("the number of transcripts a side", len(sizes), 1)
    same("delta", real(free, "delta"), guarantee.at_delta)
    goal = Goal(guarantee=guarantee)
    findings = [goal.finding(each, direction(one)) for each, one in zip(regions, told, strict=True)]
    refuting = [each for each in findings if each.excess > 0]
    lead = max(refuting or findings, key=lambda each: (each.measure.kind == "epsilon", each.bound, each.excess))
    epsilon = max(epsilon_lower(each, delta=guarantee.at_delta) for each in regions)
    from auditors.privacy.transcript.level_curve import refuted_level

    level = refuted_level(guarantee, regions)
    within_family = {"family.epsilon": level.epsilon if level else 0.0}
    if level:
        within_family["family.refuted_sigma"] = level.sigma
    return Again(
        measure=lead.measure,
        bound=lead.bound,
        excess=lead.excess,
        alpha=alpha,
        trials=sizes.pop(),
        numbers={"assumption_free.epsilon": epsilon, **within_family},
    )
