"""A law over few outcomes whose probabilities are integrals: integrated once, remembered, compared as floats.

What `StoppingLaw` and `FirstHitLaw` share: both condition on the noisy threshold, so each outcome's probability is one
integral over its place, and all are done at once in log space. Subclasses define the integral in `_integrate`.

Errors are estimates, of quadrature and rounding; proofs come from the subclasses' balls. Not to be confused with
`quadrature`, the rules by which densities are integrated.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from dpverify.core.fields import Checked
from dpverify.core.subjects import Float
from dpverify.laws.discrete_pair import DiscretePair
from dpverify.laws.point import FiniteVector


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IntegratedLaw(Checked, ABC):
    """Query levels, and the probabilities of what may happen at them."""

    levels: FiniteVector
    """Shape (m,): query answers minus the public threshold; finite. Copied and frozen."""
    _solved: list[tuple[Float, Float]] = field(default_factory=list, init=False, repr=False)

    @abstractmethod
    def _integrate(self) -> tuple[Float, Float]:
        """Natural logs of the probabilities, and their estimated absolute errors; both read-only."""

    def log_probabilities(self) -> Float:
        """Natural logs of the outcomes' probabilities, "never" last; all finite. Shape: see the subclass."""
        return self._solve()[0]

    def log_errors(self) -> Float:
        """Estimated absolute errors of `log_probabilities`, of its shape: quadrature and rounding, not proved."""
        return self._solve()[1]

    def _cells(self, other: IntegratedLaw) -> DiscretePair:
        """The float laws of both, over the same outcomes; with the larger error of all."""
        return DiscretePair(
            log_p=self.log_probabilities(),
            log_q=other.log_probabilities(),
            error=float(np.maximum(self.log_errors().max(), other.log_errors().max())),  # NaN where either is
        )

    def _solve(self) -> tuple[Float, Float]:
        if not self._solved:
            self._solved.append(self._integrate())
        return self._solved[0]
