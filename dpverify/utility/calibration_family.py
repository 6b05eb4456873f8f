"""What calibration knows of one class of algorithms: its knob, its price, and what its paper would have said.

One file for each idea of pricing (`reference_impls/calibration/`), registered by the name of the class; subclasses
inherit it. A user's own class of algorithms may have an attribute ``family`` instead.

Sides: `priced` is a bound on what the algorithm really does, seen whole (all that its transcript releases); `attained`
is below it; `printed` is a paper's formula as it stands, and neither.

The value of a knob at which a cost just stays within a budget: a secant in logarithms, kept between two ends.

Assumption: the cost is monotone in the knob, which is a theorem of the truth and holds of bounds up to their slack.
What does not rest on it: the value that is returned was asked, and its cost was within the budget. Costs are dear (a
privacy loss distribution each), so the search stops at a cost within `ENOUGH` of the budget, not at a precise value.

Not to be confused with :mod:`dpverify.accounting.least_sigma`, which finds a sigma to many digits and takes longer.

Where the noise of many sampled steps is looked for first: T steps whose losses have second moments chi_t^2 come near
the pair N(0, 1), N(mu, 1) with mu^2 = sum chi_t^2 (Bu, Dong, Long, Su 2020). That bounds nothing, and is not used as a
bound: a good first guess saves costs that are dear.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from scipy.optimize import brentq

from dpverify.core.composition import Composed, Composition
from dpverify.core.errors import UnsupportedError
from dpverify.core.relation_names import PRICED
from dpverify.definitions.gdp import GDP

Accounted = Literal["now", "then"]
"""By a sound accountant, or as a paper accounted."""
Cost = Composition | Composed
"""Steps for the accountants, or a closed form."""


ENOUGH = 0.995
"""A cost of at least this part of the budget ends the search."""
AIMED = 0.7
"""How far above `enough` steps aim, as a part of what is left to the budget."""
FIRST_SLOPE = 2.0
"""Of the logarithms of cost and knob, until two costs are known: 1 for a Gaussian, more for samples."""
LEAST, MOST = 1e-12, 1e12
"""Where the knob is looked for."""
STEPS = 60
"""Costs that are asked for at most; doubling alone reaches the ends in half of them."""
_WIDEST = math.log(16.0)  # of a step outside the ends
_CLOSE = 1e-6  # relative distance of two ends between which a cost jumps


_ENDS = (-12.0, 25.0)  # log of the noise, and of mu
_LARGEST = 500.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The budget, and for whom."""

    epsilon: float
    delta: float
    """`epsilon`, `delta`: the budget; where only a price is asked for, `epsilon` is the algorithm's own or 1."""
    relation: str
    """``add-remove``, ``replace``, or ``labels`` for rankings."""
    rows: int
    """Number of records (sessions of a ranking), public."""


