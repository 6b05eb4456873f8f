"""ACC-RDP-DP: (alpha, tau)-RDP implies (tau + log(1 / delta) / (alpha - 1), delta)-DP; the tight conversion beside it.

BLSGD Proposition 1, DISS Proposition 2.1 (Mironov 2017, Proposition 3). Both conversions are kept and named:
``classic`` and ``tight`` (Canonne, Kamath, Steinke 2020, Proposition 12). The truth is the exact epsilon(delta) of a
mechanism whose Renyi divergence of order alpha is tau in its worse direction:

- ``gaussian``: mu^2 = 2 tau / alpha;
- ``randomised-response``: the one whose tight curve reaches tau (none when tau exceeds every pure budget allowed);
- ``bernoulli``: one bit, 1 with probability p on D and q on D', p > q, p = delta (1 + surplus). Merging all outputs
  into "in the event" and "not" keeps delta(epsilon) and raises no divergence, so the best surplus gives the largest
  epsilon(delta) that *any* mechanism with that (alpha, tau) can have: searched over it, the truth is the lemma's own.

Every family is proved in balls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import flint
import numpy as np
from scipy.optimize import brentq

from dpverify.accounting.order_search import classic_epsilon, tight_epsilon
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import RandomisedResponseStep, tight_curve
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.core.subjects import Encloses
from dpverify.laws.balls import at_working_precision
from dpverify.stats.epsilon import binary_renyi
from reference_impls.papers.enclosures import ball, quotient
from reference_impls.papers.ranges import HUGE, InsideUnit, RenyiOrder

Conversion = Literal["classic", "tight"]
Family = Literal["bernoulli", "gaussian", "randomised-response"]
_CONVERSIONS = {"classic": classic_epsilon, "tight": tight_epsilon}
_LEAST_LOG = -690.0  # log q of the rarest bit
_FAR = 700.0  # larger pure budgets are not searched
_SURPLUSES = np.geomspace(1e-3, 1e9, 121)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenyiConversion(Checked):
    """One conversion of one point of a Renyi curve.

    Attributes
    ----------
    order, tau, delta : float
        The point (alpha, tau), tau > 0, and the delta in (0, 1).
    surplus : float
        Of ``bernoulli``, > 0: the event has probability p = delta (1 + surplus) on D.
    family : str
        Whose exact epsilon is the truth.
    conversion : "classic" or "tight"
        Which formula is printed.
    """

    order: RenyiOrder = 32.0
    tau: Annotated[float, Between(1e-9, HUGE)] = 0.5
    delta: InsideUnit = 1e-5
    surplus: Annotated[float, Between(1e-9, 1e15)] = 1.0
    family: Family = "bernoulli"
    conversion: Conversion = "classic"

    @property
    def p(self) -> float:
        """How likely the event is on D; 1 or more where there is no such mechanism."""
        return self.delta * (1 + self.surplus)

    def printed(self) -> Enclosed:
        """The epsilon that the conversion gives."""
        convert = _CONVERSIONS[self.conversion]
        return Enclosed(value=float(convert(np.array([self.order]), np.array([self.tau]), self.delta)[0]))

    def truth(self) -> Enclosed:
        """Exact epsilon(delta) of the family's member at (order, tau); 0 where it has none."""
        if self.family == "gaussian":
            return self._gaussian().laws()[0].epsilon(self.delta)
        if self.family == "randomised-response":
            budget = self._budget()
            return Enclosed(value=0.0) if budget == 0 else _response(budget).epsilon(self.delta)
        q = self._other()
        if q is None:
            return Enclosed(value=0.0)
        value = math.log((self.p - self.delta) / q)
        return Enclosed(value=max(value, 0.0), error=1e-12 * (1 + abs(value)))

    def _gaussian(self) -> GaussianStep:
        """The Gaussian step whose divergence of this order is tau, up to the rounding of its sigma."""
        return GaussianStep(sigma=math.sqrt(self.order / (2 * self.tau)))

    def _budget(self) -> float:
        """The pure budget at which randomised response reaches tau, from below; 0 when it is out of sight."""

        def beyond(epsilon: float) -> float:
            return float(tight_curve(epsilon, self.order)[0]) - self.tau

        return float(brentq(beyond, 0.0, _FAR, xtol=1e-14)) if beyond(_FAR) > 0 else 0.0

    def _other(self) -> float | None:
        """q < p at which the larger of the two directions is tau; None when none is."""

        if not self.delta < self.p < 1:
            return None

        def beyond(log_q: float) -> float:
            q = self.p * math.exp(log_q)
            found = max(binary_renyi(self.p, q, self.order), binary_renyi(q, self.p, self.order))
            return float(found) - self.tau

        if not beyond(_LEAST_LOG) > 0:
            return None
        return self.p * math.exp(float(brentq(beyond, _LEAST_LOG, -1e-15, xtol=1e-14)))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The mechanism's own tau and its own epsilon in balls, so that the rounding of its noise helps nobody.

        The Gaussian's epsilon by its closed profile; the others have one event, which decides. None where the family
        has no member at this point.
        """
        found = self._gaussian_balls() if self.family == "gaussian" else self._bit_balls()
        if found is None:
            return None
        tau, truth = found
        order, delta = flint.arb(self.order), flint.arb(self.delta)
        printed = tau - delta.log() / (order - 1)
        if self.conversion == "tight":
            printed += (1 - 1 / order).log() - order.log() / (order - 1)
        return quotient(truth, printed.max(flint.arb(0)))

    def _gaussian_balls(self) -> tuple[flint.arb, flint.arb] | None:
        """tau = order / (2 sigma^2) and epsilon(delta) of the rounded sigma."""
        (pair,) = self._gaussian().laws()
        assert isinstance(pair, Encloses)
        truth = pair.enclosure(Measure(kind="epsilon", argument=self.delta, claimed=0.0))
        tau = flint.arb(self.order) / (2 * flint.arb(self._gaussian().sigma) ** 2)
        return None if truth is None else (tau, ball(truth))

    def _bit_balls(self) -> tuple[flint.arb, flint.arb] | None:
        """tau of a bit, the worse direction, and log((p - delta) / q) of its event."""
        if self.family == "randomised-response":
            budget = self._budget()
            if budget == 0:
                return None
            first = 1 / (1 + (-flint.arb(budget)).exp())
            second = 1 / (1 + flint.arb(budget).exp())
        else:
            q = self._other()
            if q is None:
                return None
            first, second = flint.arb(self.p), flint.arb(q)
        s = flint.arb(self.order) - 1

        def divergence(a: flint.arb, b: flint.arb) -> flint.arb:
            return ((a / b) ** s * a + ((1 - a) / (1 - b)) ** s * (1 - a)).log() / s

        tau = divergence(first, second).max(divergence(second, first))
        return tau, ((first - flint.arb(self.delta)) / second).log()

    def describe(self) -> dict[str, Any]:
        """Every family beside both conversions at this point, the bit at its best p of a grid."""
        families: tuple[Family, ...] = ("gaussian", "randomised-response")
        exact = {family: replace(self, family=family).truth().value for family in families}
        bits = (replace(self, family="bernoulli", surplus=float(x)).truth().value for x in _SURPLUSES)
        conversions: tuple[Conversion, ...] = ("classic", "tight")
        printed = {name: replace(self, conversion=name).printed().value for name in conversions}
        return {"printed": printed, "exact": {"bernoulli": max(bits), **exact}}


def _response(budget: float) -> Any:
    return RandomisedResponseStep(epsilon=budget).laws()[0]
