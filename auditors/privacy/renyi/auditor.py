"""The Rényi auditor: lower bounds on divergences from the whole output distribution, by the variational form.

Method (Birrell et al., arXiv 2007.03814; as a privacy test, Dp-auditorium, arXiv 2307.05608): bins and their log-ratios
are learned on selection draws. There one claimed order, one direction and one bounded test function h are chosen (or
one event, if a larger bound is expected from it). Then the bins are counted in new draws, and the two means of the
variational form are bounded jointly (`dpverify.stats.variational`). This is one order, one direction, one test and one
look, so it gets the whole error probability, whatever the search tried before.

An event gives one point of the trade-off curve; a divergence is an integral over the whole curve. So at small orders
the bound is close to the truth, where the event auditor's binary divergence has two thirds of it. At large orders the
divergence depends on outputs that are too rare to be drawn, and sampling shows little.

The smallest detectable value is the divergence that the bins must show, scaled up by the part of the claim that they
showed (`part_shown`). Where the mechanism has less than the claimed divergence, it is too large, and the audit is
reported as weaker than it is. It is an estimate, tested by simulation.

Pure and Gaussian claims are audited by the divergences that they imply (`aims`); approximate DP implies none.
Assumptions: independent draws from one law a side. The plug-in divergence is different: it is biased upward.

Any test function and bets that were fixed before the draws are valid, so a recheck uses those of the record.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from auditors.privacy.admission import guarantee_refusal, sampling_refusal
from auditors.privacy.event_bounds import FEWEST_TRIALS, Finding, direction_text, fewest_trials, too_few_trials
from auditors.privacy.histogram.events import Found, certify, search
from auditors.privacy.renyi.plan import Aim, RenyiPlan, aims, ceiling, detectable, part_shown, plan, smoothed
from auditors.privacy.sampled_evidence import (
    alpha_of,
    claimed_goal,
    direction,
    entry,
    flags,
    pair_witness,
    real,
    reals,
    same,
    sampled_evidence,
    whole,
    wholes,
)
from dpverify.core.auditing import Task
from dpverify.core.errors import AuditError, InputError
from dpverify.core.evidence import Again, ContradictionError, Evidence
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee, PrivacyGuarantee
from dpverify.stats.variational import Variational


@dataclass(frozen=True, slots=True, kw_only=True)
class RenyiAuditor:
    """Examines claims that bound a Rényi divergence, of any subject that can be sampled or counted."""

    name: str = "renyi"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        guarantee = task.claim.guarantee
        if isinstance(guarantee, PrivacyGuarantee) and not aims(guarantee):
            return "the claim bounds no Renyi divergence of finite order"
        return guarantee_refusal(task) or sampling_refusal(task)

    def lacks(self, task: Task) -> int | None:
        """None when a perfect test with the task's trials would refute the claim, else the fewest trials that would."""
        found = _aims(task)
        if task.trials >= FEWEST_TRIALS and _refutable(found, task.trials, task.alpha):
            return None
        return fewest_trials(
            lambda trials: _refutable(found, trials, task.alpha),
            least=FEWEST_TRIALS,
            claim=task.claim.guarantee.text(),
        )

    def audit(self, task: Task) -> Evidence:
        """Search, choose, count and bound.

        Raises
        ------
        InputError
            When no outcome of the trials could refute the claim, or when outputs are not finite numbers of one shape
            and type.
        AuditError
            When the search space has no pair of different neighbours.
        """
        if (fewest := self.lacks(task)) is not None:
            claim = task.claim.guarantee.text()
            raise too_few_trials(task.trials, fewest, claim=claim, alpha=task.alpha, by=" by a Renyi divergence")
        rating = partial(plan, _aims(task), trials=task.trials, alpha=task.alpha)
        found = search(task, rating)
        return self._evidence(task, found)

    def _evidence(self, task: Task, found: Found[RenyiPlan]) -> Evidence:
        counts = certify(task, found)
        if found.rated is None:
            return self._nothing(task, found)
        chosen = found.rated.plan
        aim, n = chosen.aim, task.trials
        divergence = chosen.lower(counts, alpha=task.alpha)
        p, q = (smoothed(found.counts[side]) for side in (chosen.direction, 1 - chosen.direction))
        bound, excess = aim.value(divergence), divergence - aim.allowed
        if bound <= aim.measure.claimed:
            excess = min(excess, 0.0)
        ratios = found.bins.ratios if chosen.direction == 0 else -found.bins.ratios
        least, part = detectable(chosen, ratios, p, q, trials=n, alpha=task.alpha), part_shown(chosen, counts)
        direction = direction_text(chosen.direction)
        return sampled_evidence(
            self,
            task,
            Finding(measure=aim.measure, bound=bound, excess=excess),
            detectable=aim.value(least / part) if part > 0.0 else math.inf,
            ceiling=aim.value(ceiling(aim, n, alpha=task.alpha)),
            trials=n,
            statistics={
                "counts": {"d0": counts[0].tolist(), "d1": counts[1].tolist()},
                "n1": n,
                "n2": n,
                "alpha": task.alpha,
                "order": aim.order,
                "divergence": divergence,
                "allowed": aim.allowed,
                "via": aim.via,
                "direction": direction,
                "test": _record(chosen),
                "bins": found.bins.plain(),
                "expected": chosen.expected,
                "seen_through_bins": {"detectable": aim.value(least), "part": part},
                "pairs_screened": found.looked_at,
            },
            witness={
                **pair_witness(found.contender.pair, found.contender.parameters),
                "direction": direction,
                "event": _words(chosen, aim),
            },
        )

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """Compute the bound again from the bins' counts, the order and the test."""
        return one_divergence(guarantee, evidence)

    def _nothing(self, task: Task, found: Found[RenyiPlan]) -> Evidence:
        """The evidence where no difference was found: nothing is tested, and the bound is 0."""
        aim = _aims(task)[0]
        return sampled_evidence(
            self,
            task,
            Finding(measure=aim.measure, bound=0.0, excess=-aim.allowed),
            ceiling=aim.value(ceiling(aim, task.trials, alpha=task.alpha)),
            trials=task.trials,
            statistics={"alpha": task.alpha, "pairs_screened": found.looked_at},
            witness=pair_witness(found.contender.pair, found.contender.parameters),
        )


