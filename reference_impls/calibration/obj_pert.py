"""Objective perturbation: the tight price of one exact minimum, for losses of a margin.

b ~ N(0, sigma^2 I) and the minimum w determine each other. One record more adds c x to the gradient, with x its public
direction of norm at most 1 (the loss is of w.x) and |c| <= zeta, and its Hessian adds c' x x^T, c' <= lambda. So, with
Z a standard normal coordinate of b along x, the privacy loss is at most

    k + mu^2 / 2 + mu |Z|,   mu = zeta / sigma,   k = log(1 + lambda / (Delta + r)),

in either order (k = 0 in one of them), whatever c depends on. Its profile is twice that of N(0, 1), N(mu, 1) at
epsilon - k, where that is at least mu^2 / 2 (Redberg, Koskela, Wang 2023, "Improving the Privacy and Practicality of
Objective Perturbation", Theorem 3.1; tighter than Kifer, Smith, Thakurta 2012).

Replaced: b hides c_1 x_1 - c_2 x_2. The loss is convex in (c_1, c_2), so largest at corners: k + a^2 / 2 + a |U| or k
+ b^2 / 2 + b |V| with a^2 = (2 + 2 r) mu^2, b^2 = (2 - 2 r) mu^2, r = x_1.x_2 between the directions, and both are
added up (union). The worst r is looked for between points of a lattice, from above. Shorter directions move less.

Assumptions: the minimum is exact (`reference_impls.optimizers.obj_pert` says what is left); the regulariser does not
depend on n. As accounted then: Kifer, Smith, Thakurta's constants.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtr

from dpverify.core.composition import Composed
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float
from dpverify.utility.calibration_family import Asked, Cost, Family
from dpverify.utility.closed_forms import Profile, Stated

_LATTICE = np.concatenate(([0.0], np.geomspace(1e-6, 1.0, 400)))  # of b^2 / (a^2 + b^2), up to a half by symmetry
ROUNDING = 1e-12
"""Absolute rise of two tails' difference, relative to the larger one."""


class ObjPertFamily(Family):
    """The epsilon that sets sigma and Delta, whose parts are `share` and the rest."""

    knob = "epsilon"
    budget = True
    then = "sigma and Delta of Kifer, Smith, Thakurta 2012"

    def settled(self, algorithm: Any, asked: Asked) -> Any:
        """The relation doubles sigma or not; the noise is the published one."""
        return replace(algorithm, delta=asked.delta, relation=asked.relation, noise_multiplier=1.0)

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """The profile above."""
        own = algorithm.conditions
        mu = own.lipschitz / algorithm.noise_scale if algorithm.noise_scale > 0 else math.inf
        convex = algorithm.strength + algorithm.regularisation + algorithm.l2 * asked.rows
        jacobian = math.log1p(own.smoothness / convex)
        return (perturbed_minimum(mu, jacobian, replaced=asked.relation == "replace"),)

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        """The claim."""
        return Stated(value=algorithm.epsilon, at=algorithm.delta)

    def accountant(self, found: str, algorithm: Any, asked: Asked) -> str:
        """What it assumes."""
        return "closed form (Redberg, Koskela, Wang 2023, Theorem 3.1), for an exact minimum"


def perturbed_minimum(mu: float, jacobian: float, *, replaced: bool) -> Profile:
    """The profile of one minimum.

    Parameters
    ----------
    mu : float
        zeta over the standard deviation of b, > 0.
    jacobian : float
        k >= 0, nats.
    replaced : bool
        Whether one record is replaced, or added or removed.
    """

    def curve(epsilon: float) -> float:
        if not math.isfinite(mu):
            return 1.0
        beyond = epsilon - jacobian
        if not replaced:
            return float(_excess(np.array([mu]), beyond)[0])
        small = 2.0 * mu * np.sqrt(_LATTICE / 2.0)  # b, rising; a falls as it rises
        large = 2.0 * mu * np.sqrt(1.0 - _LATTICE / 2.0)
        return min(1.0, float((_excess(large[:-1], beyond) + _excess(small[1:], beyond)).max()))

    return Profile(curve=curve)


def _excess(mu: Float, epsilon: float) -> Float:
    """E(1 - e^(epsilon - mu^2 / 2 - mu |Z|))_+ for mu > 0, never below; shape of `mu`."""
    with np.errstate(over="ignore", under="ignore"):
        start = np.maximum(epsilon / mu - mu / 2.0, 0.0)
        upper = ndtr(-start)
        lower = np.exp(np.minimum(epsilon + log_ndtr(-(start + mu)), 0.0))
        return np.asarray(np.clip(2.0 * (upper - lower + ROUNDING * upper), 0.0, 1.0))


def register(registry: Registry) -> None:
    """By class."""
    registry.calibrations.add("ObjPert", ObjPertFamily())
