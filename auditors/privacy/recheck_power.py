"""What counts determine beside the bound: the detectable value and the ceiling, computed again from a record.

The detectable value is the one of `auditors.privacy.detectable`, with its assumptions; after a closer look it is scaled
by the loss that the record says was seen. A replay counts nothing before it finds something: its value is the claimed
one, or none where hidden randomness ended it. Bets and Rényi bounds are not computed again here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from auditors.privacy.detectable import detectable
from auditors.privacy.gate.closer_look import part_of_detectable
from auditors.privacy.sampled_evidence import alpha_of, claimed_goal, direction, items, real, region, same, whole
from dpverify.core.evidence import Evidence, LackingError
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee
from dpverify.stats.joint import JointRegion

EVENTS = ("event", "histogram", "search", "floating-point", "samples", "loss", "middle")
"""Auditors that count one event."""

Powers = Mapping[str, float | None]


def of_event(guarantee: Guarantee, evidence: Evidence) -> Powers:
    """The detectable value and the ceiling of one counted event; None of both where another measure is reported."""
    said = evidence.statistics
    if evidence.ceiling == 0.0 and not evidence.trials:
        return {"detectable": math.inf, "ceiling": 0.0}  # too few draws to count anything
    return _of_counts(guarantee, evidence, region(said, alpha=alpha_of(evidence)), direction(evidence.witness))


def of_points(guarantee: Guarantee, evidence: Evidence) -> Powers:
    """As `of_event`, of the first of several points of one curve."""
    first, (n1, n2) = (
        items(evidence.statistics, "points")[0],
        (whole(evidence.statistics, name) for name in ("n1", "n2")),
    )
    k1, k2 = whole(first, "k1", most=n1), whole(first, "k2", most=n2)
    counted = JointRegion(k1=k1, n1=n1, k2=k2, n2=n2, alpha=real(first, "alpha"), share=real(first, "share"))
    return _of_counts(guarantee, evidence, counted, whole(first, "direction", most=1))


def of_replay(guarantee: Guarantee, evidence: Evidence) -> Powers:
    """What a replay says of itself: all or nothing."""
    hidden = bool(evidence.statistics.get("hidden_coin") or evidence.statistics.get("unseen"))
    if evidence.excess > 0.0 or not hidden:
        return {"detectable": evidence.measure.claimed, "ceiling": math.inf}
    return {}  # whether something was shown before the hidden coin is not in the record


def of_gate(guarantee: Guarantee, evidence: Evidence) -> Powers:
    """As its deciding step does."""
    step = evidence.statistics.get("step")
    if step == "none":
        return {"detectable": math.inf, "ceiling": 0.0}
    last = items(evidence.statistics, "steps")[-1]
    if isinstance(last, Mapping) and "detectable" in last and evidence.detectable is not None:
        same("the detectable value", _number(last["detectable"]), evidence.detectable)
    found = {"replay": of_replay, "event": of_event, "exact values": of_event}.get(str(step))
    if found is None:
        raise LackingError(f"the detectable value of {step} is not computed again")
    return found(guarantee, evidence)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float | str) else math.nan


def _of_counts(guarantee: Guarantee, evidence: Evidence, counted: JointRegion, toward: int) -> Powers:
    goal = claimed_goal(guarantee)
    headline = goal.headline
    if (evidence.measure.kind, evidence.measure.argument) != (headline.kind, headline.argument):
        return {}
    able = detectable(goal, counted, toward)
    if "part_of_detectable" in evidence.statistics:
        steps = [step for step in items(evidence.statistics, "steps") if isinstance(step, Mapping) and "loss" in step]
        if not steps:
            raise LackingError("the record has no loss of a closer look")
        able = max(part_of_detectable(goal, counted, real(steps[-1], "loss")) * able, headline.claimed)
    return {
        "detectable": able,
        "ceiling": goal.ceiling(counted.n1, alpha=counted.alpha, share=counted.share),
        "estimate": goal.estimate(counted.k1, counted.n1, counted.k2, counted.n2),
    }


def register(registry: Registry) -> None:
    """Register what each method's counts determine."""
    for name in EVENTS:
        registry.powers.add(name, of_event)
    registry.powers.add("tradeoff", of_points)
    registry.powers.add("replay", of_replay)
    registry.powers.add("gate", of_gate)
