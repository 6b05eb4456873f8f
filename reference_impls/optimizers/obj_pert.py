"""ObjPert: objective perturbation with Gaussian noise (Kifer, Smith, Thakurta 2012, Algorithm 1).

"Private Convex Empirical Risk Minimization and High-dimensional Regression", COLT 2012. The exact minimiser of

    (1/n) sum_i f(w; d_i) + (1/n) r(w) + (Delta / 2n) |w|^2 + b.w / n,   b ~ N(0, sigma^2 I),
    Delta = 2 lambda / epsilon,   sigma^2 = zeta^2 (8 ln(2 / delta) + 4 epsilon) / epsilon^2,

is claimed (epsilon, delta)-DP where |grad f| <= zeta, and the Hessian of f has rank at most one and eigenvalues of at
most lambda. Half of epsilon pays for b, which has to hide one record's gradient, the other half for the change of the
Jacobian, ``1 + lambda / Delta <= e^(epsilon / 2)``. With many records Delta hurts little and noise much, so another
`share` for the Jacobian is better; the proof needs no halves:

    Delta = lambda / (share epsilon),   sigma^2 = zeta^2 (2 ln(2 / delta) + 2 rest) / rest^2,
    rest = (1 - share) epsilon.

The relation is one record added or removed, as the constants are for a single gradient. RSGD compares under replaced
records, where two gradients change and b has to hide 2 zeta: ``relation="replace"`` doubles sigma. That is derived here
and in no paper (the Jacobian's part of epsilon stays: both data sets are a common one with one record more).

The regulariser ``r(w) = (regularisation / 2) |w|^2`` must not depend on n; what RSGD writes beside the mean,
``(lambda / 2) |w|^2``, is regularisation = n lambda: `l2`, where records are replaced.

Assumption: the minimum is exact. Here L-BFGS and then Newton's method go on until every entry of the gradient of the
objective times n is at most `tolerance`, which is checked: a run that does not get there ends with an InputError and
has no output. The gradient r that is left costs privacy that no account covers (Iyengar et al. 2019, "Towards Practical
Differentially Private Convex Optimization", add noise for it): an output with gradient r is the exact one for b - r,
whose log density differs by about |r| |b| / sigma^2, of the order of d tolerance / sigma; at the defaults and d = 124
that is 1e-5. This is an estimate, not a proof.

The text of the cited paper was not at hand; the constants are those that public code of RSGD's authors uses (there,
unlike here, neither term in |w|^2 includes the intercept, so strong convexity fails).

Not to be confused with objective *clipping* (BLSGD), nor with output perturbation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Count, NonNegative, OpenUnit, Positive
from dpverify.core.subjects import Dataset
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.recording.tape import Tape
from reference_impls.models.loss_constants import Constants, bounded_constants
from reference_impls.models.margin import LinearModelText, margin_model
from reference_impls.training.claim_conditions import need_whole_noise
from reference_impls.training.lbfgs import minimum
from reference_impls.training.trainer import Training, table_for

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjPert(Training):
    """Subject ``obj-pert``. Data set: a table, rows of norm at most `norm`. Result: the minimiser, shape (d,).

    Attributes
    ----------
    model : str
        A linear model, smooth with bounded gradients (others have Hessians of higher rank).
    epsilon, delta : float
        The claim, under `relation`.
    share : float
        Of epsilon, for the Jacobian, in (0, 1); a half as published.
    regularisation : float
        Of r, >= 0.
    l2 : float
        A regulariser beside the mean, ``(l2 / 2) |w|^2``, so n l2 of the sum, >= 0; under ``replace`` only, as an added
        record would change it.
    norm : float
        Bound on the rows' L2 norms, > 0; longer rows are refused.
    relation : "add-remove" or "replace"
        As published, or with twice the noise.
    noise_multiplier : float
        On sigma; 0 for no noise. Nothing is claimed below 1.
    tolerance : float
        On the largest entry of the gradient of the sum, > 0.
    iterations : int
        At most, of L-BFGS and then of Newton.
    """

    model: LinearModelText = "logistic"
    epsilon: Positive = 1.0
    delta: OpenUnit = 1e-8
    share: OpenUnit = 0.5
    regularisation: NonNegative = 0.0
    l2: NonNegative = 0.0
    norm: Positive = 1.0
    relation: Literal["add-remove", "replace"] = "add-remove"
    noise_multiplier: NonNegative = 1.0
    tolerance: Positive = 1e-6
    iterations: Count = 1000

    def validate(self) -> None:
        """The loss must be smooth, with bounded gradients."""
        _ = self.conditions
        if self.l2 and self.relation != "replace":
            raise InputError(
                f"ObjPert: l2 = {self.l2:g} under {self.relation}",
                allowed="0, as n l2 changes where a record is added",
                remedy="take regularisation, which does not depend on n, or relation='replace'",
            )

    @property
    def conditions(self) -> Constants:
        """zeta (`lipschitz`) and lambda (`smoothness`) of one record's loss."""
        return bounded_constants(margin_model(self.model), norm=self.norm)

    @property
    def strength(self) -> float:
        """Delta, the coefficient that the algorithm adds to r's."""
        return self.conditions.smoothness / (self.share * self.epsilon)

    @property
    def sensitivity(self) -> float:
        """The gradient norm that b has to hide: zeta, or 2 zeta for replaced records."""
        return self.conditions.lipschitz * (2.0 if self.relation == "replace" else 1.0)

    @property
    def noise_scale(self) -> float:
        """sigma, the standard deviation of a coordinate of b."""
        rest = (1.0 - self.share) * self.epsilon
        return (
            self.noise_multiplier * self.sensitivity * math.sqrt(2.0 * math.log(2.0 / self.delta) + 2.0 * rest) / rest
        )

    def guarantee(self) -> ApproxDP:
        """What is claimed, under `relation`, for an exact minimum; InputError with less than the published noise."""
        need_whole_noise(self)
        return ApproxDP(epsilon=self.epsilon, delta=self.delta)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published algorithm, on the sum (n times the objective above), to its minimum.

        Raises
        ------
        InputError
            When the minimum is not reached, and for a table that does not fit.
        """
        model = margin_model(self.model)
        table = table_for(model, dataset)
        table.need_norm(self.norm)
        start = np.zeros(table.columns)
        linear = tape.perturb(
            "linear-term",
            start,
            law="gaussian",
            scale=self.noise_scale,
            sensitivity=0.0,  # of the zeros that get the noise; b hides a record's part of the gradient
            released=False,
        )
        quadratic = self.strength + self.regularisation + self.l2 * table.rows

        def objective(weights: Float) -> tuple[float, Float]:
            value = float(model.losses(weights, table).sum()) + float(np.einsum("j,j->", linear, weights))
            gradient = model.gradient(weights, table) + quadratic * weights + linear
            return value + 0.5 * quadratic * float(np.square(weights).sum()), gradient

        tape.iterate(start)
        weights = minimum(objective, start, tolerance=self.tolerance, iterations=self.iterations)
        tape.iterate(weights)
        return weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("obj-pert", ObjPert)
