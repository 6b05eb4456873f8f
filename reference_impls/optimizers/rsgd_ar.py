"""RSGD-AR: permuted cyclic mini-batches, averaging with restart, noise at the end (RSGD, Algorithm 3; DISS, 3.3).

The records are permuted once, so a replaced record is in a random batch, and the privacy is that of a mixture over the
batches (Proposition 3; DISS, Theorem 3.2). RSGD and DISS call it RSGD-AR; the comparisons of BLSGD, section V-C, call
it OutPert-RSGD (subject ``out-pert-rsgd``).

The two texts differ in the steps: eta = eta_0 / h with h set back to 0 at every averaging (RSGD, lines 6, 7, 14;
``"restart"``), or eta_0 / s, where DISS still counts h but does not use it (line 8; ``"epoch"``). Lines 13 to 15 of
RSGD average w_t .. w_(t - m tau + 1) over w_t and then move t past an iterate that nothing has set; DISS's line 14
moves t first and its line 15 averages w_(t-1) .. w_(t - m tau): the same m tau iterates. The average is where the next
step starts from. Where tau does not divide T, the last iterate is not an average.

Accounting: ``accounting="averaged"`` is Algorithm 2 along the run's own steps, averaged where the run averages (section
4.3, (5)). ``"printed"`` is Algorithm 2 to the letter: eta_0 / s and no averaging, whatever the run does.

Flaws: where m does not divide n, the recursion's nominal |B| is too large for the last batch, and so is its probability
1 / m; and ``"printed"`` ignores that steps are set back. Repaired: :mod:`reference_impls.optimizers.rsgd_ar_repaired`.

Not to be confused with NSGD (no permutation), nor with shuffled DP-SGD, which adds noise at every step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.rules import Count, OneOf
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from dpverify.sampling.permutation import shuffle_start
from dpverify.sampling.streams import State
from dpverify.sampling.ziggurat import normal
from reference_impls.models.linear import LinearModel, kernel_records, score_of
from reference_impls.models.linear_loss import linear_slope
from reference_impls.optimizers.output_perturbation import record_hidden
from reference_impls.optimizers.rsgd_sensitivity import SCHEDULES, step_sizes
from reference_impls.optimizers.rsgd_training import RsgdTraining
from reference_impls.training.model_training import LinearKernel

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class RsgdAr(RsgdTraining, LinearKernel):
    """Subject ``rsgd-ar``. Data set: a table, rows of norm at most `norm`. Result: the noisy weights, shape (d,).

    Attributes
    ----------
    interval : int
        tau, epochs between averagings. The papers print no value.
    accounting : "averaged" or "printed"
        How Delta is computed.
    """

    schedule: Annotated[str, OneOf(SCHEDULES)] = "restart"
    interval: Count = 10
    accounting: Annotated[str, OneOf(("averaged", "printed"))] = "averaged"

    @property
    def restart_interval(self) -> int | None:
        """tau, epochs between averagings."""
        return self.interval

    def sensitivities(self, rows: int) -> Float:
        """Delta[j] of Algorithm 2, shape (m,)."""
        sizes = self.believed_sizes(rows)
        if self.accounting == "printed":
            return self.recursion(step_sizes("epoch", self.initial_step, self.epochs), sizes)
        return self.recursion(self.steps, sizes, interval=self.interval)

    def parts(self, rows: int) -> tuple[Float, Float]:
        """All places with equal probabilities, as published."""
        shifts = self.sensitivities(rows)
        return shifts, np.full(shifts.size, 1.0 / shifts.size)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop."""
        model, table = self.prepared(dataset)
        # line 1; the permuted rows are copied, because rows side by side are read four times as fast
        table = table.take(tape.permutation("batch", table.rows))
        batches = self.batches(table.rows)  # 2
        weights = np.zeros(model.dimension(table.columns))  # 3
        tape.iterate(weights)
        total = np.zeros_like(weights)
        for s, step in enumerate(self.steps, start=1):  # 5 to 7
            for batch in batches:  # 8
                tape.publish("step-size", step)
                weights = self.stepped(weights, step, model, table, batch)  # 9 to 11
                record_hidden(weights, tape)
                total += weights
            if s % self.interval == 0:  # 12
                weights = total / (len(batches) * self.interval)  # 13
                record_hidden(weights, tape)
                total = np.zeros_like(weights)
        return self.released(weights, table.rows, tape)  # 16, 17

    def run_kernel(self, out: Float, model: LinearModel, table: Table, state: State) -> None:
        """One training in each row of `out`, by :func:`rsgd_ar_many`."""
        table.need_norm(self.norm)
        settings = (self.batch_size, self.interval, self.l2, self.noise_scale(table.rows))
        rsgd_ar_many(out, *kernel_records(model, table)[:-1], np.array(self.steps), settings, *state)


@njit(cache=True, nogil=True)
def rsgd_ar_many(
    out: Float,
    code: int,
    h_bar: float,
    features: Float,
    labels: Float,
    steps: Float,
    settings: tuple[int, int, float, float],
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """One training in each row of `out`, shape (size, d); draws in the order of the loop."""
    batch_size, interval, l2, noise = settings
    rows, columns = features.shape
    order = np.empty(rows, dtype=np.int64)
    weights, gradient, total = np.empty(columns), np.empty(columns), np.empty(columns)
    batches = (rows + batch_size - 1) // batch_size
    for trial in range(out.shape[0]):
        s0, s1, s2, s3 = shuffle_start(order, rows, s0, s1, s2, s3)
        weights[:] = 0.0
        total[:] = 0.0
        for s in range(steps.size):
            for first in range(0, rows, batch_size):
                last = min(first + batch_size, rows)
                gradient[:] = 0.0
                for place in range(first, last):  # faster than `add_clipped_gradient` for records of few features
                    row = features[order[place]]
                    slope = linear_slope(code, h_bar, score_of(weights, row), labels[order[place]])
                    if slope == slope:
                        for k in range(columns):
                            gradient[k] += slope * row[k]
                for k in range(columns):
                    weights[k] -= steps[s] * (gradient[k] / (last - first) + l2 * weights[k])
                    total[k] += weights[k]
            if (s + 1) % interval == 0:
                for k in range(columns):
                    weights[k] = total[k] / (batches * interval)
                    total[k] = 0.0
        for k in range(columns):
            unit, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
            out[trial, k] = weights[k] + noise * unit


def register(registry: Registry) -> None:
    """Register the subject under both papers' names."""
    registry.mechanisms.add("rsgd-ar", RsgdAr)
    registry.mechanisms.add("out-pert-rsgd", RsgdAr)
