"""The evidence of a replay: the strongest finding over all pairs, or a sensitivity that is exceeded.

Findings from one pair's runs, before they are confirmed by repeats: differences, laws, losses. Each names its kind
(`by`), which decides how it is confirmed on a user's callable.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from auditors.privacy.event_bounds import Goal
from auditors.privacy.replay.counts import ALPHA
from auditors.privacy.replay.laws import (
    ReplayBound,
    bound_by_difference,
    bound_by_laws,
    bound_by_orthant,
    bound_by_scales,
    first_values,
    loss,
)
from auditors.privacy.replay.runs import UNSEEN, Replayer, Runs
from auditors.privacy.sampled_evidence import claimed_curve, event_picture
from dpverify.core.auditing import Task
from dpverify.core.errors import UnsupportedError
from dpverify.core.evidence import Enclosed, Evidence, Measure
from dpverify.core.subjects import Pair, PrivacyGuarantee
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.definitions.pure_dp import PureDP
from dpverify.recording.compare_runs import CertainDifference, ChangedValue
from dpverify.recording.flatten_output import with_leaf_names
from dpverify.stats.joint import JointRegion

NEGLIGIBLE = 1e-9
"""Error probability of a refutation by new runs."""

ASSUMED = "runs are independent: the program keeps nothing from one to the next, and draws no less at random in another"
NO_PROOF = (
    "the claim is exceeded if all randomness comes from the rng; 4096 fresh runs a side do not show that it does, at "
    "an error of 1e-9 (ask for the method 'loss', which makes more runs at a larger error)"
)


FRESH = 16
"""New runs for a difference after noisy values; all of them must show such a difference."""

SLACK = 1e-9
"""Relative rounding error: a smaller excess does not count."""


@dataclass(slots=True)
class ReplayFindings:
    """What was found on the pairs so far."""

    allowed: int
    """Looks by fresh runs that the level pays for; each spends `ALPHA`."""
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


def runs_picture(goal: Goal, found: ReplayBound, direction: int) -> dict[str, Any]:
    """The claimed curve, the region and the point, as of `event_picture`; empty where no fresh run was made.

    Of an event by the recorded laws the region says what the fresh runs leave open: how often the noise-free values
    are others.
    """
    size = found.fresh
    if found.hits is not None:
        k1, k2 = found.hits
        return event_picture(goal, JointRegion(k1=k1, n1=size, k2=k2, n2=size, alpha=ALPHA), direction)
    if found.laws is None or not size:
        return {}
    p, q = found.laws
    others = 1.0 - ALPHA ** (1.0 / size)
    return {
        "claimed": claimed_curve(goal, direction),
        "rectangle": {
            "fpr_low": q * (1.0 - others),
            "fpr_high": min(q + others, 1.0),
            "fnr_low": max(1.0 - p - others, 0.0),
            "fnr_high": 1.0 - p * (1.0 - others),
        },
        "point": {"fpr": q, "fnr": 1.0 - p},
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A finding on one pair, with its place in words."""

    said: ReplayBound
    runs: Runs
    where: Mapping[str, Any] = field(default_factory=dict)
    statistical: bool = False
    """Whether it is based on new runs."""
    by: Literal["difference", "laws", "loss", "log-ratio"] = "laws"
    """A certain difference; laws of the values shown first; one history of releases; counts of such histories."""

    @property
    def rank(self) -> tuple[bool, bool, float]:
        """Sort key: whether it exceeds the claim, whether it is proved, and by how much."""
        said = self.said
        share = said.value.value / said.measure.claimed if said.measure.claimed > 0 else said.value.value
        return said.excess > 0, said.value.proved or self.statistical, share

    @property
    def refutes(self) -> bool:
        """Whether it refutes the claim, so that the search may stop."""
        return self.rank[:2] == (True, True)


def findings(replayer: Replayer, goal: Goal, runs: Runs, place: int) -> Iterator[Found]:
    """All findings of the runs; whether they are certain is checked later."""
    direction = int(runs.reverse)
    apart, noisy = runs.comparison.apart, runs.comparison.noisy
    if apart is not None:
        yield from _by_difference(replayer, goal, runs, place, apart)
    if not noisy:
        return
    where = _where(runs)
    laws = first_values(runs.pair, noisy)
    if laws is not None:
        with suppress(UnsupportedError):
            yield Found(said=bound_by_laws(goal, laws), runs=runs, where=where)
    for said in (bound_by_orthant(goal, runs.pair, noisy, direction), bound_by_scales(goal, noisy, direction)):
        if said is not None:
            yield Found(said=said, runs=runs, where=where)
    if isinstance(goal.guarantee, PureDP):
        for each in (runs, *replayer.pushed(runs)):
            if each.comparison.apart is None or each.comparison.noisy:
                yield _by_loss(goal, each)


def _by_loss(goal: Goal, runs: Runs) -> Found:
    value = loss(runs.pair, runs.comparison.noisy)
    said = ReplayBound(
        measure=goal.headline,
        value=value,
        excess=value.value - goal.headline.claimed * (1.0 + SLACK),
        event=f"the loss of a history of {len(runs.comparison.noisy)} noisy releases",
    )
    return Found(said=said, runs=runs, where=_where(runs), by="loss")


def _by_difference(replayer: Replayer, goal: Goal, runs: Runs, place: int, apart: CertainDifference) -> Iterator[Found]:
    direction = int(runs.reverse)
    words = f"{apart.name} is {_short(apart.first)} on one data set and {_short(apart.second)} on the other"
    where = {"where": apart.where, "name": apart.name, "values": [_short(apart.first), _short(apart.second)]}
    p = 1.0
    needs_p = not _allows_nothing(goal, direction) or goal.headline.kind == "delta"
    if apart.released and not replayer.recorded and needs_p:
        p = math.nextafter(ALPHA ** (1.0 / FRESH), 0.0)
        for fresh in range(FRESH):
            again = replayer.runs(runs.pair, f"fresh {place} {fresh}", reverse=runs.reverse)
            if again.comparison.apart is None:
                return
    said = bound_by_difference(goal, p, direction, words)
    yield Found(said=said, runs=runs, where=where, statistical=p < 1.0, by="difference")


def _allows_nothing(goal: Goal, direction: int) -> bool:
    """Whether the claim excludes events that have probability 0 under one data set and not under the other."""
    return bool(goal.guarantee.tradeoff(np.zeros(1), reverse=bool(direction))[0] >= 1.0)


def _where(runs: Runs) -> dict[str, Any]:
    """The first noisy value whose noise-free value differs."""
    for one, other in runs.comparison.noisy:
        if not np.array_equal(one.clean, other.clean) or not np.array_equal(one.scale, other.scale):
            place = int(np.argmax((one.clean != other.clean) | (one.scale != other.scale)))
            values = [float(one.clean[place]), float(other.clean[place])]
            scales = [float(one.scale[place]), float(other.scale[place])]
            return {"where": one.where, "name": one.name, "values": values, "scales": scales}
    return {}


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."
