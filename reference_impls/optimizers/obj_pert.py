"""ObjPert: objective perturbation with Gaussian noise (Kifer, Smith, Thakurta 2012, Algorithm 1).

"Private Convex Empirical Risk Minimization and High-dimensional Regression", COLT 2012. The exact minimiser of

    (1/n) sum_i f(w; d_i) + (1/n) r(w) + (Delta / 2n) |w|^2 + b.w / n,   b ~ N(0, sigma^2 I),
    Delta = 2 lambda / epsilon,   sigma^2 = zeta^2 (8 ln(2 / delta) + 4 epsilon) / epsilon^2,

is claimed (epsilon, delta)-DP where |grad f| <= zeta, and the Hessian of f has rank at most one and eigenvalues of at
most lambda. Half of epsilon pays for b, which has to hide a gradient that comes or goes, the other half for the
change of the Jacobian, ``1 + lambda / Delta <= e^(epsilon / 2)``.

The relation is one record added or removed, as the constants are for a single gradient. RSGD compares under replaced
records, where two gradients change and b has to hide 2 zeta: ``relation="replace"`` doubles sigma, which is derived
here and in no paper (the Jacobian's share stays: both data sets are a common one and one record more).

The regulariser ``r(w) = (regularisation / 2) |w|^2`` must not depend on n; what RSGD writes beside the mean,
``(lambda / 2) |w|^2``, is regularisation = n lambda.

Assumption: the minimum is exact. Here it is L-BFGS's, then Newton's, until every entry of the gradient of the objective
times n is at most `tolerance`, which is checked: a run that does not get there is an InputError and has no output. What
is left of the gradient is privacy that nobody counts (Iyengar et al. 2019, "Towards Practical Differentially Private
Convex Optimization", add noise for it): an output with the rest r is the exact one for b - r, whose log density is off
by |r| |b| / sigma^2 or so, of the order of d tolerance / sigma; at the defaults and d = 124 that is 1e-5. Small, and no
proof.

The stored papers do not contain this algorithm; its constants are those of the cited paper as public code of RSGD's
authors uses them (where, other than here, neither term in |w|^2 reaches the intercept, and strong convexity fails
there).

Not to be confused with objective *clipping* (BLSGD), nor with output perturbation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.definitions.approx_dp import ApproxDP
from dpverify.recording.tape import Tape
from reference_impls.models.loss_constants import Constants, constants
from reference_impls.models.margin import margin_model
from reference_impls.training.lbfgs import minimise, stationary
from reference_impls.training.settings import need_count, need_non_negative, need_positive, need_whole_noise
from reference_impls.training.trainer import Training, table_for

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]
RELATIONS = ("add-remove", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjPert(Training):
    """Subject ``obj-pert``. Data set: a table, rows of norm at most `norm`. Result: the minimiser, shape (d,).

    Attributes
    ----------
    model : str
        A linear model, smooth with bounded gradients (others have Hessians of higher rank).
    epsilon, delta : float
        The claim, under `relation`.
    regularisation : float
        Of r, >= 0.
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

    model: str = "logistic"
    epsilon: float = 1.0
    delta: float = 1e-8
    regularisation: float = 0.0
    norm: float = 1.0
    relation: str = "add-remove"
    noise_multiplier: float = 1.0
    tolerance: float = 1e-6
    iterations: int = 1000

    def __post_init__(self) -> None:
        margin_model(self.model)
        need_positive(self, "epsilon", "delta", "norm", "tolerance")
        need_non_negative(self, "regularisation", "noise_multiplier")
        need_count(self, "iterations")
        if self.delta >= 1.0:
            raise InputError(f"delta = {self.delta}", allowed="0 < delta < 1")
        if self.relation not in RELATIONS:
            raise InputError(f"relation {self.relation!r}", allowed=", ".join(RELATIONS))
        if not (math.isfinite(self.conditions.smoothness) and math.isfinite(self.conditions.lipschitz)):
            raise InputError(f"model {self.model!r}", allowed="a smooth loss with bounded gradients")

    @property
    def conditions(self) -> Constants:
        """zeta (`lipschitz`) and lambda (`smoothness`) of one record's loss."""
        return constants(margin_model(self.model), norm=self.norm)

    @property
    def strength(self) -> float:
        """Delta, the coefficient that the published algorithm adds to r's."""
        return 2.0 * self.conditions.smoothness / self.epsilon

    @property
    def sensitivity(self) -> float:
        """What b has to hide: zeta, or twice that."""
        return self.conditions.lipschitz * (2.0 if self.relation == "replace" else 1.0)

    @property
    def noise_scale(self) -> float:
        """sigma."""
        share = math.sqrt(8.0 * math.log(2.0 / self.delta) + 4.0 * self.epsilon) / self.epsilon
        return self.noise_multiplier * self.sensitivity * share

    def guarantee(self) -> ApproxDP:
        """What is claimed, under `relation`, for an exact minimum; InputError with less than the published noise."""
        need_whole_noise(self)
        return ApproxDP(epsilon=self.epsilon, delta=self.delta)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published algorithm, on the sum (n times the objective above), to its minimum.

        Raises
        ------
        InputError
            When the minimum is not reached, besides what is said of the data.
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
            sensitivity=0.0,  # of the constant; what b hides is a record's share in the gradient
            released=False,
        )
        quadratic = self.strength + self.regularisation

        def objective(weights: Float) -> tuple[float, Float]:
            value = float(model.losses(weights, table).sum()) + float(np.einsum("j,j->", linear, weights))
            gradient = model.gradient(weights, table) + quadratic * weights + linear
            return value + 0.5 * quadratic * float(np.square(weights).sum()), gradient

        tape.iterate(start)
        near = minimise(objective, start, tolerance=self.tolerance, iterations=self.iterations)
        weights = stationary(
            lambda point: objective(point)[1], near, tolerance=self.tolerance, iterations=self.iterations
        )
        tape.iterate(weights)
        return weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("obj-pert", ObjPert)
