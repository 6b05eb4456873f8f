"""ADADP: DP-SGD that adapts its learning rate from two noisy gradients an iteration (ADADP, Algorithm 2).

G_1 is the noisy sum of clipped gradients at theta_l, theta_(l+1) = theta_l - eta_l G_1 is the full step, and G_2 is the
noisy sum at the half step. The end of the two half steps differs from the full step by eta_l (G_1 - G_2) / 2, and this
difference alone determines eta_(l+1) (:mod:`reference_impls.optimizers.adadp_step_rule`).

Theorem 2: an iteration costs at most two moments of the subsampled Gaussian (sigma >= 1), so the same privacy allows
half as many iterations as DP-SGD, with as many gradients an epoch. The step sizes are functions of G_1 and G_2 alone.

What the step size does where noise dominates: :mod:`reference_impls.papers.adadp.lemmas.tolerance`.

Not to be confused with adaptive clipping, or with Adam, whose steps differ by coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Count
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from dpverify.sampling.poisson_subset import skip_scale
from dpverify.sampling.streams import State, state_from
from dpverify.sampling.ziggurat import normal
from reference_impls.models.linear import LinearModel, add_clipped_gradient, kernel_records
from reference_impls.models.model import find_model
from reference_impls.optimizers.adadp_step_rule import adapted, local_error
from reference_impls.optimizers.adadp_training import AdadpTraining
from reference_impls.optimizers.kernel_batches import POISSON, SHUFFLED, next_batch
from reference_impls.optimizers.noisy_sgd_traces import record_unit
from reference_impls.training.model_training import LinearKernel
from reference_impls.training.trainer import table_for

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adadp(AdadpTraining, LinearKernel):
    """Subject ``adadp``. Data set: a table. Result: the last iterate, shape (d,).

    The other attributes: :class:`~reference_impls.optimizers.adadp_training.AdadpTraining`.

    Attributes
    ----------
    steps : int
        T, iterations of two batches each.
    """

    steps: Count = 100

    def batch_count(self, rows: int) -> int:
        """2 T: two batches an iteration."""
        return 2 * self.steps

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model."""
        model, table, weights = self.begin(dataset)
        gradient, rule, step = self.noisy_gradient(model, table, tape), self.rule, self.initial_step
        tape.iterate(weights)
        for _ in range(self.steps):
            weights, step = rule.advanced(weights, step, gradient, tape)
            tape.iterate(weights)
        return weights

    def run_kernel(self, out: Float, model: LinearModel, table: Table, state: State) -> None:
        """One training in each row of `out`, by :func:`adadp_many`."""
        self._run_kernel(out, np.empty((0, 0, 0)), model, table, state)

    def traces(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """G_1, G_2 of each iteration over C (1 where nothing is clipped), of independent runs: shape (size, 2 T, d).

        The values that Theorem 2 accounts for; an observer of iterates and step sizes sees no more. Linear models only.

        Raises
        ------
        InputError
            For other models.
        """
        model = find_model(self.model)
        if not isinstance(model, LinearModel):
            raise InputError(f"traces of {model.name!r}", allowed="a linear model, such as squared or logistic")
        table = table_for(model, dataset)
        sums = np.empty((size, 2 * self.steps, table.columns))
        self._run_kernel(np.empty((size, table.columns)), sums, model, table, state_from(rng))
        return sums / record_unit(self.clip)

    def _run_kernel(self, out: Float, sums: Float, model: LinearModel, table: Table, state: State) -> None:
        rule = self.rule
        sampling = POISSON if self.sampling == "poisson" else SHUFFLED
        adadp_many(
            out,
            sums,
            *kernel_records(model, table),
            (self.steps, sampling, skip_scale(self.sampling_rate(table.rows)), self.batch_size),
            (self.noise_scale, self.clip, self.divisor, self.initial_step),
            (rule.tol, rule.alpha_min, rule.alpha_max),
            (rule.error == "relative", rule.discard, rule.halves, rule.root),
            *state,
        )


@njit(cache=True, nogil=True)
def adadp_many(
    out: Float,
    sums: Float,
    code: int,
    h_bar: float,
    features: Float,
    labels: Float,
    norms: Float,
    plan: tuple[int, int, float, int],
    settings: tuple[float, float, float, float],
    bounds: tuple[float, float, float],
    choices: tuple[bool, bool, bool, bool],
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """One training in each row of `out`, shape (size, d); draws in the order of the loop.

    The noisy sums G_1, G_2 are kept in `sums`, shape (size, 2 steps, d), unless that is empty.
    """
    steps, sampling, scale, batch_size = plan
    noise, clip, divisor, initial = settings
    tol, low, high = bounds
    relative, discard, halves, root = choices
    order = np.empty(labels.size, dtype=np.int64)
    total, full, half = np.empty(out.shape[1]), np.empty(out.shape[1]), np.empty(out.shape[1])
    for trial in range(out.shape[0]):
        weights = out[trial]
        weights[:] = 0.0
        step = initial
        end = np.int64(order.size)
        for iteration in range(steps):
            for turn in range(2):
                start, end, s0, s1, s2, s3 = next_batch(order, end, sampling, scale, batch_size, s0, s1, s2, s3)
                total[:] = 0.0
                at = weights if turn == 0 else half
                add_clipped_gradient(total, code, h_bar, clip, at, features, labels, norms, order[start:end])
                for j in range(total.size):
                    unit, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
                    total[j] += noise * unit
                    move = total[j] / divisor
                    if turn == 0:
                        full[j] = weights[j] - step * move
                    half[j] = at[j] - 0.5 * step * move
                if sums.size:
                    sums[trial, 2 * iteration + turn] = total
            error = local_error(full, half, relative)
            if not discard or error <= tol:
                weights[:] = half if halves else full
            step = adapted(step, error, tol, low, high, root)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("adadp", Adadp)
