"""Stochastic ADMM without privacy (Ouyang, He, Tran, Gray 2013), as DISS, section 4.4.3, states it in (4.7).

    min over x, z of (1/n) sum_i f(x; d_i) + l1 |z|_1   subject to   A x = z

with a mini-batch gradient in place of f. ``constraint="identity"`` is the chapter's L1-regularised problem (A = I);
``"differences"`` penalises the differences of neighbouring coordinates (a path graph: the generalised LASSO that
section 4.1 names). For another A than the identity the x-step solves

    (rho A'A + I / eta) x = -g - A'y + rho A'z + x^k / eta

Makes no privacy claim. Not to be confused with ssADMM at sigma = 0, of which it is the clip = inf case where A = I.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.admm.admm_training import AdmmTraining
from reference_impls.admm.schedules import step_sizes
from reference_impls.admm.updates import dual, primal, split
from reference_impls.training.settings import need_count

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]
CONSTRAINTS = ("identity", "differences")


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
        A.
    """

    schedule: str = "root"
    clip: float = math.inf
    steps: int = 100
    batch_size: int | None = None
    constraint: str = "identity"

    def __post_init__(self) -> None:
        AdmmTraining.__post_init__(self)
        need_count(self, "steps")
        if self.batch_size is not None:
            need_count(self, "batch_size")
        if self.constraint not in CONSTRAINTS:
            raise InputError(f"constraint = {self.constraint!r}", allowed=", ".join(CONSTRAINTS))

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """(4.4) to (4.6) with (4.7) in place of (4.3), for any model."""
        model, table, x = self.prepared(dataset)
        size = min(self.batch_size or table.rows, table.rows)
        apart = self.constraint == "differences"
        z = np.diff(x) if apart else x
        y = np.zeros_like(z)
        tape.iterate(x)
        for eta in step_sizes(self.schedule, self.initial_step, self.steps, batch=size, rows=table.rows):
            batch = tape.subset("batch", table.rows, size)
            gradient = model.gradient(x, table, batch, clip=self.clip) / size
            x = (differences_step if apart else primal)(gradient, x, y, z, eta, self.rho)
            shown = np.diff(x) if apart else x
            z = split(shown, y, self.rho, self.l1)
            y = dual(y, shown, z, self.rho)
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

    if x.size == 1:  # no differences, and SciPy refuses a single band of two
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
