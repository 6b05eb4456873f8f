"""What two error rates, or an excess of one event, say of an attacker: lower limits, and Bayes for either side.

From rates (a, b) of one test, false positives at most a and true positives at least b, every other rate follows by
tossing a coin: below a an alarm is dropped at random, above a one is added. From an excess alone, P(S) >= exp(e) Q(S)
+ d for some event S, little follows: nothing is known of Q(S).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy import special

RATES = (0.01, 0.001, 1e-5)
"""False-positive rates of the attackers that are told."""
PRIOR = 0.1
"""Probability of membership before any output is seen."""
ROUNDING = 1e-12
"""Relative amount by which the few operations on a limit are rounded to its side."""

Power = Callable[[float], float]
"""The true-positive rate at a false-positive rate."""


def power_of_rates(fpr: float, tpr: float) -> Power:
    """The power that a test with at most this false-positive and at least this true-positive rate has elsewhere.

    Lower limits, for rates in (0, 1); chance at least, which is the rate itself.
    """

    def power(rate: float) -> float:
        found = rate * tpr / fpr if rate <= fpr else tpr + (1.0 - tpr) * (rate - fpr) / (1.0 - fpr)
        return max(rate, found * (1.0 - ROUNDING))

    return power


def power_of_excess(epsilon: float, delta: float) -> Power:
    """The power that some test has at least if P(S) >= exp(epsilon) Q(S) + delta for some event S.

    Q(S) is unknown, at most (1 - delta) exp(-epsilon): the worst of both ends is told, chance at least.
    """

    def power(rate: float) -> float:
        never = delta + (1.0 - delta) * rate
        most = (1.0 - delta) * math.exp(-epsilon)
        always = rate / most if rate <= most else 1.0
        return max(rate, min(never, always) * (1.0 - ROUNDING))

    return power


def posterior(power: float, rate: float, prior: float, *, up: bool) -> float:
    """The probability of membership after an alarm, by Bayes, rounded to its side; larger for more power."""
    found = prior * power / (prior * power + (1.0 - prior) * rate)
    return min(1.0, found * (1.0 + ROUNDING)) if up else found * (1.0 - ROUNDING)


def posterior_of_loss(loss: float, prior: float) -> float:
    """The probability of membership after an event exp(loss) times as likely with the record, or more; lower."""
    return prior / (prior + (1.0 - prior) * math.exp(-loss)) * (1.0 - ROUNDING)


def equivalent_mu(advantage: float, *, up: bool) -> float:
    """The mu of the Gaussian pair with this advantage, rounded to its side; +inf for an advantage of 1."""
    return math.sqrt(8.0) * float(special.erfinv(max(advantage, 0.0))) * (1.0 + ROUNDING if up else 1.0 - ROUNDING)
