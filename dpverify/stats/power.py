"""What a number of trials can show at most, and with a stated power; reported beside every audit without a refutation.

Results: the bounds of `dpverify.stats.epsilon` and `joint`, evaluated at the extreme counts (the event in every trial
under P, in none under Q) and at quantiles of the counts. If K1 >= k1 and K2 <= k2 have probability sqrt(power) each,
both hold with probability `power` (independence). The bounds increase with K1 and decrease with K2, so if the region at
(k1, k2) refutes, the power is at least `power`.

Assumptions: one event fixed in advance, independent counts. Limits: sufficient, not exact: the true smallest detectable
violation is a little smaller. This is no proof that smaller violations are absent.

The rarest leak: the detectable value of a bound assumes that the whole violation shows at the counted event. A
mechanism that reveals everything once in many thousand runs has infinite epsilon, but shows nothing at common events;
for such leaks the smallest detected probability is the relevant number. It assumes an event known beforehand, so it is
optimistic: an audit that has to find the event detects no rarer ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float, PrivacyGuarantee
from dpverify.stats.epsilon import check_delta, check_epsilon
from dpverify.stats.intervals import binomial_quantile, check_counts, check_level, clopper_pearson_upper
from dpverify.stats.joint import Allowed, refutes, region_from_counts
from dpverify.stats.region import Method
from dpverify.stats.rounding import FloatArray, up

POWER = 0.8


def detectable_probability(
    q: float,
    n1: int,
    n2: int,
    *,
    allowed: Allowed,
    alpha: float,
    power: float = 0.8,
    method: Method = "joint",
    share: float = 0.5,
) -> float:
    """The smallest p at which an event of probability q would refute the claim with the stated power.

    Parameters
    ----------
    q : float
        Probability of the event under Q, in [0, 1].
    n1, n2 : int
        Draws under P and under Q.
    allowed : callable
        The claim's curve: array of q to the largest p allowed, non-decreasing.
    alpha : float
        Error probability of the audit.
    power : float
        In (0, 1).
    method, share
        The region; see `dpverify.stats.joint`.

    Returns
    -------
    float
        In (0, 1], or inf when no event of this q is detectable. Side of the error: at this p the audit refutes with
        probability at least `power`, so it is never below the smallest detectable p.

    Raises
    ------
    InputError
        For values outside these ranges.
    """
    check_counts(0, n1)
    check_counts(0, n2)
    check_level(alpha)
    if not 0.0 <= q <= 1.0 or not 0.0 < power < 1.0:
        raise InputError(f"q = {q!r}, power = {power!r}", allowed="q in [0, 1], power in (0, 1)", remedy="")
    each = math.sqrt(power)

    def likely(k: int) -> bool:  # P(K2 <= k) >= sqrt(power)
        return k == n2 or float(special.betaincc(k + 1.0, float(n2 - k), q)) >= each

    k2 = _least(likely, 0, n2)

    def enough(k1: int) -> bool:
        return refutes(region_from_counts(k1, n1, k2, n2, alpha=alpha, method=method, share=share), allowed)

    if not enough(n1):
        return math.inf
    k1 = _least(enough, 0, n1)
    if k1 == 0:  # the claim forbids every p
        return 0.0
    # the p with P_p(K1 <= k1 - 1) = 1 - each, which is an upper limit
    return float(clopper_pearson_upper(k1 - 1, n1, alpha=1.0 - each))


def would_refute(
    p: float,
    q: float,
    trials: int,
    *,
    allowed: Allowed,
    alpha: float,
    power: float = 0.8,
    method: Method = "joint",
    share: float = 0.5,
) -> bool:
    """Whether an event of probabilities (p, q) refutes the claim with the stated power, by one region without a search.

    Parameters
    ----------
    p, q : float
        Probabilities of the event under P and under Q, in [0, 1].
    trials : int
        Draws under each of P and Q.
    allowed, alpha, power, method, share
        As for `detectable_probability`.

    Returns
    -------
    bool
        True only when the power is at least `power`. Side of the error: it may be False where the power suffices.

    Raises
    ------
    InputError
        For values outside these ranges.
    """
    check_counts(0, trials)
    check_level(alpha)
    if not (0.0 <= p <= 1.0 and 0.0 <= q <= 1.0 and 0.0 < power < 1.0):
        raise InputError(f"p = {p!r}, q = {q!r}, power = {power!r}", allowed="p, q in [0, 1], power in (0, 1)")
    each = math.sqrt(power)
    k1 = int(binomial_quantile(1.0 - each, trials, p))  # K1 >= k1 with probability at least `each`
    k2 = int(binomial_quantile(each, trials, q))
    return refutes(region_from_counts(k1, trials, k2, trials, alpha=alpha, method=method, share=share), allowed)


def detectable_epsilon(
    q: float,
    n1: int,
    n2: int,
    *,
    epsilon_claim: float,
    alpha: float,
    delta: float = 0.0,
    power: float = 0.8,
    method: Method = "joint",
    share: float = 0.5,
) -> float:
    """The smallest true epsilon that would be detected against an (epsilon_claim, delta) claim with the stated power.

    The event has probability q under Q and p = e^epsilon q + delta under P.

    Parameters
    ----------
    q : float
        In (0, 1].
    n1, n2 : int
        Draws under P and under Q.
    epsilon_claim : float
        The claim, in nats.
    delta : float
        The delta of the claim and of the true pair, in [0, 1).
    alpha, power, method, share
        As for `detectable_probability`.

    Returns
    -------
    float
        In nats, above epsilon_claim; inf when no epsilon is detectable with this event. Never below the smallest
        detectable one.

    Raises
    ------
    InputError
        For values outside these ranges.
    """
    check_delta(delta)
    check_epsilon(epsilon_claim)
    if not q > 0.0:
        raise InputError(f"q = {q!r}", allowed="(0, 1]", remedy="with q = 0 ask for detectable_probability")
    slope = math.exp(min(epsilon_claim, 700.0))

    def allowed(of_q: FloatArray) -> FloatArray:
        return np.minimum(1.0, slope * of_q + delta)

    p = detectable_probability(q, n1, n2, allowed=allowed, alpha=alpha, power=power, method=method, share=share)
    return float(up(math.log((p - delta) / q), 2)) if math.isfinite(p) else math.inf


def _least(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Least integer of [low, high] at which a monotone condition holds; it holds at `high`."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return high


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
