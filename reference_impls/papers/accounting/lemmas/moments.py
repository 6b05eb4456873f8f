"""ACC-MA: the moments accountant's delta, min over lambda of exp(alpha(lambda) - lambda epsilon), and exact profiles.

ADADP Theorem 1, second part (Abadi et al. 2016, Theorem 2), whole lambda. Two mechanisms whose composition is known
exactly: k Gaussian steps are one with sqrt(k) times the shift, k randomised responses are a binomial table. The theorem
is Markov's inequality for e^(lambda loss), so it never ends below the exact delta(epsilon); the first part (moments
add) is ACC-MA-ADD, beside ACC-RDP-COMP.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import flint

from dpverify.accounting.accountants.moments import LAST, MomentsAccountant
from dpverify.accounting.enumeration import repeated
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import RandomisedResponseStep
from dpverify.core.composition import Composition
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.core.subjects import LawPair
from dpverify.laws.balls import at_working_precision
from dpverify.laws.discrete_pair import DiscretePair
from reference_impls.papers.enclosures import ball, proved_renyi, quotient
from reference_impls.papers.ranges import HUGE, AboveZero, FromOne

_ACCOUNTANT = MomentsAccountant()


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentsTail(Checked):
    """k equal steps at one epsilon.

    Attributes
    ----------
    size : float
        sigma of the Gaussian step at sensitivity 1, or epsilon of the randomised response; > 0.
    count : float
        k, rounded, >= 1.
    epsilon : float
        Where delta is asked for, > 0.
    family : "gaussian" or "randomised-response"
        The step.
    """

    size: Annotated[float, Between(1e-6, HUGE)] = 8.0
    count: FromOne = 100.0
    epsilon: AboveZero = 2.0
    family: Literal["gaussian", "randomised-response"] = "gaussian"

    @property
    def steps(self) -> int:
        """k, the number of steps."""
        return max(round(self.count), 1)

    @property
    def step(self) -> GaussianStep | RandomisedResponseStep:
        """One of the k steps."""
        return GaussianStep(sigma=self.size) if self.family == "gaussian" else RandomisedResponseStep(epsilon=self.size)

    def whole(self) -> LawPair:
        """The composition's pair; for the Gaussian steps with a shift rounded down, so that it is no worse."""
        if self.family == "gaussian":
            shift = math.sqrt(self.steps) * (1 - 1e-15)
            return GaussianStep(sigma=self.size, sensitivity=shift).laws()[0]
        (pair,) = self.step.laws()
        assert isinstance(pair, DiscretePair)
        return repeated(pair, self.steps)

    def printed(self) -> Enclosed:
        """The accountant's delta; a delta of 1 promises nothing."""
        found = _ACCOUNTANT.compose(Composition.repeat(self.step, self.steps)).delta(self.epsilon)
        return Enclosed(value=found.upper if found.upper < 1 else math.inf)

    def truth(self) -> Enclosed:
        """The exact delta of the composition."""
        return self.whole().delta(self.epsilon)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """Both in balls, over all lambda up to the accountant's last."""
        truth = self.whole().prove(Measure(kind="delta", argument=self.epsilon, claimed=0.0))
        least = flint.arb(1)
        for moment in range(1, LAST + 1):
            divergence = proved_renyi(self.step.laws(), float(moment + 1))
            if divergence is None:
                return None
            least = least.min((moment * (self.steps * divergence - flint.arb(self.epsilon))).exp())
        return None if truth is None else quotient(ball(truth), least)
