"""Whether a counted event detects a value of the headline: `auditors.privacy.detectable` by one region, not a search.

The value grows with the gap of the event's two probabilities, and it costs little to compute. So the gap at which the
event shows the asked value is found first, and one region says whether the audit would refute there.
"""

from __future__ import annotations

import numpy as np

from auditors.privacy.detectable import CAUTION, FARTHEST, apart
from auditors.privacy.event_bounds import Goal, tightness, value
from dpverify.core.subjects import Float
from dpverify.stats.joint import JointRegion
from dpverify.stats.power import would_refute

STEPS = 26
"""Halvings of the range of gaps: as precise as the search."""


def detects(goal: Goal, region: JointRegion, direction: int, *, at_most: float, power: float = 0.8) -> bool:
    """Whether `detectable(goal, region, direction, power=power)` is at most `at_most`, but for its precision.

    Parameters
    ----------
    goal, region, direction, power
        As for `auditors.privacy.detectable.detectable`.
    at_most : float
        In the headline's units.
    """
    counted = _counted(region)
    shown = at_most * min(1.0, shown_part(goal, region))
    if counted[0] <= counted[1] or shown <= 0.0:
        return False
    low, high = 0.0, FARTHEST
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        is_less = float(value(goal.headline, *apart(goal, counted, middle))) <= shown
        low, high = (middle, high) if is_less else (low, middle)
    p, q = map(float, apart(goal, counted, low))
    allowed = goal.allowed(direction)
    return would_refute(p, q, region.n1, allowed=allowed, alpha=region.alpha, power=power, share=region.share)


def shown_part(goal: Goal, region: JointRegion) -> float:
    """The part of the claimed value that the counts show, rates moved against the event; above 1 beyond the claim."""
    counted = _counted(region)
    moved = counted + CAUTION * np.sqrt(counted * (1.0 - counted) / region.n1) * [-1.0, 1.0]
    return float(tightness(goal.headline, value(goal.headline, *moved)))


def _counted(region: JointRegion) -> Float:
    return np.array([(region.k1 + 0.5) / (region.n1 + 1), (region.k2 + 0.5) / (region.n2 + 1)])
