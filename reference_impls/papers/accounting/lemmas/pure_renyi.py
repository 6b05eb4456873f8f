"""ACC-PURE-RDP: epsilon-DP implies (alpha, alpha epsilon^2 / 2)-RDP, against the tight curve.

BLSGD Lemma 2 (Bun and Steinke 2016, Proposition 3.3). Randomised response attains the largest divergence of all
epsilon-DP mechanisms at every order (Kairouz, Oh, Viswanath 2015), so its curve is the truth, in both directions. The
ratio tends to 1 as alpha -> 1 and epsilon -> 0 and falls like 2 / (alpha epsilon) far out, where min(epsilon, .) helps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import flint

from dpverify.accounting.steps.guarantees import TIGHT_ERROR, RandomisedResponseStep, printed_curve, tight_curve
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision
from reference_impls.papers.enclosures import proved_renyi, quotient
from reference_impls.papers.ranges import HUGE, RenyiOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class PureRenyi(Checked):
    """One order and one pure budget.

    Attributes
    ----------
    epsilon : float
        Pure budget in nats, > 0.
    order : float
        Above 1.
    """

    epsilon: Annotated[float, Between(1e-9, HUGE)] = 0.002
    order: RenyiOrder = 2.0

    def printed(self) -> Enclosed:
        """The curve of the lemma."""
        return Enclosed(value=float(printed_curve(self.epsilon, self.order)[0]))

    def truth(self) -> Enclosed:
        """The tight curve of epsilon-DP mechanisms."""
        value = float(tight_curve(self.epsilon, self.order)[0])
        return Enclosed(value=value, error=TIGHT_ERROR * value)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The divergence of the two laws of randomised response, term by term in balls."""
        truth = proved_renyi(RandomisedResponseStep(epsilon=self.epsilon).laws(), self.order)
        return quotient(truth, flint.arb(self.order) * flint.arb(self.epsilon) ** 2 / 2)
