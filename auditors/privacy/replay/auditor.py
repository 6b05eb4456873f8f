"""Grey box: record a run on D, replay it on D' with the same coins and with D's released values held, compare.

What it rests on (Oblivious' dp-recorder, arXiv 2602.17454, for the idea; the arguments are these). Until the first
coin that nobody sees has had a hand in it, a run is a function of the data and of what it has released. Hence:

- Something shown for certain on D and for certain not on D', *before any noisy value*, has probabilities 1 and 0: it
  refutes every claim. A value without noise, the length of an output, a NaN that noise does not move, noise that is
  shown twice, a scale of 0 are all of this kind.
- The same *after noisy values*: the event "these values, and then this" has a positive probability p on D (it came)
  and 0 on D'. Claims that allow no such thing (pure, Renyi, zCDP, GDP) are refuted; for the others p is bounded from
  `FRESH` fresh runs, all of which must show such a difference, with the error probability `NEGLIGIBLE`.
- Noisy values: laws, proved events and realised losses (`laws`), proved in ball arithmetic.
- A noise-free value that moves by more than the *declared* sensitivity refutes a claim about that sensitivity. It
  refutes no privacy claim (a sensitivity may be declared too small beside noise that is ample, or after a subsample
  that amplifies), so there it is an excess without a proof: inconclusive, and said.
- What differs after a hidden coin proves nothing and is not looked at. `statistics` names the first hidden coin.

Error: no draw is tested, so no false-alarm probability is spent (but for NEGLIGIBLE); a difference counts only if it
stays in further runs with other coins (`runs`).

Other people's code may draw past the recorder. So a finding on a recorded callable is no proof: fresh runs refute, at
an error of `NEGLIGIBLE` (`counts`), or it is said without a proof, which is inconclusive. Proofs are for
subjects on a tape, which is all the randomness they have.

Assumptions: runs of a callable are independent; the laws of declared primitives are as declared; the generator is
ideal. Limits: one run sees one path. Often confused with a test of the noise's law: a replay takes the sampler's word
for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from auditors.privacy.goal import KINDS, Goal
from auditors.privacy.replay.counts import ALPHA, by_counts, by_laws
from auditors.privacy.replay.laws import (
    Said,
    first_values,
    loss,
    said_by_difference,
    said_by_laws,
    said_by_orthant,
    said_by_scales,
)
from auditors.privacy.replay.runs import Replayer, Runs
from dpverify.core.errors import AuditError, UnsupportedError
from dpverify.core.evidence import Evidence
from dpverify.core.measure import Enclosed, Measure
from dpverify.core.protocols import HasRecorder, HasTranscript, Pair, PrivacyGuarantee, Task
from dpverify.core.registry import Registry
from dpverify.datasets.neighbors.plain import plain_pair
from dpverify.definitions.pure_dp import PureDP
from dpverify.recording.compare import Apart, Moved

PAIRS = 16
"""Pairs at effort 1, each in both directions."""

FRESH = 16
NEGLIGIBLE = 1e-9
"""Error probability of a refutation that rests on fresh runs."""

ASSUMED = "runs are independent: the program keeps nothing from one to the next, and draws no less at random in another"
NO_PROOF = (
    "the claim is exceeded if all randomness comes from the rng; fresh runs cannot show that it does for so large a "
    "claim, or for values released one after another (ask for the method 'loss')"
)

SLACK = 1e-9
"""Relative: a change that exceeds a declared sensitivity by less is rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What one pair says, with words on where."""

    said: Said
    runs: Runs
    where: Mapping[str, Any] = field(default_factory=dict)
    statistical: bool = False
    by: Literal["difference", "laws", "loss"] = "laws"

    @property
    def rank(self) -> tuple[bool, bool, float]:
        said = self.said
        share = said.value.value / said.measure.claimed if said.measure.claimed > 0 else said.value.value
        return said.excess > 0, said.value.proved or self.statistical, share


@dataclass(slots=True)
class _Seen:
    """What the pairs have said so far."""

    best: _Found | None = None
    moved: tuple[float, Moved, Runs] | None = None  # the largest ratio of a change to what was declared for it
    coin: str = ""
    unseen: int = 0
    looked_at: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayAuditor:
    """Privacy and sensitivity claims, subjects that tell what they do or can be recorded."""

    name: str = "replay"
    version: str = "1"
    statistical: bool = False
    by_request: bool = True

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        guarantee = task.claim.guarantee
        kind = guarantee.measures()[0].kind
        if kind != "sensitivity" and not (isinstance(guarantee, PrivacyGuarantee) and kind in KINDS):
            return "the claim is neither a privacy guarantee nor a bound on a sensitivity"
        built = task.build()
        if not isinstance(built, HasTranscript | HasRecorder):
            return "the subject has no transcripts and cannot be recorded"
        if not getattr(built, "reproducible", True):
            return "the function takes no rng: its randomness is its own, so a replay can prove nothing of it"
        return None

    def audit(self, task: Task) -> Evidence:
        """Run, replay, compare, on every pair in both directions, until something is proved.

        Raises
        ------
        InputError
            When the subject raises.
        AuditError
            When the search space has no pair of different neighbours.
        """
        built = task.build()
        subject = built.recorded() if isinstance(built, HasRecorder) else built
        replayer = Replayer(subject=subject, stream=task.stream, recorded=isinstance(built, HasRecorder))
        limit = max(1, round(PAIRS * task.effort))
        pairs = task.neighbors.candidates(task.claim.space, limit=limit, rng=task.stream("pairs"))
        if not pairs:
            raise AuditError(f"the relation {task.neighbors.relation!r} has no two different neighbours in this space")
        seen = _Seen()
        for place, pair in enumerate(pairs):
            task.progress("replaying", place / len(pairs))
            for reverse in (False, True):
                self._look(task, replayer, pair, place, reverse=reverse, seen=seen)
            if seen.best is not None and seen.best.rank[:2] == (True, True):
                break
        note = getattr(subject, "refusal", "")
        return self._evidence(task, seen, pairs[0], note=note, recorded=replayer.recorded)

    def _look(self, task: Task, replayer: Replayer, pair: Pair, place: int, *, reverse: bool, seen: _Seen) -> None:
        runs = replayer.runs(pair, place, reverse=reverse)
        if not replayer.faithful(runs):
            runs = replayer.runs(pair, place, reverse=reverse)  # with plain numbers
        seen.looked_at += 1
        if runs.comparison.coin is not None and not seen.coin:
            seen.coin = " at ".join(part for part in (runs.comparison.coin.name, runs.comparison.coin.where) if part)
        for moved in runs.comparison.moved:
            ratio = _ratio(moved, task)
            if math.isnan(ratio) or (seen.moved is not None and ratio <= seen.moved[0]):
                continue
            if not replayer.recorded or replayer.moves_again(runs, moved):
                seen.moved = ratio, moved, runs
            else:
                seen.unseen += 1
        guarantee = task.claim.guarantee
        if not isinstance(guarantee, PrivacyGuarantee):
            return
        goal = Goal(guarantee=guarantee)
        for found in self._said(task, replayer, goal, runs, place):
            exceeds = replayer.recorded and found.said.excess > 0
            if seen.best is not None and (
                seen.best.rank[:2] == (True, True) if exceeds else found.rank <= seen.best.rank
            ):
                continue
            if not replayer.certain(found.runs, place=place):
                seen.unseen += 1
                continue
            better = _counted(replayer, goal, found, place) if replayer.recorded else found
            if seen.best is None or better.rank > seen.best.rank:
                seen.best = better

    def _said(self, task: Task, replayer: Replayer, goal: Goal, runs: Runs, place: int) -> list[_Found]:
        """Everything that the runs say about the claim; whether it is certain is still to be seen."""
        direction, found = int(runs.reverse), []
        apart, noisy = runs.comparison.apart, runs.comparison.noisy
        if apart is not None:
            found.extend(self._by_difference(task, replayer, goal, runs, place, apart))
        if not noisy:
            return found
        laws = first_values(runs.pair, noisy)
        if laws is not None:
            with suppress(UnsupportedError):
                found.append(_Found(said=said_by_laws(goal, laws), runs=runs, where=_where(runs)))
        orthant = said_by_orthant(goal, runs.pair, noisy, direction)
        if orthant is not None:
            found.append(_Found(said=orthant, runs=runs, where=_where(runs)))
        scales = said_by_scales(goal, noisy, direction)
        if scales is not None:
            found.append(_Found(said=scales, runs=runs, where=_where(runs)))
        if isinstance(goal.guarantee, PureDP):
            for each in (runs, *replayer.pushed(runs)):
                if each.comparison.apart is None or each.comparison.noisy:
                    value = loss(each.pair, each.comparison.noisy)
                    said = Said(
                        measure=goal.headline,
                        value=value,
                        excess=value.value - goal.headline.claimed * (1.0 + SLACK),
                        event=f"the loss of a history of {len(each.comparison.noisy)} noisy releases",
                    )
                    found.append(_Found(said=said, runs=each, where=_where(each), by="loss"))
        return found

    def _by_difference(
        self, task: Task, replayer: Replayer, goal: Goal, runs: Runs, place: int, apart: Apart
    ) -> list[_Found]:
        direction = int(runs.reverse)
        words = f"{apart.name} is {_short(apart.first)} on one data set and {_short(apart.second)} on the other"
        where = {"where": apart.where, "name": apart.name, "values": [_short(apart.first), _short(apart.second)]}
        p = 1.0
        if (
            apart.released
            and not replayer.recorded
            and not (_allows_nothing(goal, direction) and goal.headline.kind != "delta")
        ):
            p = math.nextafter(ALPHA ** (1.0 / FRESH), 0.0)
            for fresh in range(FRESH):
                again = replayer.runs(runs.pair, f"fresh {place} {fresh}", reverse=runs.reverse)
                if again.comparison.apart is None:
                    return []
        said = said_by_difference(goal, p, direction, words)
        return [_Found(said=said, runs=runs, where=where, statistical=p < 1.0, by="difference")]

    def _evidence(self, task: Task, seen: _Seen, pair: Pair, *, note: str, recorded: bool) -> Evidence:
        headline = task.claim.guarantee.measures()[0]
        statistics: dict[str, Any] = {"compared": seen.looked_at, "hidden_coin": seen.coin or None}
        if seen.unseen:
            statistics["unseen"] = f"{seen.unseen} differences did not stay: the program has randomness of its own"
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
            return self._by_sensitivity(task, seen, pair, statistics, recorded=recorded)
        best = seen.best
        if best is None:
            value = Enclosed(value=0.0, proved=not recorded)
            nothing = Said(
                measure=headline, value=value, excess=-headline.claimed, event="nothing is shown for certain"
            )
            found, where, shown = nothing, {}, pair
        else:
            found, where, shown = best.said, dict(best.where), best.runs.pair
        reverse = best is not None and best.runs.reverse
        hidden = best is None and bool(seen.coin)
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version=self.version,
            measure=found.measure,
            bound=found.value.value,
            excess=found.excess,
            confidence=1.0 - NEGLIGIBLE if best is not None and best.statistical else None,
            error=None if best is not None and best.statistical else found.value.error,
            proved=found.value.proved,
            coverage="search",
            detectable=math.inf if hidden else found.measure.claimed,
            ceiling=0.0 if hidden else math.inf,
            seed=task.seed,
            statistics=statistics,
            witness={
                **plain_pair(shown),
                "direction": "d1 against d0" if reverse else "d0 against d1",
                "event": found.event,
                **where,
            },
        )

    def _by_sensitivity(
        self, task: Task, seen: _Seen, pair: Pair, statistics: Mapping[str, Any], *, recorded: bool
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
            auditor=self.name,
            version=self.version,
            measure=Measure(kind="sensitivity", claimed=claimed),
            bound=change,
            excess=change - claimed - error,
            confidence=1.0 - NEGLIGIBLE if recorded and about else None,  # by the repeats of `moves_again`
            error=None if recorded and about else error,
            proved=about and not recorded,  # a sensitivity that is exceeded refutes no privacy claim
            coverage="search",
            detectable=claimed,
            ceiling=math.inf,
            seed=task.seed,
            statistics=statistics,
            witness={**plain_pair(shown), "event": words, "where": where},
        )


def _counted(replayer: Replayer, goal: Goal, found: _Found, place: int) -> _Found:
    """The same without faith in the program's randomness: by fresh runs, or else without a proof."""
    if found.said.excess > 0:
        said = None
        if found.by == "difference":
            said = by_counts(replayer, goal, found.runs, place, found.said.event)
        elif found.by == "laws":
            said = by_laws(replayer, goal, found.runs, place)
        if said is not None:
            return replace(found, said=said, statistical=True)
    value = replace(found.said.value, proved=False)
    return replace(found, said=replace(found.said, value=value), statistical=False)


def _allows_nothing(goal: Goal, direction: int) -> bool:
    """Whether the claim allows no event of probability 0 under one data set to happen under the other."""
    return bool(goal.guarantee.tradeoff(np.zeros(1), reverse=bool(direction))[0] >= 1.0)


def _ratio(moved: Moved, task: Task) -> float:
    """How much of what is declared (or claimed, where the claim bounds a sensitivity) a change uses up."""
    if task.claim.guarantee.measures()[0].kind == "sensitivity":
        return moved.norms[_norm(task)]
    if math.isnan(moved.declared):
        return math.nan
    beyond = max(moved.change - SLACK * moved.magnitude, 0.0) if math.isfinite(moved.change) else moved.change
    return beyond / moved.declared if moved.declared > 0 else (math.inf if beyond > 0 else 0.0)


def _norm(task: Task) -> str:
    return str(getattr(task.claim.guarantee, "norm", "l2"))


def _where(runs: Runs) -> dict[str, Any]:
    """The first of the noisy values that move."""
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


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("replay", ReplayAuditor())
