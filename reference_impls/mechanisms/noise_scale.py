"""Mechanisms whose noise scale comes from an epsilon or from a sigma, with a multiplier for deliberate faults.

A scale of sensitivity / epsilon that rounds *down* would break its claim in the last digit, and exact methods would
rightly say so. So :meth:`EpsilonScaled.scale` returns the least double that is not below the quotient in real numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dpverify.core.fields import Checked
from dpverify.core.rules import Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class EpsilonScaled(Checked):
    """A mechanism whose noise is scaled to an epsilon.

    Attributes
    ----------
    epsilon : float
        What the mechanism aims at, in nats; > 0.
    noise_multiplier : float
        Multiplies every noise scale; anything but 1 is a deliberate fault, for the known-broken variants.
    """

    epsilon: Positive = 0.1
    noise_multiplier: Positive = 1.0

    def scale(self, sensitivity: float) -> float:
        """``sensitivity / epsilon``, never below it in real numbers (for a multiplier of 1), times the multiplier."""
        return _quotient(sensitivity, self.epsilon) * self.noise_multiplier


@dataclass(frozen=True, slots=True, kw_only=True)
class SigmaScaled(Checked):
    """A mechanism whose noise has a given standard deviation.

    Attributes
    ----------
    sigma : float
        The noise's standard deviation for sensitivity 1; > 0.
    noise_multiplier : float
        Multiplies it; anything but 1 is a deliberate fault, for the known-broken variants.
    """

    sigma: Positive = 1.0
    noise_multiplier: Positive = 1.0


@lru_cache(maxsize=256)
def _quotient(sensitivity: float, epsilon: float) -> float:
    """The least double that is not below the quotient in real numbers; remembered, for laws ask at every point."""
    scale = sensitivity / epsilon
    if Fraction(scale) * Fraction(epsilon) < Fraction(sensitivity):
        scale = math.nextafter(scale, math.inf)
    return scale
