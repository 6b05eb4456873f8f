"""Evidence of auditors that count draws: the fields that all of them fill alike, and those of one counted event.

The picture shows the error rates of a test that says "d0" when the event occurs, in a Clopper-Pearson rectangle with
half of the error probability on each rate. It is not the joint region that gives the bound, so it need not show a
refutation.

Reads sufficient statistics from a record, which may come from anyone, so each number is checked first.

A missing number raises LackingError, a malformed one InputError, and numbers that contradict each other
ContradictionError.

Counts cannot show that an event was chosen on other draws.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.detectable import detectable
from auditors.privacy.event_bounds import SIDES, Finding, Goal, direction_text
from dpverify.core.auditing import Auditor, Task
from dpverify.core.errors import InputError
from dpverify.core.evidence import Again, ContradictionError, Evidence, LackingError
from dpverify.core.subjects import Float, Guarantee, Pair, PrivacyGuarantee
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.stats.intervals import LARGEST_TRIALS
from dpverify.stats.joint import JointRegion
from dpverify.stats.region import RectangleRegion

PICTURED = 64
"""Points of the curve on each scale."""


MOST = 10**6
"""Most entries of a list; no audit has nearly as many."""


class Recorded(Protocol):
    """What can be written as plain JSON values."""

    def plain(self) -> dict[str, Any]:
        """Plain JSON values."""
        ...


def sampled_evidence(
    auditor: Auditor,
    task: Task,
    finding: Finding,
    *,
    trials: int,
    statistics: Mapping[str, Any],
    witness: Mapping[str, Any],
    estimate: float | None = None,
    detectable: float | None = None,
    ceiling: float | None = None,
    picture: Mapping[str, Any] | None = None,
) -> Evidence:
    """Make the evidence of a finding; its confidence follows from the task's error probability."""
    return Evidence(
        claim=task.claim.id,
        auditor=auditor.name,
        version=auditor.version,
        measure=finding.measure,
        bound=finding.bound,
        excess=finding.excess,
        confidence=1.0 - task.alpha,
        estimate=estimate,
        detectable=detectable,
        ceiling=ceiling,
        trials=trials,
        seed=task.seed,
        statistics=statistics,
        witness=witness,
        picture=picture or {},
    )


def event_evidence(
    auditor: Auditor,
    task: Task,
    goal: Goal,
    region: JointRegion,
    direction: int,
    *,
    event: str,
    statistics: Mapping[str, Any],
    witness: Mapping[str, Any],
    pictured: bool = False,
    beside_any_measure: bool = False,
) -> Evidence:
    """Make the evidence of one counted event.

    Parameters
    ----------
    region : JointRegion
        The region of the counts (equal draws a side); its alpha may be a part of the task's.
    direction : int
        0 when the event is more likely under d0.
    event : str
        Description of the event.
    statistics, witness : mapping
        Additional values of the method, beside counts, direction and event.
    pictured : bool
        Whether the trade-off picture is drawn.
    beside_any_measure : bool
        The detectable value and the ceiling are those of the headline measure. They are left out where another measure
        is reported, unless this is True.
    """
    n, finding = region.n1, goal.finding(region, direction)
    headline = finding.measure is goal.headline
    powered = headline or beside_any_measure
    spent = {"spent": task.alpha} if region.alpha < task.alpha else {}
    return sampled_evidence(
        auditor,
        task,
        finding,
        trials=n,
        estimate=goal.estimate(region.k1, n, region.k2, n) if headline else None,
        detectable=detectable(goal, region, direction) if powered else None,
        ceiling=goal.ceiling(n, alpha=region.alpha, share=region.share) if powered else None,
        statistics={"k1": region.k1, "n1": n, "k2": region.k2, "n2": n, "alpha": region.alpha, **spent, **statistics},
        witness={"direction": direction_text(direction), "event": event, **witness},
        picture=event_picture(goal, region, direction) if pictured else None,
    )


def event_statistics(
    region: JointRegion, direction: int, event: Recorded, *, p: float, q: float, gain: float
) -> dict[str, Any]:
    """The event in full, its region, and the expectations from the selection draws."""
    return {
        "direction": direction_text(direction),
        "region": {"kind": "joint", "share": region.share},
        "event": event.plain(),
        "expected": {"p": p, "q": q, "gain": gain},
    }


