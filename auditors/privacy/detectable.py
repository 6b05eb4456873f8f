"""The detectable violation of a counted event: the smallest true value of the headline that it refutes with 80 % power.

The event of a real mechanism is seldom the most telling one that the claim allows: the edge of a bin lies beside the
best threshold, a tail that is rare enough to show everything is too rare to be counted, and the claim's curve may touch
the mechanism's at a point that no event of it reaches. So of the claim's curve only the region that it refutes is used.
From the counted (p, q) the two probits (logits where the headline is an epsilon or a delta) are moved apart about their
middle, as less noise moves them, until the audit would refute; and the value that such an event shows is scaled up by
the part of the claim that it showed in the counts, less a standard error. (Without that, the part is too large every
second time, and the power then below what is stated.)

Assumptions: less noise parts the two sides of an event as it does for Gaussian noise (logistic, where logits are
moved), and the mechanism counted has all of what is claimed, so that what the event misses of it, it misses of larger
values too. Side of the error: neither is a bound; where the mechanism has less than the claim, the value is too large
(the audit is called weaker than it is). Often confused with the ceiling, which no mechanism attains.
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
"""Times the counted gap, at most."""

PRECISION = 1e-4
"""Relative, of the gap."""

CAUTION = math.sqrt(0.5)
"""Standard errors by which each counted rate is moved against the event, before the part that it shows is taken."""


def detectable(goal: Goal, region: JointRegion, direction: int, *, power: float = 0.8) -> float:
    """The smallest true value of the headline that such an event would have refuted the claim by.

    Parameters
    ----------
    goal : Goal
        The claim.
    region : JointRegion
        The counts, as many draws a side, with the level and the share that they are judged by.
    direction : int
        0 when the event is the likelier one under d0.
    power : float
        In (0, 1).

    Returns
    -------
    float
        In the headline's units, or inf: no value would do, because the event was no likelier under its own side, or
        because even a perfect event of so many draws refutes nothing.
    """
    n = region.n1
    counted = np.array([(region.k1 + 0.5) / (n + 1), (region.k2 + 0.5) / (region.n2 + 1)])
    if counted[0] <= counted[1]:
        return math.inf
    moved = counted + CAUTION * np.sqrt(counted * (1.0 - counted) / n) * [-1.0, 1.0]
    shown = min(1.0, float(tightness(goal.headline, value(goal.headline, *moved))))
    allowed = goal.allowed(direction)

    def refutes(gap: float) -> bool:
        p, q = _apart(goal, counted, gap)
        return would_refute(float(p), float(q), n, allowed=allowed, alpha=region.alpha, power=power, share=region.share)

    low, high = 0.0, 1.0
    while not refutes(high):
        low, high = high, 2.0 * high
        if high > FARTHEST:
            return math.inf
    while high - low > PRECISION * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if refutes(middle) else (middle, high)
    least = float(value(goal.headline, *_apart(goal, counted, high)))
    return least / shown if shown > 0.0 else math.inf


def _apart(goal: Goal, counted: Float, gap: float) -> Float:
    """The pair (p, q) with the same middle and so many times the gap."""
    to, back = (special.ndtri, special.ndtr) if goal.scale == "probit" else (special.logit, special.expit)
    places = to(counted)
    middle = places.mean()
    return np.asarray(back(middle + gap * (places - middle)), dtype=np.float64)
