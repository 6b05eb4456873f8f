"""What every accountant checks: its delta or epsilon, and that the composition is one that it applies to."""

from __future__ import annotations

import math

from dpverify.accounting.exact_sums import LEAST
from dpverify.core.composition import Accountant, Composition
from dpverify.core.errors import InputError
from dpverify.core.rules import NON_NEGATIVE, Between

_DELTA = Between(0, 1, open="high", remedy="at delta = 1 everything is private")


def checked_delta(delta: float) -> float:
    """`delta` as a float; InputError outside [0, 1)."""
    return _DELTA.number("delta", delta)


def checked_epsilon(epsilon: float) -> float:
    """`epsilon` as a float; InputError unless finite and >= 0."""
    return NON_NEGATIVE.number("epsilon", epsilon)


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
