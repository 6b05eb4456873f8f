"""Gaussian differential privacy: no test tells P from Q better than N(0, 1) from N(mu, 1) (Dong, Roth, Su 2019).

Results: f(alpha) = Phi(Phi^-1(1 - alpha) - mu) (their equation 6), and, by their Corollary 2.13,
delta(epsilon) = Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2), here without cancellation: with
a = epsilon/mu - mu/2, b = a + mu and the Mills ratio R = Phi(-x)/phi(x) it is phi(a) (R(a) - R(b)), because
e^epsilon phi(b) = phi(a). Relative error about 1e-13, rounded to neither side.
Not to be confused with zCDP: mu-GDP implies mu^2/2-zCDP, never the other way round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike
from scipy.special import erfcx, ndtr, ndtri

from dpverify.core.evidence import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import NonNegative
from dpverify.core.subjects import Float
from dpverify.definitions.curve import rates, symmetric_profile
from dpverify.definitions.parameters import Parametrised

_SMALL_MU = 0.5  # below it R(a) - R(b) loses digits, and is integrated instead
_FAR_LEFT = -5.0  # left of it R overflows in the end, while Phi(-a) - phi(a) R(b) loses nothing
_UNDERFLOW = 40.0  # phi(40) is 0
_NODES, _WEIGHTS = leggauss(16)
ROUNDING = 1e-12  # above the relative error of delta
SCORES = (-1.0, 0.0, 1.0, 2.0, 3.0)  # thresholds of the log-likelihood ratio, in its standard deviations


@dataclass(frozen=True, slots=True, kw_only=True)
class GDP(Parametrised):
    """The claim that every pair of neighbours is at least as hard to tell apart as N(0, 1) and N(mu, 1).

    Attributes
    ----------
    mu : float
        Finite, >= 0.

    Raises
    ------
    InputError
        For any other mu.
    """

    mu: NonNegative

    @classmethod
    def examples(cls) -> tuple[GDP, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (cls(mu=1), cls(mu=0.5), cls(mu=0), cls(mu=4), cls(mu=1e-3))

    def measures(self) -> tuple[Measure, ...]:
        """Mu, then delta where the log-likelihood ratio N(mu^2/2, mu^2) stands -1 to 3 deviations from its mean.

        The deltas are rounded up: a claim that holds with equality is not exceeded by the last digit.
        """
        levels = sorted({max(0.0, self.mu * self.mu / 2 + self.mu * score) for score in SCORES})
        return (
            Measure(kind="mu", claimed=self.mu),
            *(
                Measure(kind="delta", argument=level, claimed=min(1.0, float(self.delta(level)) * (1 + ROUNDING)))
                for level in levels
            ),
        )

    def scaled(self, factor: float) -> GDP:
        """``GDP(mu=factor * mu)``, for `factor` > 0."""
        return GDP(mu=factor * self.mu)

    def delta(self, epsilon: ArrayLike, *, reverse: bool = False) -> Float:
        """Largest delta allowed at `epsilon` (nats, any sign and shape); the same in both directions."""
        return symmetric_profile(epsilon, self._upper_delta)

    def tradeoff(self, alpha: ArrayLike, *, reverse: bool = False) -> Float:
        """Least false-negative rate allowed at false-positive rates `alpha` (any shape); same in both directions."""
        alpha = rates(alpha)
        if self.mu == 0:
            return np.asarray(1 - alpha)
        return np.asarray(ndtr(-ndtri(alpha) - self.mu))

    def _upper_delta(self, epsilon: Float) -> Float:
        """delta at epsilons >= 0, shape (n,)."""
        if self.mu == 0:
            return np.zeros_like(epsilon)
        with np.errstate(over="ignore", under="ignore"):
            # A tiny mu would overflow; beyond the cap the density is 0 anyway.
            start = np.minimum(epsilon / self.mu - self.mu / 2, _UNDERFLOW)
            density = np.exp(-start * start / 2) / math.sqrt(2 * math.pi)
            if self.mu < _SMALL_MU:
                points = start + self.mu * (_NODES[:, None] + 1) / 2
                # R' = x R - 1
                drop = self.mu / 2 * np.sum(_WEIGHTS[:, None] * (1 - points * _mills(points)), axis=0)
                result = density * drop
            else:
                near = np.maximum(start, _FAR_LEFT)
                close = density * (_mills(near) - _mills(near + self.mu))
                far = ndtr(-start) - density * _mills(np.maximum(start + self.mu, 0.0))
                result = np.where(start > _FAR_LEFT, close, far)
        return np.asarray(np.clip(result, 0.0, 1.0))


def _mills(x: Float) -> Float:
    """Phi(-x) / phi(x)."""
    return np.asarray(math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2)))


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("GDP", GDP)
