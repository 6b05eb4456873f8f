"""Computes the wealth against each claim of the chain again, from each block's counts and those at refutations.

Stakes follow from a slot's earlier counts (`bets`), and the wealth inside a block from the counts so far, in any order.
So only counts are taken from the record. It does not matter at which moments inside a block they are recorded, since
the wealth is valid at any time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event.scores import Coordinate, Event
from auditors.privacy.sampled_evidence import (
    alpha_of,
    claimed_goal,
    direction,
    entry,
    items,
    real,
    reals,
    same,
    whole,
    wholes,
    within,
)
from auditors.privacy.sequential.bets import Slot, bets
from auditors.privacy.sequential.claim_chain import Target, targets
from dpverify.core.errors import InputError
from dpverify.core.evidence import Again, ContradictionError, Evidence, LackingError
from dpverify.core.subjects import Float, Guarantee, PrivacyGuarantee
from dpverify.stats.e_mixture import ROUNDING_PER_PAIR, STOP_WEALTH, Settlement
from dpverify.stats.intervals import check_level

ROUNDING = 1e-9
"""Relative difference that recomputed lines and weights may have."""

_ANY = Event(score=Coordinate(), threshold=0.0, above=True)  # stakes do not depend on the event itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Wealths:
    """Wealth of each claim of the chain, shape (g,): at the end, and the highest at any recorded moment."""

    last: Float
    highest: Float
    pairs: int


def whole_chain(guarantee: Guarantee, evidence: Evidence) -> Again:
    """The result for the chain of claims from the blocks' counts."""
    said, alpha = evidence.statistics, alpha_of(evidence)
    check_level(alpha)
    target = target_of_chain(claimed_goal(guarantee).guarantee, entry(said, "chain"))
    blocks = entry(said, "blocks")
    found = _wealths(target, blocks if isinstance(blocks, list | tuple) else items(said, "blocks"), said)
    same("the number of pairs that were bet on", found.pairs, whole(said, "pairs_bet"))
    own = float(found.last[target.place])
    slack = ROUNDING_PER_PAIR * (found.pairs + 100) + ROUNDING
    if not np.isclose(real(said, "e_value_here"), own, rtol=slack, atol=ROUNDING):  # the last of a lost bet is rounding
        raise ContradictionError(
            f"the e-value against the claim is printed as {said['e_value_here']:.6g}, and is {own:.6g}"
        )
    if whole(said, "nights") != 1:  # sessions: the word of the record format
        raise LackingError(
            "the record has this session's counts only, not the earlier ones' (their journal has e-values)"
        )
    reached = found.highest * (1.0 + ROUNDING) >= 1.0 / alpha
    run = int(reached.size if reached.all() else np.argmin(reached))
    bound = float(target.values[run - 1]) if run else 0.0
    return Again(
        measure=target.measure,
        bound=bound,
        excess=bound - target.measure.claimed,
        alpha=alpha,
        trials=whole(said, "pairs"),
        numbers={"e_value": own},
        slack=slack,
    )


def target_of_chain(guarantee: PrivacyGuarantee, chain: Any) -> Target:
    """The target that the record names, if the claim has it; the chain's values must agree with it."""
    words = {name: chain.get(name) if isinstance(chain, dict) else None for name in ("kind", "argument", "direction")}
    most = real(chain, "most")
    for known in targets(guarantee, most=most):
        own = known.words()
        claimed = real(chain, "claimed")  # computed on another machine, perhaps, with other last digits
        if all(own[name] == words[name] for name in words) and math.isclose(own["claimed"], claimed, rel_tol=ROUNDING):
            found = Target(measure=known.measure, direction=known.direction, most=most)
            values = reals(chain, "values")
            if values.shape != found.values.shape or not np.allclose(values, found.values, rtol=ROUNDING, atol=0.0):
                raise ContradictionError("the chain's values are not those that follow from where it ends")
            return found
    raise ContradictionError(f"the claim says nothing of {words['kind']} there")


