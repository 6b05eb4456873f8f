"""Computations behind the remark on line 4 of ADPSGD's Algorithm 1 (AP-ADAGRAD), and where both claims are examined.

Theorem 4.1 (AP-THM41) is examined in the law of its first step
(:mod:`reference_impls.papers.adpsgd.lemmas.first_step`), in all T steps
(:mod:`reference_impls.papers.adpsgd.lemmas.whole_run`, whose text says why it fails) and in section 6's batches
(:mod:`reference_impls.papers.adpsgd.lemmas.batch_run`); line 4 in the law of one step, and in the algorithm itself,
sampled (:mod:`reference_impls.optimizers.ada_grad`).
"""

from __future__ import annotations

import math

import numpy as np

from dpverify.core.ledger_words import Shown
from reference_impls.papers.adpsgd.lemmas.first_step import AdpSgdStep


def shown_spread(dimension: int, beta: float) -> Shown:
    """How the variance of the release depends on the record, and how well a release shows it."""
    still, moved = AdpSgdStep(follows="gradient", beta=beta)._steps(np.array([0.0, 1.0])).tolist()
    seen = math.sqrt(2.0 / max(dimension - 1, 1))
    numbers = (
        ("variance with a gradient of length 0, over that with length 1", (still / moved) ** 2),
        ("relative standard deviation of what is seen of it", seen),
    )
    return Shown(numbers=numbers, holds=numbers[0][1] - 1.0 > seen)
