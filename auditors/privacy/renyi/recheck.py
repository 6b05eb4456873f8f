"""Computes a bound on a Rényi divergence again from the bins' counts, the order and the test.

Any test function and bets that were fixed before the draws are valid, so those of the record are used.
"""

from __future__ import annotations

import numpy as np

from auditors.privacy.recorded_statistics import (
    alpha_of,
    claimed_goal,
    direction,
    entry,
    flags,
    real,
    reals,
    same,
    whole,
    wholes,
)
from auditors.privacy.renyi.allowed_divergences import Aim, aims
from auditors.privacy.renyi.plan import RenyiPlan
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again, ContradictionError
from dpverify.core.subjects import Guarantee
from dpverify.stats.variational import Variational


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