def pair_witness(pair: Pair, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The two data sets and the parameters at which the event was counted."""
    return {**plain_pair(pair), "parameters": dict(parameters)}


def event_picture(goal: Goal, region: JointRegion, direction: int) -> dict[str, Any]:
    """The claimed curve, the confidence region and the measured point, in the event's own direction."""
    return {
        "claimed": claimed_curve(goal, direction),
        "rectangle": rectangle(region),
        "point": {"fpr": region.k2 / region.n2, "fnr": 1.0 - region.k1 / region.n1},
    }


def claimed_curve(goal: Goal, direction: int) -> dict[str, list[float]]:
    """The claimed trade-off at false positive rates evenly spaced on a linear and on a logarithmic scale."""
    alpha = np.unique(np.concatenate([np.linspace(0.0, 1.0, PICTURED), np.geomspace(1e-6, 1.0, PICTURED)]))
    beta: Float = np.asarray(goal.guarantee.tradeoff(alpha, reverse=bool(direction)), dtype=np.float64)
    return {"alpha": alpha.tolist(), "beta": beta.tolist()}


def rectangle(region: JointRegion) -> dict[str, float]:
    """The confidence region for false positives and false negatives: half of the error probability on each rate."""
    k1, k2, n1, n2 = region.k1, region.k2, region.n1, region.n2
    near = RectangleRegion(k1=k1, n1=n1, k2=k2, n2=n2, alpha=region.alpha)
    far = RectangleRegion(k1=n1 - k1, n1=n1, k2=n2 - k2, n2=n2, alpha=region.alpha)
    return {
        "fpr_low": 1.0 - far.q_upper,
        "fpr_high": near.q_upper,
        "fnr_low": far.p_lower,
        "fnr_high": 1.0 - near.p_lower,
    }


def entry(statistics: Any, name: str) -> Any:
    """The value of a name; LackingError without one."""
    if not isinstance(statistics, Mapping):
        raise InputError(f"{str(statistics)[:40]!r} where {name} should stand in", allowed="an object")
    if statistics.get(name) is None:
        raise LackingError(f"the record has no {name}")
    return statistics[name]


def whole(statistics: Any, name: str, *, most: int = LARGEST_TRIALS) -> int:
    """A count: an integer in [0, most]."""
    return _count(entry(statistics, name), name, most)


def real(statistics: Any, name: str) -> float:
    """A finite number."""
    return _number(entry(statistics, name), name)


def reals(statistics: Any, name: str) -> Float:
    """A list of finite numbers, shape (k,)."""
    return np.array([_number(item, name) for item in items(statistics, name)], dtype=np.float64)


def wholes(statistics: Any, name: str) -> NDArray[np.int64]:
    """A list of counts, shape (k,)."""
    return np.array([_count(item, name, LARGEST_TRIALS) for item in items(statistics, name)], dtype=np.int64)


def flags(statistics: Any, name: str) -> NDArray[np.bool_]:
    """A list of booleans, shape (k,)."""
    found = items(statistics, name)
    if not all(isinstance(item, bool) for item in found):
        raise InputError(f"{name} in a record", allowed="true and false")
    return np.array(found, dtype=np.bool_)


def items(statistics: Any, name: str) -> Sequence[Any]:
    """A non-empty list of any values."""
    found = entry(statistics, name)
    if not isinstance(found, list | tuple) or not 0 < len(found) <= MOST:
        raise InputError(f"{name} in a record", allowed=f"a list of 1 to {MOST} entries")
    return found


def direction(statistics: Any, sides: tuple[str, str] = SIDES) -> int:
    """0 for "d0 against d1", 1 for "d1 against d0"."""
    said = entry(statistics, "direction")
    for found in (0, 1):
        if said == direction_text(found, sides):
            return found
    raise InputError(f"direction {str(said)[:40]!r}", allowed=f"{direction_text(0, sides)!r} or the other way round")


def region(statistics: Any, *, alpha: float, share: float | None = None) -> JointRegion:
    """The joint region of k1 of n1 and k2 of n2; `share` is used where the record has none."""
    if share is None:
        shape = entry(statistics, "region")
        if entry(shape, "kind") != "joint":
            raise InputError(f"a region of kind {str(shape['kind'])[:40]!r}", allowed="joint")
        share = real(shape, "share")
    n1, n2 = whole(statistics, "n1"), whole(statistics, "n2")
    k1, k2 = whole(statistics, "k1", most=n1), whole(statistics, "k2", most=n2)
    return JointRegion(k1=k1, n1=n1, k2=k2, n2=n2, alpha=alpha, share=share)


def claimed_goal(guarantee: Guarantee) -> Goal:
    """The claim as a goal for counts; ContradictionError for other claims than privacy guarantees."""
    if not isinstance(guarantee, PrivacyGuarantee):
        raise ContradictionError(f"counts of outputs say nothing of {guarantee.text()}")
    return Goal(guarantee=guarantee)


def found_again(finding: Finding, *, alpha: float, trials: int, numbers: Mapping[str, float] | None = None) -> Again:
    """The computed result as an `Again`."""
    return Again(
        measure=finding.measure,
        bound=finding.bound,
        excess=finding.excess,
        alpha=alpha,
        trials=trials,
        numbers=numbers or {},
    )


def same(what: str, printed: object, counted: object) -> None:
    """Raise ContradictionError unless the two are equal."""
    if printed != counted:
        raise ContradictionError(f"{what} is {str(printed)[:60]} in one place and {str(counted)[:60]} in another")


def within(what: str, spent: float, alpha: float) -> None:
    """Raise ContradictionError where more error probability is spent than available."""
    if not spent <= alpha * (1.0 + 1e-12):
        raise ContradictionError(f"{what} spend {spent:.6g} of the error probability {alpha:.6g}")


def alpha_of(evidence: Evidence) -> float:
    """The audit's error probability."""
    return real(evidence.statistics, "alpha")


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < math.inf:
        raise InputError(f"{name} = {str(value)[:40]!r} in a record", allowed="a finite number")
    return float(value)


def _count(value: Any, name: str, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise InputError(f"{name} = {str(value)[:40]!r} in a record", allowed=f"an integer in [0, {most}]")
    return value


def one_event(guarantee: Guarantee, evidence: Evidence, *, share: float | None = None) -> Again:
    """The bound from the counts of one event; `share` is the region's share where the record has none."""
    said, alpha = evidence.statistics, alpha_of(evidence)
    toward = direction(evidence.witness)
    if "direction" in said:
        same("the direction", said["direction"], evidence.witness["direction"])
    counted = region(said, alpha=alpha, share=share)
    finding = claimed_goal(guarantee).finding(counted, toward)
    spent = real(said, "spent") if "spent" in said else alpha  # of the whole audit, where two events shared it
    within("the counts", alpha, spent)
    return found_again(finding, alpha=spent, trials=counted.n1)
