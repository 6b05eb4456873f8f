"""The epsilon at a delta that is lost under Gaussian noise: the smallest at which its profile is at most delta.

Events that are common show how far apart two laws are (mu), and not what their tails lose. At the same distance, and a
small delta, Gaussian tails lose more than those of Laplace noise. Side of the error: neither; it is an estimate and
bounds nothing.
"""

from __future__ import annotations

import math

from dpverify.definitions.gdp import GDP

FARTHEST = 700.0
STEPS = 50


def gaussian_loss(mu: float, *, delta: float) -> float:
    """The epsilon of N(0, 1) against N(mu, 1) at `delta`, in nats; 0 where delta covers all, inf beyond `FARTHEST`.

    Parameters
    ----------
    mu : float
        At least 0, may be inf.
    delta : float
        In (0, 1).
    """
    if not math.isfinite(mu):
        return math.inf
    law = GDP(mu=mu)
    if float(law.delta(0.0)) <= delta:
        return 0.0
    if float(law.delta(FARTHEST)) > delta:
        return math.inf
    low, high = 0.0, FARTHEST
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if float(law.delta(middle)) > delta else (low, middle)
    return high
