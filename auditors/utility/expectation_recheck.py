"""Means: the bound again from how many numbers came to each step, and the bet.

Any steps and any bet that were fixed before the draws are valid, so they are taken as the record has them.
"""

from __future__ import annotations

import math

from auditors.privacy.recorded_statistics import alpha_of, real, reals, same, whole, wholes
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again, ContradictionError
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee
from dpverify.stats.means import Bets, mean_lower


def one_mean(guarantee: Guarantee, evidence: Evidence) -> Again:
    """What the counts say of the mean."""
    measure, said, alpha = guarantee.measures()[0], evidence.statistics, alpha_of(evidence)
    if measure.kind != "mean":
        raise ContradictionError(f"counts of a statistic say nothing of {guarantee.text()}")
    if not 0 < alpha < 1:
        raise InputError(f"alpha = {alpha} in a record", allowed="a number in (0, 1)")
    values, counts, size = reals(said, "values"), wholes(said, "counts"), whole(said, "n")
    same("the number of steps", values.size, counts.size)
    same("the number of draws", int(counts.sum()), size)
    bets = Bets(values=values, bet=real(said, "bet"), side="above")
    bound = mean_lower(bets, counts, log_level=-math.log(alpha))
    return Again(measure=measure, bound=bound, excess=bound - measure.claimed, alpha=alpha, trials=size)


def register(registry: Registry) -> None:
    """One mean."""
    registry.rechecks.add("mean", one_mean)
