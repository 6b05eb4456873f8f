"""RS-CONTRACT and RS-RHO: is the SGD operator a contraction, and which step contracts most?

RSGD, sections 3.4 and 4.1 (DISS 3.4.2, 3.5.1): "when the loss function f satisfies condition 1, 2, and 3", the
operator "is a contraction", rho < 1, with no word on the step. Readings: (a) eta < 2 / L; (b) any eta. DISS's proof of
Theorem 3.1: rho has its least value (L - mu) / (L + mu) at eta = 2 / (L + mu).

**Repaired**, RS-CONTRACT-R: below 2 / L, which is reading (a), or, at any step, with rho = max(|1 - eta mu|,
|1 - eta L|) instead of 1 (RS-LEMMA).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import flint

from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from reference_impls.papers.ranges import HUGE, AboveZero
from reference_impls.papers.rsgd.lemmas.one_feature_runs import L2
from reference_impls.papers.rsgd.lemmas.sgd_operator import SameBatch
from reference_impls.papers.sides_in_balls import SidesInBalls


@dataclass(frozen=True, slots=True, kw_only=True)
class Contraction(SameBatch):
    """Subject ``lemma-rsgd-distance``: two points after a step against the two before it, one batch."""

    def printed_ball(self) -> flint.arb:
        """The distance before the step, |w - v|."""
        return abs(flint.arb(self.w) - flint.arb(self.v))


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastRho(SidesInBalls):
    """Subject ``lemma-rsgd-rho``: (L - mu) / (L + mu) against rho at a step.

    Attributes
    ----------
    mu, ratio : float
        mu > 0 and L / mu >= 1.
    share : float
        eta over 2 / (L + mu), > 0.
    """

    mu: AboveZero = L2
    ratio: Annotated[float, Between(1, HUGE * HUGE)] = (1.0 + L2) / L2
    share: AboveZero = 1.0

    def printed_ball(self) -> flint.arb:
        """rho at this step: claimed to be no less."""
        mu, smoothness = self._ends()
        eta = 2 * flint.arb(self.share) / (smoothness + mu)
        return abs(1 - eta * mu).max(abs(1 - eta * smoothness))

    def true_ball(self) -> flint.arb:
        """(L - mu) / (L + mu)."""
        mu, smoothness = self._ends()
        return (smoothness - mu) / (smoothness + mu)

    def _ends(self) -> tuple[flint.arb, flint.arb]:
        """The ends of the Hessian's range, mu and L."""
        mu = flint.arb(self.mu)
        return mu, flint.arb(self.ratio) * mu


def apart() -> Shown:
    """Two points in the quadratic part, at a step beyond 2 / L and at one below."""
    far, near = (Contraction(step=step, w=1.1, v=1.0, rest=1.0) for step in (3.0, 1.0))
    numbers = (
        ("distance before", far.printed().value),
        ("after a step of 3, with 2 / L just below 2", far.truth().value),
        ("after a step of 1", near.truth().value),
    )
    return Shown(numbers=numbers, holds=near.truth().value < far.printed().value < far.truth().value)
