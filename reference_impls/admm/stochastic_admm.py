"""Stochastic ADMM without privacy (Ouyang, He, Tran, Gray 2013), as DISS, section 4.4.3, states it in (4.7).

    min over x, z of (1/n) sum_i f(x; d_i) + l1 |z|_1   subject to   A x = z

with a mini-batch gradient in place of f. ``constraint="identity"`` is the chapter's L1-regularised problem (A = I);
``"differences"`` penalises the differences of neighbouring coordinates (a path graph: the generalised LASSO that
section 4.1 names). For another A than the identity the x-step solves

    (rho A'A + I / eta) x = -g - A'y + rho A'z + x^k / eta

Makes no privacy claim. With A = I it is ssADMM at sigma = 0 and clip = inf.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.rules import Count, OneOf
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.admm.admm_training import AdmmTraining
from reference_impls.admm.schedules import SCHEDULES, step_sizes
from reference_impls.admm.updates import dual, primal, split
from reference_impls.training.clipping import Clip

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class StochasticAdmm(AdmmTraining):
    """Subject ``stochastic-admm``. Data set: a table. Result: x^T, shape (d,).

    The other attributes: :class:`~reference_impls.admm.admm_training.AdmmTraining`.

    Attributes
    ----------
    steps : int
        T.
    batch_size : int or None
        m; None for all records. Batches are drawn afresh, without replacement; more than n means all of them.
    constraint : "identity" or "differences"
        The matrix A.
    """

    schedule: Annotated[str, OneOf(SCHEDULES)] = "root"
    clip: Clip = math.inf
    steps: Count = 100
    batch_size: Count | None = None
    constraint: Literal["identity", "differences"] = "identity"

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """(4.4) to (4.6) with (4.7) in place of (4.3), for any model."""
        model, table, x = self.prepared(dataset)
        size = min(self.batch_size or table.rows, table.rows)
        differences = self.constraint == "differences"
        z = np.diff(x) if differences else x
        y = np.zeros_like(z)
        tape.iterate(x)
        for eta in step_sizes(self.schedule, self.initial_step, self.steps, batch=size, rows=table.rows):
            batch = tape.subset("batch", table.rows, size)
            gradient = model.gradient(x, table, batch, clip=self.clip) / size
            x = (differences_step if differences else primal)(gradient, x, y, z, eta, self.rho)
            split_x = np.diff(x) if differences else x
            z = split(split_x, y, self.rho, self.l1)
            y = dual(y, split_x, z, self.rho)
            tape.publish("step-size", eta)
            tape.publish("z", z)
            tape.publish("y", y)
            tape.iterate(x)
        return x


def differences_step(gradient: Float, x: Float, y: Float, z: Float, eta: float, rho: float) -> Float:
    """The minimiser of (4.7) in x for A x = (x_2 - x_1, x_3 - x_2, ...); x of shape (d,), y and z of shape (d - 1,).

    A'A is the Laplacian of a path, three diagonals.
    """
    from scipy.linalg import solveh_banded

    if x.size == 1:  # one coordinate has no differences, and SciPy refuses so small a matrix
        return x - eta * gradient
    right = -gradient + _back(y) - rho * _back(z) + x / eta
    bands = np.zeros((2, x.size))
    bands[0, 1:] = -rho
    bands[1] = 1.0 / eta + rho * (np.arange(x.size) > 0) + rho * (np.arange(x.size) < x.size - 1)
    return np.asarray(solveh_banded(bands, right), dtype=np.float64)


def _back(values: Float) -> Float:
    """-A' v, shape (d,)."""
    return np.diff(values, prepend=0.0, append=0.0)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("stochastic-admm", StochasticAdmm)
