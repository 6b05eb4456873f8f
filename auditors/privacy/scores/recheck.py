"""Computes the bound from scores of many trainings again, from the counts of the reported look.

The record says which look that was. It must be one of the planned looks, at its part of the error probability; then its
bound holds whichever was chosen.
"""

from __future__ import annotations

from auditors.privacy.recorded_statistics import (
    alpha_of,
    claimed_goal,
    direction,
    entry,
    found_again,
    real,
    region,
    same,
    whole,
)
from auditors.privacy.scores.looks import SHARES, SIDES, positions, rank_tests
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again, ContradictionError
from dpverify.core.subjects import Guarantee
from dpverify.stats.multiplicity import bonferroni_share


def one_look(guarantee: Guarantee, evidence: Evidence) -> Again:
    """The bound from the counts of the reported look."""
    said, alpha, goal = evidence.statistics, alpha_of(evidence), claimed_goal(guarantee)
    toward = direction(said, SIDES)
    same("the direction", said["direction"], entry(evidence.witness, "direction"))
    method, looks = entry(said, "method"), whole(said, "looks")
    own = real(said, "alpha_of_this_look")
    counted = region(said, alpha=own)
    sizes = [whole(entry(said, "sizes"), side) for side in SIDES]
    same("the number of scores", [counted.n1, counted.n2], sizes if toward == 0 else sizes[::-1])
    if method == "ranks":
        same("the number of looks", looks, rank_tests((sizes[0], sizes[1])))
        if counted.k2 + 1 not in positions(counted.n2):
            raise ContradictionError(f"no planned look leaves {counted.k2} of {counted.n2} scores beyond it")
    elif method in ("split", "threshold"):
        same("the number of looks", looks, 2)
    else:
        raise InputError(f"method {str(method)[:40]!r}", allowed="ranks, split, threshold")
    same("this look's part of the error", own, bonferroni_share(alpha, tests=looks))
    same("the region's share", counted.share, SHARES[goal.scale])
    return found_again(goal.finding(counted, toward), alpha=alpha, trials=min(counted.n1, counted.n2))
