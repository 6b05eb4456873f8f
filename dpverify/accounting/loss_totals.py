"""Properties of a sum of independent privacy losses without a grid: its largest value, its mass at +inf.

Basis: the essential supremum of a sum of independent losses is the sum of theirs, and the sum is finite
where all of them are. Limits: errors are those of floating point, carried by hand. Not to be confused with
:mod:`~dpverify.accounting.loss_sum`, which has the law of the sum.
"""

from __future__ import annotations

import math

import numpy as np

from dpverify.accounting.privacy_loss import UNIT, LossLaw

Losses = tuple[tuple[LossLaw, int], ...]
"""(loss, count) of every independent loss that is not always 0."""
Ends = tuple[float, float]
"""A number, from below and from above."""


def spacing(losses: Losses) -> float:
    """The range of the atoms of the most frequent loss with atoms, so that the grid contains them; else 1."""
    spreads = []
    for law, count in losses:
        found = law.atoms().loss
        finite = found[np.isfinite(found)]
        if finite.size > 1 and finite.max() - finite.min() > 1e-9:
            spreads.append((count, float(finite.max() - finite.min())))
    return max(spreads)[1] if spreads else 1.0


def largest(losses: Losses) -> Ends:
    """Bounds on the essential supremum of the sum; on 0 where that is negative."""
    high = math.fsum(count * law.bounds()[1] for law, count in losses)
    if math.isinf(high):
        return high, high
    error = math.fsum(count * (2 * law.atoms().loss_error + 8 * UNIT * abs(law.bounds()[1])) for law, count in losses)
    return max(high - error, 0.0), max(high + error / 2, 0.0)


def certain(losses: Losses) -> bool:
    """Tell whether some loss is always +inf."""
    return any(bool(np.all(law.atoms().loss == np.inf)) and law.masses(np.zeros(1)) is None for law, _ in losses)


def infinite_mass(losses: Losses) -> float:
    """P(the sum is +inf), up to rounding."""
    logs = []
    for law, count in losses:
        atoms = law.atoms()
        mass = float(np.sum(atoms.p[atoms.loss == np.inf]))
        logs.append(count * (math.log1p(-mass) if mass < 1 else -math.inf))
    return -math.expm1(math.fsum(logs)) if logs else 0.0
