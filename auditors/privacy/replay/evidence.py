"""The evidence of a replay: the strongest finding over all pairs, or a sensitivity that is exceeded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from auditors.privacy.event_bounds import Goal
from auditors.privacy.replay.counts import ALPHA
from auditors.privacy.replay.findings import SLACK, Found
from auditors.privacy.replay.laws import ReplayBound
from auditors.privacy.replay.picture import runs_picture
from auditors.privacy.replay.runs import UNSEEN, Runs
from dpverify.core.auditing import Task
from dpverify.core.evidence import Evidence
from dpverify.core.measure import Enclosed, Measure
from dpverify.core.subjects import Pair, PrivacyGuarantee
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.recording.compare_runs import ChangedValue
from dpverify.recording.leaf_names import with_leaf_names

NEGLIGIBLE = 1e-9
"""Error probability of a refutation by new runs."""

ASSUMED = "runs are independent: the program keeps nothing from one to the next, and draws no less at random in another"
NO_PROOF = (
    "the claim is exceeded if all randomness comes from the rng; 4096 fresh runs a side do not show that it does, at "
    "an error of 1e-9 (ask for the method 'loss', which makes more runs at a larger error)"
)


@dataclass(slots=True)
class ReplayFindings:
    """What was found on the pairs so far.

    Attributes
    ----------
    allowed : int
        Looks by fresh runs that the level pays for; each spends `ALPHA`.
    """

    allowed: int
    best: Found | None = None
    moved: tuple[float, ChangedValue, Runs] | None = None  # the largest ratio of a change to its declared sensitivity
    coin: str = ""
    unseen: int = 0
    looked_at: int = 0

    def may_look(self) -> bool:
        """Whether one more look by fresh runs is paid for; it is counted."""
        self.allowed -= 1
        return self.allowed >= 0


class Says(Protocol):
    """Who says it, and at which error probability."""

    @property
    def name(self) -> str:
        """Registry name."""
        ...

    @property
    def version(self) -> str:
        """Of the method."""
        ...

    @property
    def level(self) -> float:
        """Of all refutations by fresh runs together."""
        ...


def evidence(task: Task, auditor: Says, seen: ReplayFindings, pair: Pair, *, note: str, recorded: bool) -> Evidence:
    """Of the whole audit; `pair` stands for all of them where none said anything."""
    headline = task.claim.guarantee.measures()[0]
    statistics: dict[str, Any] = {"compared": seen.looked_at, "hidden_coin": seen.coin or None}
    if seen.unseen:
        statistics["unseen"] = f"{seen.unseen} differences did not stay: {UNSEEN}"
    if recorded:
        statistics["assumed"] = ASSUMED
        if seen.best is not None and seen.best.rank[:2] == (True, False):
            statistics["no_proof"] = NO_PROOF
    if note:
        statistics["plain_numbers"] = f"the program takes no recorded noise ({note})"
    if seen.moved is not None:
        _, moved, _ = seen.moved
        statistics["moved"] = {
            "name": moved.name,
            "where": moved.where,
            "change": moved.change,
            "norm": moved.norm,
            "declared": None if math.isnan(moved.declared) else moved.declared,
        }
    exceeded = seen.best is not None and seen.best.said.excess > 0
    if headline.kind == "sensitivity" or (not exceeded and seen.moved is not None and seen.moved[0] > 1.0 + SLACK):
        return _of_sensitivity(task, auditor, seen, pair, statistics, recorded=recorded)
    best = seen.best
    if best is None:
        # A difference that is not repeatable decides nothing: an excess without a proof is inconclusive.
        excess, event = (math.inf, UNSEEN) if seen.unseen else (-headline.claimed, "nothing is shown for certain")
        value = Enclosed(value=0.0, proved=not recorded and not seen.unseen)
        found, where, shown = ReplayBound(measure=headline, value=value, excess=excess, event=event), {}, pair
    else:
        found, where, shown = best.said, dict(best.where), best.runs.pair
    counted = best is not None and best.statistical
    if found.hits is not None:
        statistics["counts"] = {"k1": found.hits[0], "k2": found.hits[1], "n": found.fresh, "alpha": ALPHA}
    if found.laws is not None:
        statistics["laws"] = {"p": found.laws[0], "q": found.laws[1], "n": found.fresh, "alpha": ALPHA}
    hidden = best is None and bool(seen.coin or seen.unseen)
    return Evidence(
        claim=task.claim.id,
        auditor=auditor.name,
        version=auditor.version,
        measure=found.measure,
        bound=found.value.value,
        excess=found.excess,
        confidence=1.0 - auditor.level if counted else None,
        error=None if counted else found.value.error,
        proved=found.value.proved,
        coverage="search",
        detectable=math.inf if hidden else found.measure.claimed,
        ceiling=0.0 if hidden else math.inf,
        trials=found.fresh,
        seed=task.seed,
        statistics=statistics,
        witness={
            **plain_pair(shown),
            "direction": "d1 against d0" if best is not None and best.runs.reverse else "d0 against d1",
            "event": found.event if best is None else with_leaf_names(found.event, best.runs.first),
            **where,
        },
        picture=_picture(task, found, reverse=best is not None and best.runs.reverse),
    )


def ratio(moved: ChangedValue, task: Task) -> float:
    """Ratio of a change to the declared sensitivity (or the claimed one, where the claim bounds it)."""
    if task.claim.guarantee.measures()[0].kind == "sensitivity":
        return moved.norms[_norm(task)]
    if math.isnan(moved.declared):
        return math.nan
    beyond = max(moved.change - SLACK * moved.magnitude, 0.0) if math.isfinite(moved.change) else moved.change
    return beyond / moved.declared if moved.declared > 0 else (math.inf if beyond > 0 else 0.0)


def _picture(task: Task, found: ReplayBound, *, reverse: bool) -> dict[str, Any]:
    guarantee = task.claim.guarantee
    return (
        runs_picture(Goal(guarantee=guarantee), found, int(reverse)) if isinstance(guarantee, PrivacyGuarantee) else {}
    )


def _of_sensitivity(
    task: Task, auditor: Says, seen: ReplayFindings, pair: Pair, statistics: Mapping[str, Any], *, recorded: bool
) -> Evidence:
    headline = task.claim.guarantee.measures()[0]
    about = headline.kind == "sensitivity"
    if seen.moved is None:
        change, claimed, shown, words, where, size = 0.0, headline.claimed, pair, "nothing moves", "", 0.0
    else:
        _, moved, runs = seen.moved
        change = moved.norms[_norm(task)] if about else moved.change
        claimed = headline.claimed if about else moved.declared
        shown, where, size = runs.pair, moved.where, moved.magnitude
        words = f"the noise-free {moved.name} moves by {change:.9g}, and {claimed:.9g} is declared"
    error = SLACK * size if math.isfinite(change) else 0.0
    return Evidence(
        claim=task.claim.id,
        auditor=auditor.name,
        version=auditor.version,
        measure=Measure(kind="sensitivity", claimed=claimed),
        bound=change,
        excess=change - claimed - error,
        confidence=1.0 - auditor.level if recorded and about else None,  # by the repeats of `moves_again`
        error=None if recorded and about else error,
        proved=about and not recorded,  # an exceeded sensitivity refutes no privacy claim
        coverage="search",
        detectable=claimed,
        ceiling=math.inf,
        seed=task.seed,
        statistics=statistics,
        witness={**plain_pair(shown), "event": words, "where": where},
    )


def _norm(task: Task) -> str:
    return str(getattr(task.claim.guarantee, "norm", "l2"))
