"""What mpADMM and ssADMM have in common: linearised steps, Gaussian noise, and one kernel for linear models.

The two differ in their batches and in what gets the noise: the gradient, or x, y and z.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.rules import NonNegative
from dpverify.datasets.table import Table
from dpverify.sampling.permutation import shuffle_start
from dpverify.sampling.streams import State
from dpverify.sampling.ziggurat import normal
from reference_impls.admm.admm_training import AdmmTraining
from reference_impls.admm.updates import dual_of, primal_of, split_of
from reference_impls.models.linear import LinearModel, add_clipped_gradient, kernel_records
from reference_impls.training.clipping import need_finite_clip
from reference_impls.training.model_training import LinearKernel

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearisedAdmm(AdmmTraining, LinearKernel):
    """Noise, and samples by the kernel; subclasses have the loop.

    Attributes
    ----------
    sigma : float
        Standard deviation of a coordinate's noise, >= 0. The chapter prints no value.
    """

    sigma: NonNegative = 0.01

    relation = "replace"

    def validate(self) -> None:
        """Noise needs a finite clipping threshold."""
        if self.sigma:
            need_finite_clip(self)

    @abstractmethod
    def kernel_settings(self, rows: int) -> tuple[Float, int, bool, bool]:
        """For :func:`admm_many`: step sizes, batch size, `noisy_gradient` and `average`."""

    def run_kernel(self, out: Float, model: LinearModel, table: Table, state: State) -> None:
        """One training in each row of `out`, by :func:`admm_many`."""
        settings = (self.sigma, self.clip, self.rho, self.l1)
        admm_many(out, *kernel_records(model, table), *self.kernel_settings(table.rows), settings, *state)


@njit(cache=True, nogil=True)
def admm_many(
    out: Float,
    code: int,
    h_bar: float,
    features: Float,
    labels: Float,
    norms: Float,
    steps: Float,
    batch: int,
    noisy_gradient: bool,
    average: bool,
    settings: tuple[float, float, float, float],
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """One training in each row of `out`, shape (size, d); draws in the order of the published loops.

    With `noisy_gradient` (ssADMM) each step draws a batch of `batch` records, and their mean gradient gets the noise.
    Without it (mpADMM) each step takes all records, and then x, y and z get noise, one after the other. A row is the
    last x, or with `average` the mean of x^0 .. x^(T-1).
    """
    sigma, clip, rho, l1 = settings
    rows, columns = features.shape
    order = np.arange(rows)
    taken = min(batch, rows) if noisy_gradient else rows
    gradient = np.empty(columns)
    x, y, z = np.empty(columns), np.empty(columns), np.empty(columns)
    for trial in range(out.shape[0]):
        total = out[trial]
        total[:] = 0.0
        x[:] = 0.0
        y[:] = 0.0
        z[:] = 0.0
        for eta in steps:
            if noisy_gradient:
                s0, s1, s2, s3 = shuffle_start(order, taken, s0, s1, s2, s3)
            gradient[:] = 0.0
            add_clipped_gradient(gradient, code, h_bar, clip, x, features, labels, norms, order[:taken])
            for j in range(columns):
                total[j] += x[j]
                mean = gradient[j] / batch
                if noisy_gradient:
                    unit, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
                    mean += sigma * unit
                x[j] = primal_of(mean, x[j], y[j], z[j], eta, rho)
                z[j] = split_of(x[j], y[j], rho, l1)
                y[j] = dual_of(y[j], x[j], z[j], rho)
            if not noisy_gradient:
                for released in (x, y, z):
                    for j in range(columns):
                        unit, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
                        released[j] += sigma * unit
        for j in range(columns):
            total[j] = total[j] / steps.size if average else x[j]