def _wealths(target: Target, blocks: Sequence[Any], said: Any) -> Wealths:
    fractions = reals(said, "fractions")
    last = np.zeros(target.values.size)
    highest, pairs = last.copy(), 0
    for stake, mine in instalments_of(said, blocks):
        last = last + stake
        highest = np.maximum(highest, last)
        for block in mine:
            slots, counts = slots_of(target, block)
            settled = bets(slots, target)
            _check_stakes(target, settled, block, fractions)
            for moment in [*moments_of(block, counts), counts]:
                with np.errstate(over="ignore"):
                    wealth = np.where(last > STOP_WEALTH, last, last * settled.wealth(moment))
                lowered = 1.0 - ROUNDING_PER_PAIR * (pairs + int(moment[0].sum()) + 100)
                highest = np.maximum(highest, wealth * lowered)
            last, pairs = wealth, pairs + int(counts[0].sum())
    return Wealths(last=last, highest=highest, pairs=pairs)


def instalments_of(said: Any, blocks: Sequence[Any]) -> list[tuple[float, Sequence[Any]]]:
    """Stakes and their blocks: a single one, or the consecutive instalments of a steered audit.

    The stakes of all instalments sum to at most 1.
    """
    if said.get("instalments") is None:
        return [(1.0, blocks)]
    runs: list[list[tuple[float, int]]] = []
    for each in items(said, "instalments"):
        one = real(each, "stake"), whole(each, "blocks")
        if one[0] < 0.0:
            raise ContradictionError(f"a stake of {one[0]:g}")
        runs = [*runs[:-1], [*runs[-1], one]] if runs and each.get("goes_on") is True else [*runs, [one]]
    same("the number of pairs", sum(whole(each, "pairs") for each in said["instalments"]), whole(said, "pairs"))
    within("the instalments", sum(stake for run in runs for stake, _ in run), 1.0)
    bet = [run for run in runs if any(number for _, number in run)] or runs[:1]
    same("the number of blocks", [sum(number for _, number in run) for run in bet], [len(blocks)])
    found, start = [], 0
    for stake, number in bet[0]:
        found.append((stake, blocks[start : start + number]))
        start += number
    return found


def moments_of(block: Any, counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Counts inside a block, shape (slots, 4) each; every slot has the same pairs, at most those of the block."""
    found = []
    for rows in entry(block, "moments"):
        at = np.stack([wholes({"counts": row}, "counts") for row in items({"moment": rows}, "moment")])
        if at.shape != counts.shape or np.any(at > counts) or np.unique(at.sum(axis=1)).size > 1:
            raise ContradictionError("counts inside a block that are no part of it")
        found.append(at)
    return found


def slots_of(target: Target, block: Any) -> tuple[list[Slot], NDArray[np.int64]]:
    """The slots of a block with their earlier counts, and their counts in the block, shape (slots, 4)."""
    slots, rows, pairs = [], [], whole(block, "pairs")
    for each in items(block, "slots"):
        past, counts, side = wholes(each, "past"), wholes(each, "counts"), direction(each)
        if past.shape != (3,) or counts.shape != (4,):
            raise InputError("a slot of a block", allowed="three counts before it, and four in it")
        same("the pairs of a block", int(counts.sum()), pairs)
        k1, k2, size = past.tolist()
        if not (max(k1, k2) <= size and size >= 1) or target.direction not in (None, side):
            raise ContradictionError(f"a bet on an event counted {k1} and {k2} times among {size}")
        slots.append(Slot(source=0, event=_ANY, direction=side, k1=k1, k2=k2, size=size))
        rows.append(counts)
    return slots, np.stack(rows)


def _check_stakes(target: Target, settled: Settlement, block: Any, fractions: Float) -> None:
    at = target.place
    if fractions.shape != settled.fractions.shape or not np.array_equal(fractions, settled.fractions):
        raise ContradictionError("the stakes are not those that are bet")
    for k, each in enumerate(items(block, "slots")):
        printed = np.array([real(each, "slope"), real(each, "delta"), *reals(each, "weights")])
        again = np.array([settled.slopes[at, k], settled.deltas[at, k], *settled.weights[at, k]])
        if printed.shape != again.shape or not np.allclose(printed, again, rtol=ROUNDING, atol=1e-15):
            raise ContradictionError("the line or the weights of a bet do not follow from what was counted before it")