def _aims(task: Task) -> tuple[Aim, ...]:
    guarantee = task.claim.guarantee
    found = aims(guarantee) if isinstance(guarantee, PrivacyGuarantee) else ()
    if not found:
        raise AuditError(f"{guarantee.text()} bounds no Renyi divergence of finite order")
    return found


def _refutable(found: tuple[Aim, ...], trials: int, alpha: float) -> bool:
    return any(ceiling(aim, trials, alpha=alpha) > aim.allowed for aim in found)


def _record(chosen: RenyiPlan) -> dict[str, Any]:
    """Everything beside the counts from which the bound is computed."""
    if chosen.test is None:
        return {"kind": "event", "inside": chosen.inside.tolist(), "share": chosen.share}
    test = chosen.test
    return {
        "kind": "function",
        "scores": test.scores.tolist(),
        "bets": {"p": test.bet_p, "q": test.bet_q, "above": test.bet_above, "below": test.bet_below},
    }


def _words(chosen: RenyiPlan, aim: Aim) -> str:
    if chosen.test is None:
        return f"Renyi divergence of order {aim.order:g}, seen through {int(chosen.inside.sum())} bins as one event"
    return f"Renyi divergence of order {aim.order:g}, seen through a test function on {chosen.inside.size} bins"


def one_divergence(guarantee: Guarantee, evidence: Evidence) -> Again:
    """The bound at one order from the counted bins."""
    said, alpha = evidence.statistics, alpha_of(evidence)
    known = aims(claimed_goal(guarantee).guarantee)
    if not known:
        raise ContradictionError(f"{guarantee.text()} bounds no divergence")
    if "counts" not in said and evidence.bound == 0.0:  # no difference was found, so nothing was tested
        return Again(measure=known[0].measure, bound=0.0, excess=-known[0].allowed, alpha=alpha, trials=evidence.trials)
    toward, aim = direction(said), _aim(known, real(said, "order"), entry(said, "via"), evidence)
    same("the direction", said["direction"], entry(evidence.witness, "direction"))
    counted = entry(said, "counts")
    sides = wholes(counted, "d0"), wholes(counted, "d1")
    if sides[0].shape != sides[1].shape:
        raise InputError("counts of different bins on the two sides", allowed="one count a bin and side")
    n1, n2 = whole(said, "n1"), whole(said, "n2")
    same("the number of draws", [int(side.sum()) for side in sides], [n1, n2])
    plan = _plan(entry(said, "test"), aim, toward, sides[0].size)
    divergence = plan.lower(np.stack(sides), alpha=alpha)
    bound, excess = aim.value(divergence), divergence - aim.allowed
    return Again(
        measure=aim.measure,
        bound=bound,
        excess=excess if bound > aim.measure.claimed else min(excess, 0.0),
        alpha=alpha,
        trials=n1,
        numbers={"divergence": divergence, "allowed": aim.allowed},
    )


def _aim(known: tuple[Aim, ...], order: float, via: object, evidence: Evidence) -> Aim:
    claimed = evidence.measure.kind, evidence.measure.claimed
    for aim in known:
        if (aim.order, aim.via) == (order, via) and (aim.measure.kind, aim.measure.claimed) == claimed:
            return aim
    raise ContradictionError(f"the claim allows no divergence of order {order:g} via {str(via)[:20]} at {claimed}")


def _plan(test: object, aim: Aim, toward: int, bins: int) -> RenyiPlan:
    kind = entry(test, "kind")
    if kind == "event":
        inside, share = flags(test, "inside"), real(test, "share")
        if inside.size != bins:
            raise InputError(f"an event of {inside.size} of {bins} bins", allowed="yes or no for each bin")
        return RenyiPlan(aim=aim, direction=toward, expected=0.0, test=None, inside=inside, share=share)
    if kind != "function":
        raise InputError(f"a test of kind {str(kind)[:40]!r}", allowed="event, function")
    bets = entry(test, "bets")
    function = Variational(
        order=aim.order,
        scores=reals(test, "scores"),
        bet_p=real(bets, "p"),
        bet_q=real(bets, "q"),
        bet_above=real(bets, "above"),
        bet_below=real(bets, "below"),
    )
    return RenyiPlan(aim=aim, direction=toward, expected=0.0, test=function, inside=np.zeros(bins, dtype=np.bool_))


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("renyi", RenyiAuditor())
