"""ADMM-ObjP: ADMM whose x-step minimises a perturbed objective (Wang, Zhang 2019), a baseline of DISS, section 4.6.2.

    x = argmin (1/n) sum_i f(x; d_i) + b.x / n + y.x + (rho / 2) |x - z|^2
    z = S_(l1 / rho)(x + y / rho),   y = y + rho (x - z)

with a fresh b in every iteration, of density proportional to exp(-epsilon |b| / (2 R)): a uniform direction, and a
length of law Gamma(d, 2 R / epsilon). Exact minimisers would cost, for each iteration under replaced records,

    epsilon + 2 log(1 + c / (n rho))

by Chaudhuri, Monteleoni, Sarwate 2011, Theorem 9: gradients of norm at most R, Hessians of rank one and norm at most c,
and rho as the strong convexity; z and y are post-processing. That is what `guarantee` says.

Flaw, which the chapter itself names (sections 4.5.1 and 4.6.2): the minimum is not exact. `descent_steps` of full
gradient descent (20, section 4.6.4) from the last x, with step 1 / (c + rho), leave an error of the order (1 - rho / (c
+ rho))^20, which depends on the records and which no account covers, so nothing is claimed. ``descent_steps=None`` goes
on to the minimum as :mod:`~reference_impls.optimizers.obj_pert` does: until every entry of n times the gradient is at
most `tolerance`, which is checked; otherwise the run ends with an InputError. The gradient that is left is small, as
there, but not zero, and nothing is proved of it.

DISS describes this algorithm and does not print it. The constants here are those of the theorem above; they were not
checked against the print of the cited paper, whose defaults are not known here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Count, NonNegative, Positive
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.definitions.pure_dp import PureDP
from dpverify.recording.tape import Tape
from reference_impls.admm.updates import dual, split
from reference_impls.models.loss_constants import Constants, bounded_constants
from reference_impls.models.loss_sums import summed_loss
from reference_impls.models.margin import LinearModelText, margin_model
from reference_impls.models.model import Model
from reference_impls.training.claim_conditions import need_records, need_whole_noise
from reference_impls.training.lbfgs import minimum
from reference_impls.training.trainer import Training, table_for

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmmObjP(Training):
    """Subject ``admm-obj-p``. Data set: a table, rows of norm at most `norm`. Result: x, shape (d,).

    Attributes
    ----------
    model : str
        A linear model, smooth with bounded gradients.
    l1, rho : float
        lambda >= 0 and the penalty > 0.
    rounds : int
        Iterations.
    epsilon : float
        Spent on b in each of them, > 0.
    norm : float
        Bound on the rows' L2 norms, > 0; longer rows are refused.
    descent_steps : int or None
        Gradient steps of a minimisation, as published; None for the minimum.
    noise_multiplier : float
        On the length of b; 0 for no noise. Nothing is claimed below 1.
    tolerance : float
        What a minimum is: on the largest entry of the gradient of the sum, > 0.
    iterations : int
        At most, of L-BFGS and then of Newton, for a minimum.
    """

    model: LinearModelText = "logistic"
    l1: NonNegative = 0.0001
    rho: Positive = 0.5
    rounds: Count = 20
    epsilon: Positive = 0.1
    norm: Positive = 1.0
    descent_steps: Count | None = 20
    noise_multiplier: NonNegative = 1.0
    tolerance: Positive = 1e-6
    iterations: Count = 1000

    relation = "replace"

    def validate(self) -> None:
        """The loss must be smooth, with bounded gradients."""
        _ = self.conditions

    @property
    def conditions(self) -> Constants:
        """R (`lipschitz`) and c (`smoothness`) of one record's loss."""
        return bounded_constants(margin_model(self.model), norm=self.norm)

    @property
    def noise_scale(self) -> float:
        """2 R / epsilon, the scale of the length of b."""
        return self.noise_multiplier * 2.0 * self.conditions.lipschitz / self.epsilon

    def guarantee(self, rows: int) -> PureDP:
        """The privacy loss of all iterations for n records under replacement, for exact minima.

        Raises
        ------
        InputError
            With `descent_steps`, which end before the minimum, and with less than the published noise.
        """
        need_records(self, rows)
        need_whole_noise(self)
        if self.descent_steps is not None:
            raise InputError(
                f"AdmmObjP: a claim for {self.descent_steps} gradient steps, whose end is not the minimum",
                allowed="the exact minimum",
                remedy="descent_steps=None",
            )
        each = self.epsilon + 2.0 * math.log1p(self.conditions.smoothness / (rows * self.rho))
        return PureDP(epsilon=self.rounds * each)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The loop above; b is drawn as ``direction`` (d normals) and ``length`` (d exponentials, added up).

        Raises
        ------
        InputError
            When the minimum was asked for and not reached, and for a table that does not fit.
        """
        model = margin_model(self.model)
        table = table_for(model, dataset)
        table.need_norm(self.norm)
        step = 1.0 / (self.conditions.smoothness + self.rho)
        x, y, z = np.zeros((3, table.columns))
        tape.iterate(x)
        for _ in range(self.rounds):
            normals = tape.normal("direction", table.columns)
            length = self.noise_scale * tape.exponential("length", table.columns).sum()
            noise = length * normals / np.linalg.norm(normals)
            if tape.keep:
                tape.perturb("linear-term", noise, law="none", scale=0.0, released=False)
            if self.descent_steps is None:
                x = self._minimum(model, table, x, noise, y, z)
            for _ in range(self.descent_steps or 0):
                slope = (model.gradient(x, table) + noise) / table.rows + y + self.rho * (x - z)
                x = x - step * slope
            z = split(x, y, self.rho, self.l1)
            y = dual(y, x, z, self.rho)
            tape.iterate(x)
        return x

    def _minimum(self, model: Model, table: Table, x: Float, noise: Float, y: Float, z: Float) -> Float:
        """The minimum of n times the x-step's objective, searched from x."""
        linear, quadratic = noise + table.rows * y, table.rows * self.rho

        def objective(at: Float) -> tuple[float, Float]:
            value = summed_loss(model, at, table) + float(np.einsum("j,j->", linear, at))
            gradient = model.gradient(at, table) + linear + quadratic * (at - z)
            return value + 0.5 * quadratic * float(np.square(at - z).sum()), gradient

        return minimum(objective, x, tolerance=self.tolerance, iterations=self.iterations)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("admm-obj-p", AdmmObjP)
