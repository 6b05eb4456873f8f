"""The privacy loss of a law on finitely many outcomes: atoms only.

Basis: the definition, outcome by outcome. Assumptions: log-probabilities come with a bound on their error,
which goes into masses and losses. Limits: equal losses are not merged. Not to be confused with a law that was put on a
grid (:mod:`~dpverify.accounting.loss_grid`): these atoms are exact up to the stated errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpverify.accounting.privacy_loss import UNIT, Atoms, Float, Masses


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FiniteLoss:
    """Finitely many outcomes: shape (k,) log-probabilities under P and Q, each right up to `error`."""

    log_p: Float
    log_q: Float
    error: float

    def atoms(self) -> Atoms:
        """One for each outcome that P can produce."""
        kept = self.log_p > -np.inf
        log_p = self.log_p[kept]
        slack = self.error + 4 * UNIT * (1 + float(np.max(-log_p)))
        loss = log_p - self.log_q[kept]
        largest = float(np.max(np.abs(loss[np.isfinite(loss)]), initial=0.0))
        return Atoms(
            p=np.exp(log_p), loss=loss, p_error=math.expm1(slack), loss_error=2 * self.error + 2 * UNIT * largest
        )

    def masses(self, thresholds: Float) -> Masses | None:
        """There is no continuous part."""
        return None

    def extent(self, tail: float) -> tuple[float, float]:
        """The loss reaches from the least to the largest finite loss."""
        loss = self.atoms().loss
        finite = loss[np.isfinite(loss)]
        return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)

    def bounds(self) -> tuple[float, float]:
        """The least and the largest loss, outward of their errors; 0 where P and Q are equal to the last bit."""
        if np.array_equal(self.log_p, self.log_q):
            return 0.0, 0.0
        atoms = self.atoms()
        return float(np.min(atoms.loss)) - atoms.loss_error, float(np.max(atoms.loss)) + atoms.loss_error
