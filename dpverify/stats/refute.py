"""Refutes a claim given as a curve: by how much the whole confidence region lies outside the allowed region.

Result: every privacy claim bounds, for each event, p by a non-decreasing function of q (1 minus its trade-off function;
min(1, e^epsilon q + delta) for an (epsilon, delta) claim). If p > allowed(q) everywhere in a region of coverage 1 -
alpha, the claim is refuted with an error probability of at most alpha (Dong, Roth and Su, arXiv 1905.02383, for the
curves).

Assumptions: those of the region; the curve is the claim's, known before the counts. Limits: one event, one direction. A
positive bound on epsilon is no refutation unless it exceeds the claimed value.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpverify.stats.joint import JointRegion
from dpverify.stats.region import Bound, RectangleRegion, Region
from dpverify.stats.rounding import FloatArray, down

Allowed = Callable[[FloatArray], FloatArray]
"""The largest p that a claim allows to an event of probability q under the neighbour; non-decreasing, vectorised."""


def excess_lower(region: Region, allowed: Allowed) -> float:
    """Lower confidence bound on p - allowed(q): by how much the event exceeds what the claim allows.

    Parameters
    ----------
    region : Region
        Confidence region of (p, q).
    allowed : callable
        The claim's curve: an array of q in [0, 1] to the largest p allowed, non-decreasing. It must not be rounded
        below the claim; the curve must cover its own numerical error.

    Returns
    -------
    float
        In [-1, 1], not clipped: above 0 the claim is refuted; a negative value shows the distance to a refutation. Side
        of the error: above the true excess with probability at most ``region.alpha``.

    Raises
    ------
    InputError
        When the curve gives nan or another shape than its argument's.
    """

    return region.minimum(_excess(allowed))


def refutes(region: JointRegion | RectangleRegion, allowed: Allowed) -> bool:
    """Whether ``excess_lower(region, allowed) > 0``, in a fraction of its time; errors as there."""
    return region.minimum(_excess(allowed), sign=True) > 0.0


def _excess(allowed: Allowed) -> Bound:
    return lambda p, q: down(p - np.asarray(allowed(q), dtype=np.float64), 1)
