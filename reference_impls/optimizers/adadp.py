"""ADADP: DP-SGD that adapts its learning rate from two noisy gradients an iteration (ADADP, Algorithm 2).

From theta_l, G_1 is the noisy sum of clipped gradients there, theta_(l+1) = theta_l - eta_l G_1 the full step, and G_2
the noisy sum at the half step. What the two half steps end at differs from the full step by eta_l (G_1 - G_2) / 2, and
that alone sets eta_(l+1) (:mod:`reference_impls.optimizers.adadp_step_rule`).

Theorem 2: an iteration costs at most two moments of the subsampled Gaussian (sigma >= 1), so the same privacy allows
half as many iterations as DP-SGD's; as many gradients an epoch. The step sizes are functions of G_1 and G_2 alone.

What happens to the step size: where noise dominates, :mod:`reference_impls.papers.adadp.lemmas.tolerance`.

Not to be confused with adaptive clipping, or with Adam, whose steps differ by coordinate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from dpverify.sampling.permutation import shuffle_start
from dpverify.sampling.poisson_subset import poisson_subset, skip_scale
from dpverify.sampling.streams import state_from, stream
from dpverify.sampling.ziggurat import normal
from reference_impls.models.linear import LinearModel, add_clipped_gradient, kernel_records
from reference_impls.models.model import find_model
from reference_impls.optimizers.adadp_step_rule import adapted, local_error
from reference_impls.optimizers.adadp_training import AdadpTraining
from reference_impls.training.settings import need_count
from reference_impls.training.trainer import Training, table_for

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adadp(AdadpTraining):
    """Subject ``adadp``. Data set: a table. Result: the last iterate, shape (d,).

    The other attributes: :class:`~reference_impls.optimizers.adadp_training.AdadpTraining`.

    Attributes
    ----------
    steps : int
        T, iterations of two batches each.
    """

    steps: int = 100

    def __post_init__(self) -> None:
        AdadpTraining.__post_init__(self)
        need_count(self, "steps")

    def batch_count(self, rows: int) -> int:
        """2 T."""
        return 2 * self.steps

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        gradient, rule = self.noisy_gradient(model, table, tape), self.rule
        weights, step = model.start(table.columns, rng=stream(self.start_seed, "start")), self.initial_step
        tape.iterate(weights)
        for _ in range(self.steps):
            weights, step = rule.advanced(weights, step, gradient, tape)
            tape.iterate(weights)
        return weights

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Results of independent runs, float64, shape (size, d): a kernel for linear models, `run` for others."""
        model = find_model(self.model)
        if not isinstance(model, LinearModel):
            return Training.sample(self, dataset, size, rng=rng)
        out, _ = self._many(model, table_for(model, dataset), size, rng, sums=False)
        return out

    def traces(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """G_1, G_2 of each iteration over C (1 where nothing is clipped), of independent runs: shape (size, 2 T, d).

        What Theorem 2 counts; an observer of iterates and step sizes sees no more. Linear models only.

        Raises
        ------
        InputError
            For other models.
        """
        model = find_model(self.model)
        if not isinstance(model, LinearModel):
            raise InputError(f"traces of {model.name!r}", allowed="a linear model, such as squared or logistic")
        _, sums = self._many(model, table_for(model, dataset), size, rng, sums=True)
        return sums / self.clip if math.isfinite(self.clip) else sums

    def _many(
        self, model: LinearModel, table: Table, size: int, rng: np.random.Generator, *, sums: bool
    ) -> tuple[Float, Float]:
        """Last iterates, shape (size, d), and noisy sums where asked for, shape (size, 2 T, d), else (0, 0, 0)."""
        rule = self.rule
        out = np.empty((size, table.columns))
        seen = np.empty((size, 2 * self.steps, table.columns) if sums else (0, 0, 0))
        poisson = self.sampling == "poisson"
        adadp_many(
            out,
            seen,
            *kernel_records(model, table),
            (self.steps, poisson, skip_scale(self.sampling_rate(table.rows)), self.batch_size),
            (self.noise_scale, self.clip, self.divisor, self.initial_step),
            (rule.tol, rule.alpha_min, rule.alpha_max),
            (rule.error == "relative", rule.discard, rule.halves, rule.root),
            *state_from(rng),
        )
        return out, seen


@njit(cache=True, nogil=True)
def adadp_many(
    out: Float,
    seen: Float,
    code: int,
    h_bar: float,
    features: Float,
    labels: Float,
    norms: Float,
    plan: tuple[int, bool, float, int],
    settings: tuple[float, float, float, float],
    bounds: tuple[float, float, float],
    choices: tuple[bool, bool, bool, bool],
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """One training a row of `out`, shape (size, d); draws in the order of the loop. Noisy sums go to `seen`, if any."""
    steps, poisson, scale, batch_size = plan
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
                start, end, s0, s1, s2, s3 = next_batch(order, end, poisson, scale, batch_size, s0, s1, s2, s3)
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
                if seen.size:
                    seen[trial, 2 * iteration + turn] = total
            error = local_error(full, half, relative)
            if not discard or error <= tol:
                weights[:] = half if halves else full
            step = adapted(step, error, tol, low, high, root)


@njit(cache=True, nogil=True)
def next_batch(
    order: Integer,
    end: np.int64,
    poisson: bool,
    scale: float,
    batch_size: int,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> tuple[np.int64, np.int64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Where the next batch begins and ends in `order`, shape (n,), which is drawn anew when the last ended with it."""
    if poisson:
        count, s0, s1, s2, s3 = poisson_subset(order, scale, s0, s1, s2, s3)
        return np.int64(0), count, s0, s1, s2, s3
    start = end
    if start == order.size:
        start = np.int64(0)
        s0, s1, s2, s3 = shuffle_start(order, order.size, s0, s1, s2, s3)
    return start, np.int64(min(int(start) + batch_size, order.size)), s0, s1, s2, s3


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("adadp", Adadp)
