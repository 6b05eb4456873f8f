"""The transcript auditor (white box): an optimiser's transcripts with and without a worst-case gradient canary.

Method (Nasr et al. 2023, arXiv 2302.07956, the two-run audit; Annamalai and De Cristofaro 2024, arXiv 2405.14106):
every noisy value of every step is observed, and scored by the log-likelihood ratio of the claimed law, Gaussian given
the transcript and Poisson-mixed. A pilot chooses the pair of canaries and, where it already exceeds the claim, another
score. Two events of the score are then counted in new transcripts of both sides. The counts give two results:

* the *assumption-free* bound: epsilon at the claim's delta and the whole claimed curve, tested with the regions;
* the *level-curve* bound, ``within the subsampled-Gaussian family``: the smallest sigma' whose curve the regions
  refute, and its epsilon. No mu is converted to epsilon.

Error probability: `TAIL_SHARE` of alpha for the event that bounds epsilon, the rest for the event of the curve; each is
one event, one direction and one look. Pairs, scores, thresholds and directions are chosen on other draws or from the
claim, and all sigma' are tested with the same two regions, so they cost no error probability.

Limits: pairs are those that the neighbour generator lists. Budget: `task.trials` transcripts a side are counted; the
pilot has about a fiftieth of that (at least 200) for each pair and side. The event auditor is different: it sees the
last iterate only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditors.privacy.admission import admitted, lacking
from auditors.privacy.event_bounds import Goal
from auditors.privacy.sampled_evidence import alpha_of, direction, entry, items, real, region, same, within
from auditors.privacy.transcript.evidence import TAIL_SHARE, Choice, Counts, claimed, evidence_of
from auditors.privacy.transcript.plan import (
    Contenders,
    Score,
    best_event,
    claim_events,
    exceeding,
    excess_of,
    log_ratio,
    pilot_events,
    scores_for,
    separation,
)
from auditors.search_boxes import candidate_pairs
from dpverify.accounting.subsampled_guarantee import SubsampledGaussian
from dpverify.core.auditing import Task
from dpverify.core.errors import InputError
from dpverify.core.evidence import Again, ContradictionError, Evidence
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float, Guarantee, Traces
from dpverify.stats.epsilon import epsilon_lower, mu_lower
from dpverify.stats.joint import excess_lower

PILOT_PART, FEWEST_PILOT = 50, 200
PAIRS = 4
NUMBERS = 2**21
"""Most numbers in one chunk of transcripts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptAuditor:
    """Examines claims of the subsampled-Gaussian family on subjects that offer transcripts of their steps."""

    name: str = "transcript"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        if not isinstance(task.claim.guarantee, SubsampledGaussian):
            return "the claim names no law of a transcript (SubsampledGaussian does)"
        if not isinstance(task.build(), Traces):
            return "the subject shows no traces"
        return None

    def lacks(self, task: Task) -> int | None:
        """None when perfect events with the task's trials would refute the claim, else the fewest trials that would."""
        return lacking(task, alpha=(1.0 - TAIL_SHARE) * task.alpha)

    def audit(self, task: Task) -> Evidence:
        """Run a pilot, plan the events and count them.

        Raises
        ------
        InputError
            When no outcome of the trials could refute the claim, or traces have another shape than (n, steps, k) with
            the claim's steps.
        AuditError
            When there are no neighbours.
        """
        guarantee = claimed(task)
        admitted(task, alpha=(1.0 - TAIL_SHARE) * task.alpha)
        task.progress("watching a pilot", 0.0)
        choice = self._choose(task, guarantee)
        task.progress("counting in fresh transcripts", 0.1)
        counts = self._count(task, choice)
        task.progress("holding the family against the counts", 0.8)
        return evidence_of(self, task, choice, counts)

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """Compute the bound again from the counts of the two events."""
        return two_events(guarantee, evidence)

    def _choose(self, task: Task, guarantee: SubsampledGaussian) -> Choice:
        """The pair whose pilot has the largest excess over the claim, and two events on it."""
        subject = task.build()
        pairs = candidate_pairs(task, PAIRS)
        size = max(FEWEST_PILOT, task.trials // PILOT_PART)
        judged: list[tuple[tuple[float, float], int, list[Contenders], Score]] = []
        for place, pair in enumerate(pairs):
            scores: list[Score] = []
            found: list[list[Float]] = [[], []]
            for side, data in enumerate((pair.d0, pair.d1)):
                parts = []
                for traces in _drawn(subject, data, size, guarantee, task, ("pilot", place, side)):
                    scores = scores or scores_for(traces, rate=guarantee.rate, sigma=guarantee.sigma)
                    parts.append([score.of(traces) for score in scores])
                found[side] = [np.concatenate(rows) for rows in zip(*parts, strict=True)]
            events = [
                each for score, d0, d1 in zip(scores, *found, strict=True) for each in pilot_events(score, d0, d1)
            ]
            apart = [_apart(found[0][i], found[1][i]) for i in (0, 1)]  # the likelihood ratio, with either sign
            gain = max(0.0, exceeding(events, size, guarantee)), max(apart)
            judged.append((gain, place, events, scores[0 if apart[0] >= apart[1] else 1]))
        (excess, _), place, events, ratio_score = max(judged, key=lambda one: one[0])
        tail, bulk = TAIL_SHARE * task.alpha, (1.0 - TAIL_SHARE) * task.alpha
        delta = guarantee.at_delta
        pilot = size if excess > 0 else None
        pool = events if excess > 0 else [claim_events(ratio_score, guarantee)]
        return Choice(
            pair=pairs[place],
            tail=best_event(
                pool,
                task.trials,
                alpha=tail,
                objective=log_ratio(delta),
                bound=lambda region: epsilon_lower(region, delta=delta),
                pilot=pilot,
            ),
            bulk=best_event(
                pool,
                task.trials,
                alpha=bulk,
                objective=excess_of(guarantee) if excess > 0 else separation,
                bound=(lambda region: excess_lower(region, Goal(guarantee=guarantee).allowed(0)))
                if excess > 0
                else mu_lower,
                pilot=pilot,
            ),
            basis="the pilot, which exceeded the claim" if excess > 0 else "the claim's own law",
        )

    def _count(self, task: Task, choice: Choice) -> Counts:
        """Count both events in new transcripts, on the side where they are more likely and on the other."""
        subject, guarantee = task.build(), claimed(task)
        hits = np.zeros((2, 2), dtype=np.int64)  # event, side
        for side, data in enumerate((choice.pair.d0, choice.pair.d1)):
            drawn = 0
            for traces in _drawn(subject, data, task.trials, guarantee, task, ("count", side)):
                scores = choice.tail.score.of(traces)
                hits[0, side] += choice.tail.hits(scores)
                if choice.bulk.score != choice.tail.score:
                    scores = choice.bulk.score.of(traces)
                hits[1, side] += choice.bulk.hits(scores)
                drawn += traces.shape[0]
                task.progress("counting in fresh transcripts", 0.1 + 0.35 * (side + drawn / task.trials))
        found = [
            (int(row[event.likelier]), int(row[1 - event.likelier]))
            for row, event in zip(hits, (choice.tail, choice.bulk), strict=True)
        ]
        return found[0], found[1]


def _apart(d0: Float, d1: Float) -> float:
    """Difference of the means, in standard deviations."""
    return float(np.mean(d1) - np.mean(d0)) / max(float(np.std(d0) + np.std(d1)), 1e-300)


def _drawn(
    subject: Traces, data: Any, size: int, guarantee: SubsampledGaussian, task: Task, names: tuple[str | int, ...]
) -> Iterator[Float]:
    """Draw transcripts in chunks, each from a separate stream."""
    chunk = max(1, NUMBERS // guarantee.steps)
    for index, start in enumerate(range(0, size, chunk)):
        many = min(chunk, size - start)
        traces = np.asarray(subject.traces(data, many, rng=task.stream(*names, index)), dtype=np.float64)
        if traces.ndim != 3 or traces.shape[:2] != (many, guarantee.steps) or not traces.shape[2]:
            raise InputError(
                f"traces of shape {traces.shape} for {many} runs of {guarantee.steps} steps",
                allowed=f"({many}, {guarantee.steps}, k)",
                remedy="claim as many steps as the subject takes",
            )
        yield traces


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


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("transcript", TranscriptAuditor())
