"""The rarest detectable leak: the smallest probability at which an event that occurs on one side only is detected.

The detectable value of a bound assumes that the whole violation shows at the counted event. A mechanism that reveals
everything once in many thousand runs has infinite epsilon, but shows nothing at common events; for such leaks this
number is the relevant one. It assumes an event known beforehand, so it is optimistic: an audit that has to find the
event detects no rarer ones.
"""

from __future__ import annotations

import math

import numpy as np

from dpverify.core.subjects import Float, PrivacyGuarantee
from dpverify.stats.power import detectable_probability
from dpverify.stats.rounding import up

POWER = 0.8


def rarest_leak(guarantee: PrivacyGuarantee, trials: int, *, alpha: float) -> float | None:
    """Smallest probability at which an event that is impossible on the other side would refute the claim.

    Parameters
    ----------
    guarantee : PrivacyGuarantee
        The claim.
    trials : int
        Draws a side.
    alpha : float
        Error probability of the audit.

    Returns
    -------
    float or None
        In (0, 1], at 80 % power, in the direction in which the claim allows more; None where no probability suffices.
    """
    found = 0.0
    for reverse in (False, True):

        def allowed(q: Float, reverse: bool = reverse) -> Float:
            beta = np.asarray(guarantee.tradeoff(q, reverse=reverse), dtype=np.float64)
            return np.minimum(np.asarray(up(1.0 - beta, 2)), 1.0)

        least = detectable_probability(0.0, trials, trials, allowed=allowed, alpha=alpha, power=POWER)
        found = max(found, least)
    return found if math.isfinite(found) else None
