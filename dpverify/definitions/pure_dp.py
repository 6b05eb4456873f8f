"""Pure differential privacy: P(S) <= e^epsilon Q(S) for every event S, in both directions (Dwork et al. 2006).

Result: (epsilon, 0)-DP, so the curve and the profile of ``approx_dp`` with delta = 0; randomised response attains both
everywhere. The profile below epsilon is (e^epsilon - e^t) / (1 + e^epsilon), not "1".
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from dpverify.core.measure import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import NonNegative
from dpverify.core.subjects import Float
from dpverify.definitions.approx_dp import corner_profile, corner_tradeoff
from dpverify.definitions.parameters import Parametrised


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


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("PureDP", PureDP)
