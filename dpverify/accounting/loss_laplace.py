"""The privacy loss of Laplace noise: atoms at both ends of a bounded interval, an exponential density between them.

Basis: with the shift in units of the scale, L = |y - shift| - |y| for y ~ P, the Laplace law at 0; it is
constant on either side of [0, shift] and linear inside. Assumptions: one coordinate; several are composed like steps.
Limits: errors are those of floating point, carried by hand. Not to be confused with the loss of the pure guarantee,
which has the two atoms alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpverify.accounting.privacy_loss import UNIT, Atoms, Float, Masses


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceLoss:
    """Laplace noise of scale 1 shifted by `shift` > 0: atoms at both ends, an exponential density between them."""

    shift: float

    def atoms(self) -> Atoms:
        """Half of P at the top, and as much of Q at the bottom."""
        if self.shift == 0:
            return Atoms(p=np.ones(1), loss=np.zeros(1))
        masses = np.array([math.exp(-self.shift) / 2, 0.5])
        return Atoms(p=masses, loss=np.array([-self.shift, self.shift]), p_error=4 * UNIT)

    def masses(self, thresholds: Float) -> Masses | None:
        """The density is, with y = (shift - L) / 2 in (0, shift), e^-y / 2 under P and e^(y - shift) / 2 under Q."""
        if self.shift == 0:
            return None
        y = (self.shift - np.clip(np.concatenate(([-np.inf], thresholds, [np.inf])), -self.shift, self.shift)) / 2
        gap = -np.expm1(np.diff(y))  # y falls: 1 - e^-(length of the cell)
        p = np.exp(-y[1:]) * gap / 2
        q = np.exp(y[:-1] - self.shift) * gap / 2
        # A threshold rounded by one unit moves mass across it; nothing cancels otherwise.
        error = 4 * UNIT * (1 + self.shift) * np.ones(thresholds.shape) / 2
        return Masses(p=p, q=q, p_error=error * np.exp(-y[1:-1]), q_error=error * np.exp(y[1:-1] - self.shift))

    def extent(self, tail: float) -> tuple[float, float]:
        """The loss is bounded."""
        return -self.shift, self.shift

    def bounds(self) -> tuple[float, float]:
        """The shift, to both sides."""
        return -self.shift, self.shift
