"""The detectable violation of a counted event: the smallest true value of the headline that it refutes with 80 % power.

The event of a real mechanism is seldom the best one that the claim allows: a threshold lies beside the best one, a tail
that shows the whole loss is too rare to be counted, or the claim's curve touches the mechanism's curve where no event
lies. So the value is computed from the counted event. The two probits (logits where the headline is an epsilon or a
delta) of the counted (p, q) are moved apart about their middle, as with less noise, until the audit would refute. The
value of that event is scaled up, since the counted event showed only a part of the claimed value. That part is
estimated from the counts, less a standard error. (Without the standard error, the estimated part is too large in half
of the cases, and the power is then lower than stated.)

Assumptions: less noise changes the event's probabilities as for Gaussian noise (logistic noise for logits). The true
value of the counted mechanism equals the claimed one, and the event shows the same part of larger values. Side of the
error: this is an estimate, not a bound. Where the true value is below the claim, the result is too large (the audit is
reported as weaker than it is). The ceiling is different: no mechanism attains it.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from auditors.privacy.event_bounds import Goal, tightness, value
from dpverify.core.subjects import Float
from dpverify.stats.joint import JointRegion
from dpverify.stats.power import would_refute

FARTHEST = 2.0**12
"""Largest factor of the counted gap."""

PRECISION = 1e-4
"""Relative precision of the gap."""

CAUTION = math.sqrt(0.5)
"""Standard errors by which each counted rate is moved against the event, before its part is estimated."""


STEPS = 26
"""Halvings of the range of gaps: as precise as the search."""


def detectable(goal: Goal, region: JointRegion, direction: int, *, power: float = 0.8) -> float:
    """The smallest true value of the headline at which such an event would refute the claim.

    Parameters
    ----------
    goal : Goal
        The claim.
    region : JointRegion
        The counts (equal numbers of draws a side), with level and share of the region.
    direction : int
        0 when the event is more likely under d0.
    power : float
        In (0, 1).

    Returns
    -------
    float
        In the headline's units, or inf where no value suffices: the event was not more likely on its side, or even a
        perfect event refutes nothing with so few draws.
    """
    n = region.n1
    counted = np.array([(region.k1 + 0.5) / (n + 1), (region.k2 + 0.5) / (region.n2 + 1)])
    if counted[0] <= counted[1]:
        return math.inf
    moved = counted + CAUTION * np.sqrt(counted * (1.0 - counted) / n) * [-1.0, 1.0]
    shown = min(1.0, float(tightness(goal.headline, value(goal.headline, *moved))))
    allowed = goal.allowed(direction)

    def refutes(gap: float) -> bool:
        p, q = apart(goal, counted, gap)
        return would_refute(float(p), float(q), n, allowed=allowed, alpha=region.alpha, power=power, share=region.share)

    low, high = 0.0, 1.0
    while not refutes(high):
        low, high = high, 2.0 * high
        if high > FARTHEST:
            return math.inf
    while high - low > PRECISION * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if refutes(middle) else (middle, high)
    least = float(value(goal.headline, *apart(goal, counted, high)))
    return least / shown if shown > 0.0 else math.inf


def apart(goal: Goal, counted: Float, gap: float) -> Float:
    """The pair (p, q) with the same middle and `gap` times the gap."""
    to, back = (special.ndtri, special.ndtr) if goal.scale == "probit" else (special.logit, special.expit)
    places = to(counted)
    middle = places.mean()
    return np.asarray(back(middle + gap * (places - middle)), dtype=np.float64)


def detects(goal: Goal, region: JointRegion, direction: int, *, at_most: float, power: float = 0.8) -> bool:
    """Whether `detectable(goal, region, direction, power=power)` is at most `at_most`, but for its precision.

    `goal`, `region`, `direction`, `power`: as for `auditors.privacy.detectable.detectable`. `at_most`: in the
    headline's units.
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