class Family(ABC):
    """One way to set noise and to price it."""

    knob: ClassVar[str] = "noise_multiplier"
    """The field that is set."""
    budget: ClassVar[bool] = False
    """False where more of the knob is more noise, True where it is a budget, of which more is less noise."""
    relations: ClassVar[tuple[str, ...]] = PRICED
    """Under which of them a bound is known here."""
    then: ClassVar[str] = ""
    """The paper's own accounting, in words."""
    never: ClassVar[str] = "no bound is known"
    """Why there are no relations, where there are none."""

    def start(self, algorithm: Any, asked: Asked) -> float:
        """The search begins here: at the asked epsilon for a budget, at the algorithm's own noise where it has some."""
        own = asked.epsilon if self.budget else getattr(algorithm, self.knob)
        return float(own) if own else 1.0

    def refuses(self, algorithm: Any, asked: Asked) -> str | None:
        """Return None where a bound is known, else why not and what has one, in one line."""
        return None

    def public(self, algorithm: Any, asked: Asked) -> Any:
        """The algorithm with the public number of records in its fields: the same run on a table of so many."""
        return algorithm

    def settled(self, algorithm: Any, asked: Asked) -> Any:
        """`public`, with the fields for epsilon, delta and relation as asked; the knob is turned from here."""
        return self.public(algorithm, asked)

    def with_knob(self, algorithm: Any, value: float) -> Any:
        """The algorithm with another noise, and nothing else that a user chose."""
        return replace(algorithm, **{self.knob: value})

    @abstractmethod
    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """Upper bounds on the cost of one training under the relation; each holds, and the least counts."""

    def attained(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """Return what some neighbours attain: lower ends hold where they have one."""
        return ()

    @abstractmethod
    def printed(self, algorithm: Any, asked: Asked) -> Cost:
        """The cost by the paper's own account; no bound."""

    def by_print(self) -> Family:
        """Whose knob and `printed` the paper's own account takes, where its algorithm is not set as the sound one."""
        return self

    def accountant(self, found: str, algorithm: Any, asked: Asked) -> str:
        """Name the accountant that certified, and what its bound rests on where that is not plain."""
        return found


@dataclass(frozen=True, slots=True)
class NoPrivacy:
    """A class of algorithms that has nothing to calibrate, and why, in one line."""

    reason: str


def found_knob(
    cost: Callable[[float], float],
    budget: float,
    *,
    start: float,
    rising: bool,
    enough: float = ENOUGH,
    slope: float = FIRST_SLOPE,
    patience: int = STEPS,
) -> tuple[float, float]:
    """(value, cost) with cost(value) <= budget, and at least `enough` times it unless the cost jumps there.

    Parameters
    ----------
    cost : callable
        A number >= 0 or +inf at a value > 0.
    start : float
        The first value that is tried.
    rising : bool
        Whether a larger value costs more.
    enough : float
        In (0, 1).
    slope : float
        Of the logarithms of cost and knob, taken until two costs are known; > 0.
    patience : int
        After so many costs any value within the budget is good enough.

    Raises
    ------
    UnsupportedError
        When no value in [`LEAST`, `MOST`] is within the budget.
    """
    sign = 1.0 if rising else -1.0
    within: tuple[float, float] | None = None  # (sign times log of the value, log of its cost over the budget)
    beyond: tuple[float, float] | None = None
    previous: tuple[float, float] | None = None
    at = sign * math.log(min(max(start, LEAST), MOST))
    low, high = sorted((sign * math.log(LEAST), sign * math.log(MOST)))
    goal = math.log(enough + AIMED * (1.0 - enough))
    for asked in range(STEPS):
        if asked >= patience and within is not None:
            break
        found = cost(math.exp(sign * at))
        size = math.log(found / budget) if 0 < found < math.inf else (math.inf if found > 0 else -math.inf)
        if size <= 0 and size >= math.log(enough):
            return math.exp(sign * at), found
        here = (at, size)
        if size <= 0:
            within = here if within is None or at > within[0] else within
        else:
            beyond = here if beyond is None or at < beyond[0] else beyond
        if within is not None and beyond is not None and beyond[0] - within[0] < _CLOSE:
            break
        if within is None and at <= low:
            raise UnsupportedError(f"no value up to {math.exp(sign * at):g} is within the budget")
        if beyond is None and at >= high:
            break
        if previous is not None and math.isfinite(previous[1]) and math.isfinite(size) and at != previous[0]:
            slope = min(max((size - previous[1]) / (at - previous[0]), 0.2), 50.0)
        previous = here
        step = (goal - size) / slope if math.isfinite(size) else math.copysign(_WIDEST, -size)
        at = min(max(at + min(max(step, -_WIDEST), _WIDEST), low), high)
        if within is not None and beyond is not None and not within[0] < at < beyond[0]:
            at = (within[0] + beyond[0]) / 2
    if within is None:
        raise UnsupportedError("no value was found within the budget")
    value = math.exp(sign * within[0])
    return value, cost(value)


def moved_chi_square(noise: float) -> float:
    """Return the chi-square of N(1, noise^2) against N(0, noise^2)."""
    return math.expm1(min(1.0 / (noise * noise), _LARGEST))


def both_sides_chi_square(noise: float) -> float:
    """Return the chi-square of the difference of N(1, noise^2) and N(-1, noise^2) against N(0, noise^2)."""
    square = min(1.0 / (noise * noise), _LARGEST)
    return 2.0 * (math.exp(square) - math.exp(-square))


def limit_start(mu_square: Callable[[float], float], *, epsilon: float, delta: float) -> float:
    """The noise at which `mu_square` of it is that of the Gaussian pair with (epsilon, delta)."""
    wanted = _gaussian_mu(epsilon, delta) ** 2
    low, high = _ENDS

    def excess(at: float) -> float:
        return math.log(max(mu_square(math.exp(at)), 1e-300)) - math.log(wanted)

    if excess(low) <= 0:
        return math.exp(low)
    return math.exp(float(brentq(excess, low, high, xtol=1e-3))) if excess(high) < 0 else math.exp(high)


def _gaussian_mu(epsilon: float, delta: float) -> float:
    def excess(at: float) -> float:
        return math.log(max(float(GDP(mu=math.exp(at)).delta(epsilon)), 1e-300)) - math.log(delta)

    return math.exp(float(brentq(excess, -_ENDS[1], math.log(_LARGEST), xtol=1e-4)))
