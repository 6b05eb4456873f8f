"""The least noise that an accountant lets through: the smallest sigma whose epsilon at delta stays within a budget.

Assumption: more noise never costs more, which is a theorem of the truth and holds of every accountant here up to the
width of its bracket. What does not rest on it: only sigmas of `DIGITS` digits are asked, and at the one that is
reported the accountant's upper end was within the budget. Side: upper, a sigma that suffices; a sharper
accountant may need less. Not to be confused with rescaling: a subsampled step at twice the noise costs less than half.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal

from scipy.optimize import brentq

from dpverify.accounting.accountant_inputs import checked_delta, checked_epsilon
from dpverify.accounting.side_by_side import DEFAULT_DELTA, Accounts, admitted, ask
from dpverify.core.composition import Accountant, Bracket, Composition
from dpverify.core.errors import InputError, UnsupportedError

DIGITS = 6
"""Significant decimal digits of every tried sigma."""
TOLERANCE = 1e-4
"""Relative distance from the sigma found to one that the accountant was seen not to let through."""
LEAST, MOST = 1e-2, 1e9
"""Where sigma is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastSigma:
    """A sigma that suffices, and how close below it one is not shown to: another accountant may show it."""

    sigma: float
    """Asked, and within the budget."""
    short: float
    """The largest tried sigma whose upper end exceeds the budget; 0 when even `LEAST` is within."""
    cost: float
    """The upper end at `sigma`."""


def solve_sigma(
    build: Callable[[float], Composition],
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    advantage: float | None = None,
    text: str,
    accountants: Iterable[str] | None = None,
) -> Accounts:
    """Ask every registered accountant for the smallest sigma that it lets through.

    The budget is an epsilon at a delta, or the largest advantage of an attacker (true minus false positives).

    Parameters
    ----------
    build : callable
        The composition at a sigma > 0; more noise must cost no more.
    epsilon : float or None
        The budget, in nats, > 0.
    delta : float or None
        In [0, 1); None takes `DEFAULT_DELTA`.
    advantage : float or None
        In (0, 1), in the place of epsilon and delta.
    text : str
        The composition as people read it.
    accountants : iterable of str or None
        Names of those to ask; None uses all.

    Returns
    -------
    Accounts
        `asked` is sigma; upper ends suffice, there are no lower ends.

    Raises
    ------
    InputError
        Bad numbers, an unknown accountant.
    """
    if advantage is not None:
        if epsilon is not None or delta is not None:
            raise InputError("advantage with epsilon or delta", allowed="one budget")
        if not 0.0 < advantage < 1.0:
            raise InputError(f"advantage = {advantage:g}", allowed="a number in (0, 1)")
        target, name, given = advantage, "advantage", {"advantage": advantage}
    elif epsilon is None:
        raise InputError("no budget", allowed="epsilon, or advantage")
    else:
        target, at = checked_epsilon(epsilon), checked_delta(DEFAULT_DELTA if delta is None else delta)
        if target == 0:
            raise InputError("epsilon = 0", allowed="a number > 0", remedy="no finite noise hides everything")
        name, given = "epsilon", {"epsilon": target, "delta": at}

    def question(accountant: Accountant) -> Bracket:
        if accountant.side == "lower":
            raise UnsupportedError("it has no upper ends")

        def cost(sigma: float) -> float:
            composition = build(sigma)
            composed = admitted(accountant, composition).compose(composition)
            return composed.delta(0.0).upper if advantage is not None else composed.epsilon(given["delta"]).upper

        found = smallest(cost, target)
        short = f"{found.short:.{DIGITS}g} is not shown" if found.short else "less may do"
        return Bracket(upper=found.sigma, note=f"{name} {found.cost:.6g}; {short}")

    return ask(accountants, question, text=text, composition=build(1.0), asked="sigma", given=given)


def smallest(cost: Callable[[float], float], target: float) -> LeastSigma:
    """The smallest sigma in [`LEAST`, `MOST`] with cost(sigma) <= target, up to `TOLERANCE`.

    Raises
    ------
    UnsupportedError
        When even `MOST` costs more.
    """
    asked: dict[float, float] = {}

    def excess(at: float) -> float:
        sigma = _rounded_up(math.exp(at))
        if sigma not in asked:
            asked[sigma] = cost(sigma)
        found = asked[sigma]
        size = abs(math.log(found / target)) if found > 0 else math.inf
        return math.copysign(min(max(size, _NEAR), _FAR), 1 if found > target else -1)

    ends = _powers(excess)
    if ends is None:
        return LeastSigma(sigma=LEAST, short=0.0, cost=asked[LEAST])
    # It keeps a crossing between its ends, whatever the cost, and stops with both ends asked and closer than xtol.
    brentq(excess, *ends, xtol=TOLERANCE / 2)
    short = max(sigma for sigma, found in asked.items() if found > target)
    enough = min(sigma for sigma, found in asked.items() if found <= target)
    return LeastSigma(sigma=enough, short=short, cost=asked[enough])


_NEAR, _FAR = 1e-15, 50.0  # stand for 0, at which the root finder would stop, and for infinity, which it cannot take


def _powers(excess: Callable[[float], float]) -> tuple[float, float] | None:
    """Logarithms of neighbouring powers of 2 of which the first costs too much; None when `LEAST` does not."""
    here, found = 1.0, excess(0.0)
    step = 2.0 if found > 0 else 0.5
    while LEAST < here < MOST:
        beyond = min(max(here * step, LEAST), MOST)
        there = excess(math.log(beyond))
        if (there > 0) != (found > 0):
            ends = sorted((math.log(here), math.log(beyond)))
            return ends[0], ends[1]
        here, found = beyond, there
    if found > 0:
        raise UnsupportedError(f"no sigma up to {MOST:g} suffices")
    return None


def _rounded_up(sigma: float) -> float:
    """Round up to `DIGITS` decimal digits; values equal to 1 up to rounding are unchanged."""
    context = Context(prec=DIGITS, rounding=ROUND_CEILING)
    return float(context.create_decimal(Decimal(sigma) * (1 - Decimal(10) ** -14)))
