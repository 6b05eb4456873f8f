"""The privacy loss of a pair whose profile in both directions is that of one given pair: its dominating pair.

Where a mechanism has delta(epsilon) <= H(epsilon) for all epsilon >= 0 and in both orders of the neighbours, with H the
profile of a pair (M, Q), no order of the neighbours alone need be dominated by (M, Q): below epsilon = 0 the profile of
(M, Q) may be smaller. What dominates is the symmetric pair whose losses above 0 are those of (M, Q), whose losses below
0 are the same with both laws exchanged, and whose remaining mass is at 0 (Zhu, Dong, Wang 2022, Lemma 9: a profile is
that of some pair). Then compositions may be bounded by compositions of it (their Theorem 10).

Assumption: the masses above 0 under M and Q do not exceed 1 together. Side: upper as a bound on a mechanism, exact for
the profile. Not to be confused with the two directions of a pair, of which each is composed with itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.accounting.privacy_loss import UNIT, Atoms, Float, LossLaw, Masses


@dataclass(frozen=True, slots=True, kw_only=True)
class BothWaysLoss:
    """The losses of `base` above 0, the same mirrored, and an atom at 0; `base` has no atoms."""

    base: LossLaw

    def atoms(self) -> Atoms:
        """Return the mass at 0: that which both parts leave."""
        found = self.base.masses(np.zeros(1))
        if found is None:
            return self.base.atoms()
        rest = 1.0 - float(found.p[1]) - float(found.q[1])
        error = float(found.p_error[0] + found.q_error[0]) + 4 * UNIT
        if rest <= error:
            rest = error
        return Atoms(p=np.array([rest]), loss=np.zeros(1), p_error=error / rest)

    def masses(self, thresholds: Float) -> Masses | None:
        """Return the base law's masses above 0, and those of the exchanged base law below 0."""
        up, down = self._above(thresholds), self._above(-thresholds[::-1])
        if up is None or down is None:
            return None
        down = down.reversed()
        return Masses(
            p=up.p + down.p, q=up.q + down.q, p_error=up.p_error + down.p_error, q_error=up.q_error + down.q_error
        )

    def _above(self, thresholds: Float) -> Masses | None:
        """The masses above 0 alone, in the same cells."""
        found = self.base.masses(np.concatenate(([0.0], np.maximum(thresholds, 0.0))))
        if found is None:
            return None
        inside = thresholds >= 0  # below 0 there is nothing to move across a threshold
        return Masses(
            p=found.p[1:],
            q=found.q[1:],
            p_error=np.where(inside, found.p_error[1:], 0.0),
            q_error=np.where(inside, found.q_error[1:], 0.0),
        )

    def extent(self, tail: float) -> tuple[float, float]:
        """The loss reaches as far to both sides as the base law reaches up."""
        high = max(self.base.extent(tail)[1], 0.0)
        return -high, high

    def bounds(self) -> tuple[float, float]:
        """The upper bound of the base law, to both sides."""
        high = max(self.base.bounds()[1], 0.0)
        return -high, high
