"""The privacy loss L = log(P(y) / Q(y)), y ~ P, of one step: its atoms and the masses between any two thresholds.

Basis: a pair (P, Q) is known, for every composition, by the law of L under P alone (Dwork and Rothblum 2016;
Sommer, Meiser, Mohammadi 2019); the law under Q follows from it. Each family (``loss_gaussian``,
``loss_sources``, and ``loss_derived`` from these) gives both masses in closed form, on whichever tail is small, so that
tails keep their relative precision.

Assumptions: L is a monotone function of one real output (additive Gaussian or Laplace noise, and a Poisson sample of
it), or the outcomes are finitely many. Limits: no family for opaque densities. Not to be confused with the loss of one
*run*, nor with its expectation (the Kullback-Leibler divergence).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from dpverify.core.subjects import Float

UNIT = 2.0**-53


@dataclass(frozen=True, slots=True, kw_only=True)
class Atoms:
    """Losses taken with positive probability.

    Attributes
    ----------
    p, loss : ndarray, shape (k,)
        Mass under P and the loss; +inf where Q has no mass.
    p_error, loss_error : float
        Bounds on the relative error of each mass and on the absolute error of each loss.
    """

    p: Float
    loss: Float
    p_error: float = 0.0
    loss_error: float = 0.0


NO_ATOMS = Atoms(p=np.zeros(0), loss=np.zeros(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Masses:
    """Masses of the continuous part, between thresholds t_0 < ... < t_n.

    Attributes
    ----------
    p, q : ndarray, shape (n + 2,)
        Under P and Q, of (-inf, t_0], (t_0, t_1], ..., (t_n, inf).
    p_error, q_error : ndarray, shape (n + 1,)
        Bounds on the absolute error of the mass above (equally: below) each threshold.
    """

    p: Float
    q: Float
    p_error: Float
    q_error: Float

    def reversed(self) -> Masses:
        """Return the law of -L, with P and Q exchanged."""
        return Masses(p=self.q[::-1], q=self.p[::-1], p_error=self.q_error[::-1], q_error=self.p_error[::-1])


@runtime_checkable
class LossLaw(Protocol):
    """The privacy loss of one step in one direction."""

    def atoms(self) -> Atoms:
        """The discrete part: single losses with a positive probability."""
        ...

    def masses(self, thresholds: Float) -> Masses | None:
        """The continuous part, cut at thresholds (rising, shape (n + 1,)); None where there is none."""
        ...

    def extent(self, tail: float) -> tuple[float, float]:
        """Bounds on the finite losses; neither P nor Q has a mass above `tail` on either side outside them."""
        ...

    def bounds(self) -> tuple[float, float]:
        """Least and greatest values of the loss, essential ones; infinite when unbounded, outward of every error."""
        ...
