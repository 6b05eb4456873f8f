"""The rarest leak that so many draws can see: an event that comes on one side only, and how often it must come.

What a bound says it would have caught assumes that the violation shows whole at the event that was counted. A mechanism
that gives all away once in many thousand runs has an epsilon of infinity and shows nothing of it at common events; for
such leaks this is the number to read. It assumes that the event is known beforehand, so it errs on the kind side: an
audit that has to find the event sees no rarer ones than these.
"""

from __future__ import annotations

import math

import numpy as np

from dpverify.core.subjects import Float, PrivacyGuarantee
from dpverify.stats.power import detectable_probability
from dpverify.stats.rounding import up

POWER = 0.8


def rarest_leak(guarantee: PrivacyGuarantee, trials: int, *, alpha: float) -> float | None:
    """The least probability of an event, impossible on the other side, by which the claim would be refuted.

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
        In (0, 1], at 80 % power, in whichever direction the claim allows more; None where nothing would do.
    """
    found = 0.0
    for reverse in (False, True):

        def allowed(q: Float, reverse: bool = reverse) -> Float:
            beta = np.asarray(guarantee.tradeoff(q, reverse=reverse), dtype=np.float64)
            return np.minimum(np.asarray(up(1.0 - beta, 2)), 1.0)

        least = detectable_probability(0.0, trials, trials, allowed=allowed, alpha=alpha, power=POWER)
        found = max(found, least)
    return found if math.isfinite(found) else None
