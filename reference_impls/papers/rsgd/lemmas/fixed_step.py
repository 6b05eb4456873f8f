"""RS-FIXED: Proposition 2 of RSGD (DISS, Theorem 3.1), the closed form for a fixed step, against runs.

    Delta <= 2 eta R / (|B| (1 - rho^m)) for arbitrarily many epochs; m = 1, eta = 2 / (L + mu): Delta <= 2 R / (n mu).

Readings: (a) eta in (0, 2 / L), (b) eta beyond, which the statement does not exclude, (c) the particular case. The
truth: two data sets of one feature (:mod:`~reference_impls.papers.rsgd.lemmas.one_feature_runs`), lambda, h and the
batch size the papers' own. One batch has to run 3,000 epochs to come within a few percent of the limit at lambda =
0.001.

**Repaired**, RS-FIXED-R: the finite sum ``(2 eta R / |B|) max(1, rho^(m - 1)) (1 + rho^m + .. + rho^((T - 1) m))``,
which holds for every eta, and grows like rho^(m T) where rho > 1; or ``2 eta R m T max(1, |1 - eta mu|)^(m T)``, if
that is less, since two losses' gradients differ by 2 R at most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any

import flint

from dpverify.core.evidence import Enclosed
from dpverify.core.rules import OneOf
from dpverify.laws.balls import at_working_precision
from reference_impls.papers.enclosures import quotient
from reference_impls.papers.rsgd.lemmas.last_place import LastPlace
from reference_impls.papers.rsgd.lemmas.one_feature_runs import H_BAR

BOUNDS = ("printed", "particular", "finite")
SMOOTHNESS = 0.5 / H_BAR
"""Of a record's loss without its regulariser; L is l2 more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedStep(LastPlace):
    """Subject ``lemma-rsgd-fixed``: one step size throughout, m batches of one size.

    Attributes
    ----------
    bound : "printed", "particular" or "finite"
        (3.7), its special case 2 R / (n mu) for m = 1 and eta = 2 / (L + mu) (`batches` and `initial_step` are then
        not used), or the finite sum.
    """

    schedule: Annotated[str, OneOf(("fixed",))] = "fixed"
    bound: Annotated[str, OneOf(BOUNDS)] = "printed"

    @property
    def sizes(self) -> tuple[int, ...]:
        """All nominal; one batch in the particular case."""
        return (round(self.batch),) * (1 if self.bound == "particular" else round(self.batches))

    @property
    def steps(self) -> tuple[float, ...]:
        """The same eta in each epoch."""
        eta = 2.0 / (SMOOTHNESS + 2.0 * self.l2) if self.bound == "particular" else self.initial_step
        return (eta,) * round(self.epochs)

    def printed_ball(self) -> flint.arb | None:
        """The right side, R = 1; below 0 where the formula is, None where its denominator is 0."""
        bound = self._bound_ball()
        return bound if bound.is_finite() else None

    def true_ball(self) -> flint.arb:
        """How far two runs end apart."""
        return self.moved_ball()

    def _bound_ball(self) -> flint.arb:
        mu, m, size = flint.arb(self.l2), len(self.sizes), self.sizes[0]
        if self.bound == "particular":
            return 2 / (size * mu)
        eta = flint.arb(self.steps[0])
        rho = abs(1 - eta * mu).max(abs(1 - eta * (1 / (2 * flint.arb(H_BAR)) + mu)))
        if self.bound == "finite":
            series = sum((rho ** (m * k) for k in range(round(self.epochs))), flint.arb(0))
            # Gradients of two losses differ by 2 R at most: no step adds more than 2 eta R, whatever L.
            each = abs(1 - eta * mu).max(flint.arb(1)) ** (m * round(self.epochs))
            most = 2 * eta * m * round(self.epochs) * each
            return (2 * eta / size * rho.max(flint.arb(1)) ** (m - 1) * series).min(most)
        return 2 * eta / (size * (1 - rho**m))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The quotient; +inf where a distance above 0 is to be at most a number below it."""
        bound, moved = self.printed_ball(), self.moved_ball()
        if bound is not None and bound < 0 and moved > 0:
            return Enclosed(value=math.inf, proved=True)
        return quotient(moved, bound)

    def describe(self) -> dict[str, Any]:
        """How both sides develop with the epochs, at this step and place."""
        rows = []
        for epochs in (1, 3, 10, 30):
            there = replace(self, epochs=epochs)
            rows.append({"epochs": epochs, "printed": there.printed().value, "moved": there.truth().value})
        return {"by epochs": rows}
