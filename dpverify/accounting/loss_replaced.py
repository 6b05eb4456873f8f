"""The privacy loss of a Poisson sample's Gaussian where one record is replaced: a mixture to either side.

The pair is (1 - q) N(0, 1) + q N(mu, 1) against (1 - q) N(0, 1) + q N(-mu, 1). With y the output, L = log of the ratio
rises with y and is odd in it, and its inverse is closed: mu y = t / 2 + asinh(((1 - q) / q) e^(mu^2 / 2) sinh(t / 2)).
Both masses between thresholds follow, each a mixture of two normal laws'. Limits: errors are those of floating point,
carried by hand. Not to be confused with :mod:`~dpverify.accounting.loss_derived`, where one of the laws has no mixture.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from dpverify.accounting.loss_gaussian import normal_cells
from dpverify.accounting.privacy_loss import NO_ATOMS, UNIT, Atoms, Float, Masses

_LARGE = 30.0  # beyond it sinh and asinh are half an exponential and a logarithm, up to 1e-26


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacedGaussianLoss:
    """Both laws are samples at `rate` in (0, 1), whose record moves by `mu` > 0 to one side and to the other."""

    mu: float
    rate: float

    @property
    def _log_odds(self) -> float:
        """log of (1 - q) / q e^(mu^2 / 2)."""
        return math.log1p(-self.rate) - math.log(self.rate) + self.mu * self.mu / 2

    def atoms(self) -> Atoms:
        """There are none."""
        return NO_ATOMS

    def _points(self, thresholds: Float) -> Float:
        half = np.abs(thresholds) / 2
        with np.errstate(over="ignore", divide="ignore"):
            log_sinh = np.where(half > _LARGE, half - math.log(2.0), np.log(np.sinh(np.minimum(half, _LARGE))))
        argument = self._log_odds + log_sinh
        near = np.arcsinh(np.exp(np.minimum(argument, _LARGE)))
        moved = half + np.where(argument > _LARGE, argument + math.log(2.0), near)
        return np.asarray(np.copysign(moved / self.mu, thresholds))

    def masses(self, thresholds: Float) -> Masses | None:
        """Three normal laws cut at one place, mixed in two ways."""
        points = self._points(thresholds)
        (left, left_error), (still, still_error), (right, right_error) = (
            self._cells(points, at) for at in (-self.mu, 0.0, self.mu)
        )
        q, rest = self.rate, 1 - self.rate
        return Masses(
            p=rest * still + q * right,
            q=rest * still + q * left,
            p_error=rest * still_error + q * right_error,
            q_error=rest * still_error + q * left_error,
        )

    def _cells(self, points: Float, at: float) -> tuple[Float, Float]:
        """Masses of N(at, 1); a point's own rounding moves mass across it: its length times the greatest density."""
        masses, error = normal_cells(points, at)
        slip = UNIT * (8 * np.abs(points) + (16 + abs(self._log_odds)) / self.mu)
        nearest = np.maximum(np.abs(points - at) - slip, 0.0)
        return masses, error + 0.5 * slip * np.exp(-nearest * nearest / 2)

    def extent(self, tail: float) -> tuple[float, float]:
        """Symmetric: the loss where the farther normal law's tail begins."""
        high = self._loss(self.mu - float(ndtri(tail)))
        return -high, high

    def _loss(self, point: float) -> float:
        up, down = (
            np.logaddexp(math.log1p(-self.rate), math.log(self.rate) + sign * self.mu * point - self.mu * self.mu / 2)
            for sign in (1.0, -1.0)
        )
        return float(up - down)

    def bounds(self) -> tuple[float, float]:
        """The loss is unbounded."""
        return -math.inf, math.inf
