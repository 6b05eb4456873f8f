"""The replay auditor (grey box): records a run on D, replays it on D' with the same draws and releases, and compares.

The idea is from Oblivious' dp-recorder (arXiv 2602.17454). Up to its first hidden random draw (a "hidden coin"), a run
is a function of the data and of its released values. Hence:

- A value that is certain on D and impossible on D', *before any noisy value*, has probabilities 1 and 0 and refutes
  every claim. Examples are a value without noise, the length of an output, a NaN (unchanged by noise), noise that is
  shown twice, and a noise scale of 0.
- The same *after noisy values*: the event "these values, then this one" has a positive probability p on D (it occurred)
  and 0 on D'. Claims that exclude such events (pure, Rényi, zCDP, GDP) are refuted. For others p is bounded by `FRESH`
  new runs, all of which must show such a difference, with error probability `NEGLIGIBLE`.
- Noisy values: laws, proved events and realised losses (`laws`), proved in ball arithmetic.
- A noise-free value that moves by more than the *declared* sensitivity refutes a claim about that sensitivity. It
  refutes no privacy claim (the noise may be larger than needed, or a subsample may amplify), so there it is an excess
  without a proof: inconclusive, with a note.
- A difference after a hidden coin proves nothing and is ignored. `statistics` names the first hidden coin.

Error: no statistical test is made, so no false-alarm probability is used (except NEGLIGIBLE); a difference counts only
if it remains in further runs with other coins (`runs`).

A user's callable may use unrecorded randomness. So a finding on it is no proof: either new runs refute, with error
`NEGLIGIBLE` (`counts`), or the finding is reported without a proof, which is inconclusive. Sequences of releases are
scored as a whole on new runs, each value given the earlier ones (`likelihood_ratio`). A program that is not repeatable
under the same coins (a clock, another generator) is inconclusive unless its counts refute. Only subjects on a tape,
which have no other randomness, get proofs.

Assumptions: runs of a callable are independent; the laws of declared primitives are as declared; the generator is
ideal. Limits: one run takes one path of the program. A replay does not test the law of the noise: it assumes that the
sampler draws from the declared law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from auditors.privacy.event_bounds import KINDS, Goal
from auditors.privacy.replay.counts import ALPHA, MOST, allowed_rates, by_counts, by_laws, by_log_ratio
from auditors.privacy.replay.evidence import NEGLIGIBLE, SLACK, Found, ReplayFindings, evidence, findings, ratio
from auditors.privacy.replay.laws import ProvedPoint, loss
from auditors.privacy.replay.runs import Replayer, Runs, replay_refusal
from auditors.privacy.sampled_evidence import claimed_goal, direction, entry, found_again, real, whole, within
from auditors.search_boxes import candidate_pairs, scaled_limit
from dpverify.core.auditing import Task
from dpverify.core.errors import InputError
from dpverify.core.evidence import Again, Evidence, LackingError
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee, Pair, PrivacyGuarantee
from dpverify.core.transcript import OTHER
from dpverify.stats.joint import JointRegion

PAIRS = 16
"""Pairs at effort 1, each in both directions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayAuditor:
    """Privacy and sensitivity claims, subjects that tell what they do or can be recorded."""

    name: str = "replay"
    version: str = "2"
    statistical: bool = False
    by_request: bool = True
    level: float = NEGLIGIBLE
    """The error probability of all refutations by fresh runs together; each look spends `counts.ALPHA` of it."""
    pairs: int = PAIRS
    """Pairs at effort 1, each in both directions."""
    exceeding: bool = False
    """Whether only what exceeds the claim is looked at further: the bound is then 0 where nothing does."""
    most: int = MOST
    """Fresh runs a side that a refutation may take; whole histories are counted only where all of `counts.MOST` may."""

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        guarantee = task.claim.guarantee
        kind = guarantee.measures()[0].kind
        if kind != "sensitivity" and not (isinstance(guarantee, PrivacyGuarantee) and kind in KINDS):
            return "the claim is neither a privacy guarantee nor a bound on a sensitivity"
        built = task.build()
        if (refusal := replay_refusal(built)) is not None:
            return refusal
        if not getattr(built, "reproducible", True):
            return "the function takes no rng: its randomness is its own, so a replay can prove nothing of it"
        return None

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """The bound again, from the fresh runs that stand in the record."""
        return recheck_runs(guarantee, evidence, level=self.level)

    def audit(self, task: Task) -> Evidence:
        """Run, replay and compare on every pair in both directions, until a refutation is proved.

        Raises
        ------
        InputError
            When the subject raises.
        AuditError
            When the search space has no pair of different neighbours.
        """
        replayer = Replayer.of(task)
        pairs = candidate_pairs(task, scaled_limit(task, self.pairs))
        seen, looked = ReplayFindings(allowed=math.floor(self.level / ALPHA * (1 + 1e-9))), []
        for place, pair in enumerate(pairs):
            task.progress("replaying", place / len(pairs))
            looked += [self._look(task, replayer, pair, place, reverse=side, seen=seen) for side in (False, True)]
            if seen.best is not None and seen.best.refutes:
                break
        guarantee = task.claim.guarantee
        whole = replayer.recorded and self.most >= MOST
        if whole and isinstance(guarantee, PrivacyGuarantee) and not (seen.best and seen.best.refutes):
            counted = _by_log_ratio(replayer, Goal(guarantee=guarantee), looked, seen)
            if counted is not None:
                seen.best = counted
        note = getattr(replayer.subject, "refusal", "")
        return evidence(task, self, seen, pairs[0], note=note, recorded=replayer.recorded)

    def _look(
        self, task: Task, replayer: Replayer, pair: Pair, place: int, *, reverse: bool, seen: ReplayFindings
    ) -> Runs:
        runs = replayer.runs(pair, place, reverse=reverse)
        if not replayer.faithful(runs):
            runs = replayer.runs(pair, place, reverse=reverse)  # with plain numbers
        seen.looked_at += 1
        if runs.comparison.coin is not None and not seen.coin:
            seen.coin = " at ".join(part for part in (runs.comparison.coin.name, runs.comparison.coin.where) if part)
        for moved in runs.comparison.moved:
            used = ratio(moved, task)
            if math.isnan(used) or (seen.moved is not None and used <= seen.moved[0]):
                continue
            if not replayer.recorded or replayer.moves_again(runs, moved):
                seen.moved = used, moved, runs
            else:
                seen.unseen += 1
        guarantee = task.claim.guarantee
        if not isinstance(guarantee, PrivacyGuarantee):
            return runs
        goal = Goal(guarantee=guarantee)
        for found in findings(replayer, goal, runs, place):
            if self.exceeding and not found.said.excess > 0:
                continue
            exceeds = replayer.recorded and found.said.excess > 0
            if seen.best is not None and (seen.best.refutes if exceeds else found.rank <= seen.best.rank):
                continue
            if not replayer.certain(found.runs, place=place):
                seen.unseen += 1
                continue
            better = _counted(replayer, goal, found, place, seen, self.most) if replayer.recorded else found
            if seen.best is None or better.rank > seen.best.rank:
                seen.best = better
        return runs


