"""BL-SVT-LAP-TIGHT and BL-SPLIT: what is said of formulas (4) and (5) themselves, whatever they bound.

*Tight.* "A tighter bound than Lemma 2": formula (4) at (epsilon_1, epsilon_2) lies below alpha epsilon^2 / 2, where
epsilon = epsilon_1 + 2 epsilon_2. It does, with room to spare: (4) adds the divergences of two Laplace shifts of a and
b scales, a + b = epsilon; each is at most alpha a^2 / 2 (Bun and Steinke 2016, Proposition 3.3, a pure bound), and
a^2 + b^2 <= (a + b)^2: at the paper's equal split twice as much as needed.

*Split.* sigma_1^2 = 3 / (2 rho) and sigma_2^2 = 3 / rho in (5) give alpha rho: rational arithmetic on the very doubles,
so the difference is exact, 0 or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import flint

from dpverify.accounting.steps.noisy_btls import laplace_curve
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision, enclosed_fraction
from reference_impls.papers.enclosures import quotient

THRESHOLD, QUERY = Fraction(3, 2), Fraction(3)
"""rho sigma_1^2 and rho sigma_2^2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BelowLemmaTwo(Checked):
    """Formula (4) against Lemma 2.

    Attributes
    ----------
    order, epsilon : float
        Above 1; > 0.
    share : float
        epsilon_1 / epsilon, in (0, 1).
    """

    order: Annotated[float, Between(1 + 1e-9, 1e6)] = 2.0
    epsilon: Annotated[float, Between(1e-6, 1e3)] = 0.002
    share: Annotated[float, Between(1e-6, 1 - 1e-6)] = 0.5

    def printed(self) -> Enclosed:
        """alpha epsilon^2 / 2."""
        return Enclosed(value=self.order * self.epsilon**2 / 2.0)

    def truth(self) -> Enclosed:
        """Formula (4); what rounding may do to logarithms near 1 is taken off."""
        first, second = self.share * self.epsilon, (1.0 - self.share) * self.epsilon / 2.0
        value = float(laplace_curve(self.order, epsilon_1=first, epsilon_2=second))
        return Enclosed(value=max(value, 0.0), error=1e-15 / min(self.order - 1.0, 1.0))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The quotient of both sides, each computed in balls."""
        order, epsilon, share = flint.arb(self.order), flint.arb(self.epsilon), flint.arb(self.share)
        total = flint.arb(0)
        for shift in (share * epsilon, (1 - share) * epsilon):
            far, near = (shift * (order - 1)).exp(), (-shift * order).exp()
            total += ((order * far + (order - 1) * near) / (2 * order - 1)).log()
        return quotient(total / (order - 1), order * epsilon**2 / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianSplit(Checked):
    """Formula (5) at the printed variances, against order * rho.

    Attributes
    ----------
    order, rho : float
        Above 1; > 0.
    threshold, query : Fraction
        rho sigma_1^2 and rho sigma_2^2.
    """

    order: Annotated[float, Between(1 + 1e-9, 1e6)] = 2.0
    rho: Annotated[float, Between(1e-12, 1e6)] = 2e-6
    threshold: Fraction = THRESHOLD
    query: Fraction = QUERY

    def printed(self) -> Enclosed:
        """0: they are said to be the same."""
        return Enclosed(value=0.0, proved=True)

    def truth(self) -> Enclosed:
        """The difference, over order * rho; exact."""
        first, second = self.threshold / Fraction(self.rho), self.query / Fraction(self.rho)
        formula = Fraction(self.order) * (4 * first + second) / (2 * first * second)
        said = Fraction(self.order) * Fraction(self.rho)
        return enclosed_fraction(abs(formula - said) / said)

    def proved_ratio(self) -> Enclosed | None:
        """Infinite as soon as there is a difference."""
        return Enclosed(value=float("inf") if self.truth().value > 0 else 1.0, proved=True)
