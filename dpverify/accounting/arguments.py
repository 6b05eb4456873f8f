"""What every accountant checks: its delta or epsilon, and that the composition is one that it applies to."""

from __future__ import annotations

import math

from dpverify.accounting.upward import LEAST
from dpverify.core.composition import Accountant, Composition
from dpverify.core.errors import InputError
from dpverify.definitions.parameters import NON_NEGATIVE, non_negative, number


def checked_delta(delta: float) -> float:
    """`delta` as a float; InputError outside [0, 1)."""
    return number(
        "delta",
        delta,
        fits=lambda value: 0 <= value < 1,
        allowed="0 <= delta < 1",
        remedy="at delta = 1 everything is private",
    )


def checked_epsilon(epsilon: float) -> float:
    """`epsilon` as a float; InputError unless finite and >= 0."""
    return number("epsilon", epsilon, fits=non_negative, allowed=NON_NEGATIVE)


def admit(accountant: Accountant, composition: Composition) -> None:
    """InputError with the accountant's own reason when it does not apply."""
    reason = accountant.refuses(composition)
    if reason is not None:
        raise InputError(
            f"accountant {accountant.name}: {reason}",
            allowed="a composition that it applies to",
            remedy="`dpverify account` shows those that do",
        )


def probability(log_delta: float) -> float:
    """e^log_delta in (0, 1]: 1 for anything above, the least positive double where it underflows (never 0)."""
    return max(math.exp(min(log_delta, 0.0)), LEAST)
