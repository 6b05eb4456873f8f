"""Computes a refutation by fresh runs again: from the counts, or from the probabilities of the recorded laws."""

from __future__ import annotations

import numpy as np

from auditors.privacy.recorded_statistics import claimed_goal, direction, entry, found_again, real, whole, within
from auditors.privacy.replay.counts import MOST, allowed_rates
from auditors.privacy.replay.laws import ProvedPoint
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again, LackingError
from dpverify.core.subjects import Guarantee
from dpverify.stats.joint import JointRegion


def recheck_runs(guarantee: Guarantee, evidence: Evidence, *, level: float) -> Again:
    """The bound from n fresh runs a side; `level` is the error probability of the whole replay.

    Either an event came k1 and k2 times, or all runs showed the same noise-free values, and the recorded laws give the
    event the probabilities p and q. That these are the probabilities by those laws is not checked.

    Raises
    ------
    LackingError
        For evidence that rests on no fresh runs.
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
