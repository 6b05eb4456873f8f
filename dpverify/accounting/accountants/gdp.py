"""Accountant ``gdp``: compositions of Gaussian steps and nothing else, exactly.

Result: the composition of mu_i-GDP Gaussian pairs is the pair N(0, 1), N(mu, 1) with mu = sqrt(sum mu_i^2), not only
bounded by it (Dong, Roth, Su 2019, Corollary 3.3), so both ends are the profile of ``definitions.gdp`` up to rounding.
Limit: subsampled steps are refused; their central limit theorem is an approximation with no side, and is not used here.
Side: bracket. Not to be confused with zCDP, which keeps only the Renyi curve of the same pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.optimize import brentq

from dpverify.accounting.accountant_inputs import LEAST, admit, checked_delta, checked_epsilon
from dpverify.core.composition import Bracket, Composed, Composition, HasMu, Side
from dpverify.core.registry import Registry
from dpverify.definitions.gdp import GDP
from dpverify.definitions.gdp import ROUNDING as PROFILE_ERROR

MU_ERROR = 1e-14
"""Relative rounding of mu, which the brackets allow for on either side."""

_FAR = 40.0  # standard deviations; delta is below every double there
_LARGEST = 1e150  # mu whose square is still a double


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianComposed:
    """The pair N(0, 1), N(mu, 1)."""

    mu: float

    def epsilon(self, delta: float) -> Bracket:
        """Both ends, from the profile's inverse."""
        delta = checked_delta(delta)
        if self.mu == 0:
            return Bracket(upper=0.0, note="mu = 0")
        if delta == 0:
            return Bracket(lower=math.inf, note="no Gaussian is pure")
        note = f"mu = {self.mu:.6g}"
        if self.mu > _LARGEST:
            return Bracket(upper=math.inf, note=f"{note}: its square is beyond the doubles")
        low, high = (_inverse(profile, delta, mu=self.mu) for profile in (self._below, self._above))
        return Bracket(lower=min(low, high), upper=high, note=note)

    def delta(self, epsilon: float) -> Bracket:
        """Both ends, from the profile."""
        epsilon = checked_epsilon(epsilon)
        if self.mu == 0:
            return Bracket(upper=0.0, note="mu = 0")
        return Bracket(lower=self._below(epsilon), upper=self._above(epsilon), note=f"mu = {self.mu:.6g}")

    def _below(self, epsilon: float) -> float:
        return float(GDP(mu=self.mu * (1 - MU_ERROR)).delta(epsilon)) * (1 - PROFILE_ERROR)

    def _above(self, epsilon: float) -> float:
        return min(1.0, float(GDP(mu=self.mu * (1 + MU_ERROR)).delta(epsilon)) * (1 + PROFILE_ERROR) + LEAST)


def _inverse(profile: Callable[[float], float], delta: float, *, mu: float) -> float:
    """The epsilon at which a falling profile passes `delta`, stepped right until the profile is no longer above."""
    if profile(0.0) <= delta:
        return 0.0
    high = mu * (mu / 2 + _FAR)
    if profile(high) > delta:  # delta is among the last doubles
        return math.inf

    def excess(epsilon: float) -> float:
        return math.log(max(profile(epsilon), LEAST)) - math.log(delta)

    root = float(brentq(excess, 0.0, high, xtol=LEAST, rtol=1e-15, maxiter=500))
    width = math.ulp(root)
    while profile(root) > delta:
        root, width = root + width, 2 * width
    return root


@dataclass(frozen=True, slots=True, kw_only=True)
class GdpAccountant:
    """Exact for Gaussian steps."""

    name: str = "gdp"
    version: str = "1"
    source: str = "Dong, Roth, Su 2019, Cor. 3.3 and 2.13"
    side: Side = "bracket"

    def refuses(self, composition: Composition) -> str | None:
        """A step that is no Gaussian pair."""
        return composition.lacking(HasMu)

    def compose(self, composition: Composition) -> Composed:
        """The root of the sum of squares."""
        admit(self, composition)
        terms = [(part.step.mu(), part.count) for part in composition if isinstance(part.step, HasMu)]
        largest = max((mu for mu, _ in terms), default=0.0)
        if largest == 0:
            return GaussianComposed(mu=0.0)
        # Scaled, so that no square overflows or underflows.
        return GaussianComposed(mu=largest * math.sqrt(math.fsum(count * (mu / largest) ** 2 for mu, count in terms)))


def register(registry: Registry) -> None:
    """Register the accountant."""
    registry.accountants.add("gdp", GdpAccountant())