def _counted(replayer: Replayer, goal: Goal, found: Found, place: int, seen: ReplayFindings, most: int) -> Found:
    """The same without faith in the program's randomness: by fresh runs, or else without a proof."""
    if found.said.excess > 0:
        said = None
        if found.by == "difference" and seen.may_look():
            said = by_counts(replayer, goal, found.runs, place, found.said.event, most)
        elif found.by == "laws" and seen.may_look():
            said = by_laws(replayer, goal, found.runs, place, most)
        if said is not None:
            return replace(found, said=said, statistical=True)
    value = replace(found.said.value, proved=False)
    return replace(found, said=replace(found.said, value=value), statistical=False)


def _by_log_ratio(replayer: Replayer, goal: Goal, looked: list[Runs], seen: ReplayFindings) -> Found | None:
    """Whole histories counted on the pair that they may tell apart best; None where laws have said all there is."""
    telling = [runs for runs in looked if _says_more(replayer, goal, runs)]
    if not telling or not seen.may_look():
        return None
    runs = max(telling, key=lambda runs: (runs.comparison.apart is not None, len(runs.comparison.noisy)))
    counted = by_log_ratio(replayer, goal, runs.pair)
    if counted is None:
        return None
    said, reverse = counted
    return Found(said=said, runs=replace(runs, reverse=reverse), statistical=True, by="log-ratio")


def _says_more(replayer: Replayer, goal: Goal, runs: Runs) -> bool:
    """Whether histories may exceed the claim: they contain more than one call's values of known laws, and enough loss.

    This only avoids thousands of useless runs; it refutes nothing.
    """
    noisy, apart = runs.comparison.noisy, runs.comparison.apart
    if apart is not None or any(OTHER in (one.law, other.law) for one, other in noisy):
        return True
    if len({one.call for one, _ in noisy}) < 2:
        return False
    if goal.headline.kind != "epsilon":
        return True
    losses = [loss(each.pair, each.comparison.noisy).value for each in (runs, *replayer.pushed(runs))]
    return max(losses) > goal.headline.claimed * (1.0 + SLACK)


def recheck_runs(guarantee: Guarantee, evidence: Evidence, *, level: float) -> Again:
    """The bound from n fresh runs a side; `level` is the error probability of the whole replay.

    Either an event came k1 and k2 times, or all runs showed the same noise-free values, and the recorded laws give the
    event the probabilities p and q. That these are the probabilities by those laws is not checked.

    LackingError for evidence that rests on no fresh runs.
    """
    said, goal, toward = evidence.statistics, claimed_goal(guarantee), direction(evidence.witness)
    name = next((name for name in ("counts", "laws") if said.get(name) is not None), None)
    if name is None:
        raise LackingError("no fresh run was made, so there is nothing to count: its command makes it again")
    size, alpha = whole(entry(said, name), "n", most=MOST), real(said[name], "alpha")
    within("the fresh runs", alpha, level)
    if name == "counts":
        k1, k2 = (whole(said[name], each, most=size) for each in ("k1", "k2"))
        finding = goal.finding(JointRegion(k1=k1, n1=size, k2=k2, n2=size, alpha=alpha), toward)
    else:
        p, q = (_probability(said[name], each) for each in ("p", "q"))
        if not (size and 0.0 < alpha < 1.0):
            raise InputError(f"n = {size}, alpha = {alpha:g} in a record", allowed="n > 0 and 0 < alpha < 1")
        low, high = allowed_rates(np.array(p), np.array(q), alpha ** (1.0 / size))
        finding = goal.finding(ProvedPoint(p=float(low), q=float(high)), toward)
    return found_again(finding, alpha=level, trials=size)


def _probability(said: object, name: str) -> float:
    found = real(said, name)
    if not 0.0 <= found <= 1.0:
        raise InputError(f"{name} = {found:g} in a record", allowed="a probability")
    return found


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("replay", ReplayAuditor())
