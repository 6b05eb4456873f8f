"""ACC-GAUSS-CLASSIC: sigma = sqrt(2 log(1.25 / delta)) Delta / epsilon, claimed for every epsilon, delta > 0.

ADPSGD Lemma 2.1. The truth is the exact epsilon(delta) of the Gaussian mechanism (Balle and Wang 2018, Theorem 8).

**Repaired**, ACC-GAUSS-CLASSIC-R: for 0 < epsilon <= 1, the condition of the theorem that is cited.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, Any

import flint
from scipy.optimize import brentq

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision
from dpverify.laws.epsilon_at_delta import proved_epsilon
from reference_impls.papers.enclosures import ball, quotient
from reference_impls.papers.ranges import HUGE, InsideUnit

MULTIPLIERS = (8.50, 5.66, 4.25, 2.12, 1.06)
"""Noise multipliers of ADPSGD's experiments (footnote 3), one for each of its budgets."""
DELTA = 1e-5
_DELTAS = (1e-12, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1)
_FARTHEST = 50.0


def classic_epsilon(sigma: float, delta: float) -> float:
    """sqrt(2 log(1.25 / delta)) / sigma: what the lemma prints for noise `sigma` on sensitivity 1."""
    return math.sqrt(2.0 * math.log(1.25 / delta)) / sigma


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianClassic(Checked):
    """The lemma at one claimed epsilon and delta; the noise follows from them.

    Attributes
    ----------
    epsilon : float
        Claimed, > 0.
    delta : float
        In (0, 1).
    """

    epsilon: Annotated[float, Between(1e-6, HUGE)] = classic_epsilon(MULTIPLIERS[0], DELTA)
    delta: InsideUnit = DELTA

    @property
    def sigma(self) -> float:
        """The lemma's noise; as a double it is the noise that both sides speak of."""
        return classic_epsilon(self.epsilon, self.delta)

    def printed(self) -> Enclosed:
        """The claimed epsilon at this noise."""
        value = classic_epsilon(self.sigma, self.delta)
        return Enclosed(value=value, error=4 * math.ulp(value))

    def truth(self) -> Enclosed:
        """The exact epsilon(delta) of this noise."""
        (pair,) = GaussianStep(sigma=self.sigma).laws()
        return pair.epsilon(self.delta)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The exact epsilon in balls, from the closed form of the profile, against the lemma in balls."""
        mu, delta = 1 / flint.arb(self.sigma), flint.arb(self.delta)

        def profile(epsilon: flint.arb) -> flint.arb:
            near, far = epsilon / mu - mu / 2, epsilon / mu + mu / 2
            root = flint.arb(2).sqrt()
            return (near / root).erfc() / 2 - epsilon.exp() * (far / root).erfc() / 2

        truth = proved_epsilon(profile, self.delta, near=self.truth().value)
        printed = (2 * (flint.arb(5) / 4 / delta).log()).sqrt() * mu
        return None if truth is None else quotient(ball(truth), printed)

    def describe(self) -> dict[str, Any]:
        """Both sides at the paper's own noise multipliers, and the least claimed epsilon that fails at each delta."""
        rows = []
        for sigma in MULTIPLIERS:
            claimed = classic_epsilon(sigma, DELTA)
            true = GaussianStep(sigma=sigma).laws()[0].epsilon(DELTA).value
            rows.append({"sigma": sigma, "claimed": claimed, "true": true, "ratio": true / claimed})
        edges = [{"delta": delta, "fails from epsilon": least_failing(delta)} for delta in _DELTAS]
        return {"own noise multipliers": rows, "edge": edges}


def least_failing(delta: float) -> float:
    """The claimed epsilon at which the exact one overtakes it, to 1e-9; nan when it does not below `_FARTHEST`."""

    def beyond(epsilon: float) -> float:
        subject = GaussianClassic(epsilon=epsilon, delta=delta)
        return subject.truth().value / subject.printed().value - 1

    return float(brentq(beyond, 1.0, _FARTHEST, xtol=1e-9)) if beyond(_FARTHEST) > 0 else math.nan


def shown() -> Shown:
    """How many standard deviations of the loss remain for its tail, far out and at the edge."""
    cost, edge = math.sqrt(2.0 * math.log(1.25 / DELTA)), least_failing(DELTA)
    far = GaussianClassic(epsilon=_FARTHEST)
    numbers = (
        ("claimed epsilon from which it fails at delta = 1e-5", edge),
        ("standard deviations left to the tail there, c - epsilon / (2 c)", cost - edge / (2 * cost)),
        ("what a tail of delta takes", NormalDist().inv_cdf(1 - DELTA)),
        ("exact epsilon where 50 is claimed", far.truth().value),
    )
    return Shown(numbers=numbers, holds=numbers[1][1] < numbers[2][1] + 0.1 and numbers[3][1] > _FARTHEST)
