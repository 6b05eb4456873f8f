"""Pure differential privacy: P(S) <= e^epsilon Q(S) for every event S, in both directions (Dwork et al. 2006).

Result: (epsilon, 0)-DP, so the curve and the profile of `ApproxDP` with delta = 0; randomised response attains both
everywhere. The profile below epsilon is (e^epsilon - e^t) / (1 + e^epsilon), not "1".

(epsilon, delta)-differential privacy: P(S) <= e^epsilon Q(S) + delta for every event S, in both directions.

Result: the trade-off curve f(alpha) = max(0, 1 - delta - e^epsilon alpha, e^-epsilon (1 - delta - alpha)) (Wasserman,
Zhou 2010; Dong, Roth, Su 2019, Proposition 3). Its profile follows from the curve's three corners, so
delta(t) <= delta is sharper below epsilon than "delta is the probability of failure" suggests.
Closed forms throughout: right to a few units in the last place, rounded to neither side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.evidence import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import NON_NEGATIVE, Between, NonNegative
from dpverify.core.subjects import Float
from dpverify.definitions.curve import levels, rates, times_exp
from dpverify.definitions.parameters import Parametrised, sentence

_DELTA = Between(0, 1, open="high", remedy="delta is a probability, such as 1e-5; at 1 nothing would be promised")


@dataclass(frozen=True, slots=True, kw_only=True)
class PureDP(Parametrised):
    """The claim P(S) <= e^epsilon Q(S) for every event S and every ordered pair of neighbours.

    Attributes
    ----------
    epsilon : float
        In nats, finite, >= 0.

    Raises
    ------
    InputError
        For any other epsilon.
    """

    epsilon: NonNegative

    @classmethod
    def examples(cls) -> tuple[PureDP, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (cls(epsilon=1), cls(epsilon=0.1), cls(epsilon=0), cls(epsilon=1000))

    def measures(self) -> tuple[Measure, ...]:
        """Epsilon at delta = 0."""
        return (Measure(kind="epsilon", argument=0.0, claimed=self.epsilon),)

    def scaled(self, factor: float) -> PureDP:
        """``PureDP(epsilon=factor * epsilon)``, for `factor` > 0."""
        return PureDP(epsilon=factor * self.epsilon)

    def delta(self, epsilon: ArrayLike, *, reverse: bool = False) -> Float:
        """Largest delta allowed at `epsilon` (nats, any sign and shape); the same in both directions."""
        return corner_profile(epsilon, self.epsilon, 0.0)

    def tradeoff(self, alpha: ArrayLike, *, reverse: bool = False) -> Float:
        """Least false-negative rate allowed at false-positive rates `alpha` (any shape); same in both directions."""
        return corner_tradeoff(alpha, self.epsilon, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False)
class ApproxDP:
    """The claim P(S) <= e^epsilon Q(S) + delta for every event S and every ordered pair of neighbours.

    Written out ``ApproxDP(epsilon=1, delta=1e-5)``. The number is kept as `claimed_delta`, because ``.delta`` is
    the profile that every guarantee offers; hence an ``__init__`` by hand.

    Attributes
    ----------
    epsilon : float
        In nats, finite, >= 0.
    claimed_delta : float
        The parameter `delta`, in [0, 1).

    Raises
    ------
    InputError
        For parameters outside these ranges.
    """

    epsilon: float
    claimed_delta: float

    def __init__(self, *, epsilon: float, delta: float) -> None:
        object.__setattr__(self, "epsilon", NON_NEGATIVE.number("ApproxDP: epsilon", epsilon))
        object.__setattr__(self, "claimed_delta", _DELTA.number("ApproxDP: delta", delta))

    def __repr__(self) -> str:
        return self.text()

    @classmethod
    def examples(cls) -> tuple[ApproxDP, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(epsilon=1, delta=1e-5),
            cls(epsilon=0, delta=0.1),
            cls(epsilon=0, delta=0),
            cls(epsilon=3, delta=0.25),
            cls(epsilon=1000, delta=1e-300),
        )

    def text(self) -> str:
        """``ApproxDP(epsilon=1, delta=1e-05)``."""
        return sentence("ApproxDP", epsilon=self.epsilon, delta=self.claimed_delta)

    def measures(self) -> tuple[Measure, ...]:
        """Epsilon at this delta (how people say it), and delta at this epsilon (the same point), the one that is not 0
        first: of a claim that epsilon is 0, delta is what is promised."""
        epsilon = Measure(kind="epsilon", argument=self.claimed_delta, claimed=self.epsilon)
        delta = Measure(kind="delta", argument=self.epsilon, claimed=self.claimed_delta)
        return (delta, epsilon) if self.epsilon == 0 < self.claimed_delta else (epsilon, delta)

    def delta(self, epsilon: ArrayLike, *, reverse: bool = False) -> Float:
        """Largest delta allowed at `epsilon` (nats, any sign and shape); the same in both directions."""
        return corner_profile(epsilon, self.epsilon, self.claimed_delta)

    def tradeoff(self, alpha: ArrayLike, *, reverse: bool = False) -> Float:
        """Least false-negative rate allowed at false-positive rates `alpha` (any shape); same in both directions."""
        return corner_tradeoff(alpha, self.epsilon, self.claimed_delta)


def corner_tradeoff(alpha: ArrayLike, epsilon: float, delta: float) -> Float:
    """The curve f of (epsilon, delta)-DP at `alpha`, of any shape."""
    alpha = rates(alpha)
    steep = (1 - delta) - times_exp(alpha, epsilon)
    flat = np.exp(-epsilon) * ((1 - delta) - alpha)
    return np.asarray(np.maximum(np.maximum(steep, flat), 0.0))


def corner_profile(epsilon: ArrayLike, claimed: float, delta: float) -> Float:
    """delta(epsilon) of (claimed, delta)-DP: the best of the curve's three corners, at any epsilon."""
    epsilon = levels(epsilon)
    middle = delta + (1 - delta) * -np.expm1(np.minimum(epsilon - claimed, 0.0)) / (1 + np.exp(-claimed))
    last = 1 - times_exp(1 - delta, epsilon)
    return np.asarray(np.maximum(np.maximum(middle, last), 0.0))


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("PureDP", PureDP)
    registry.definitions.add("ApproxDP", ApproxDP)
