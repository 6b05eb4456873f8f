"""Noisy SGD: the loop and the kernel of DP-SGD, for all three ways to sample batches.

Each step sums the clipped gradients of its batch, adds N(0, (sigma C)^2 I), divides by a fixed divisor (the expected or
the nominal batch size, whatever size the batch has), and moves by -eta times that; l2 w needs no records.

A subclass says which records enter a batch, to the loop (`batches`) and to the kernel (`plan`), and what a run costs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.composition import Composition
from dpverify.core.rules import Count, NonNegative, Positive
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import State, state_from
from dpverify.sampling.ziggurat import normal
from reference_impls.models.linear import LinearModel, add_clipped_gradient, kernel_records
from reference_impls.models.model import find_model
from reference_impls.optimizers.kernel_batches import POISSON, next_batch
from reference_impls.optimizers.noisy_gradient_training import NoisyGradientTraining
from reference_impls.optimizers.noisy_sgd_traces import from_iterates, record_unit
from reference_impls.training.model_training import LinearKernel
from reference_impls.training.trainer import table_for

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisySgd(NoisyGradientTraining, LinearKernel):
    """The loop. Data set: a table. Result: the last iterate, shape (d,).

    The other attributes: :class:`~reference_impls.optimizers.noisy_gradient_training.NoisyGradientTraining`.

    Attributes
    ----------
    steps : int
        T.
    step_size : float
        eta.
    l2 : float
        Adds l2 w to the mean gradient.
    divisor : float or None
        What the noisy sum is divided by; None for the expected batch size.
    """

    steps: Count = 100
    step_size: Positive = 1.0
    l2: NonNegative = 0.0
    divisor: Positive | None = None

    @abstractmethod
    def batches(self, rows: int, tape: Tape) -> Iterator[Integer]:
        """The batches of the steps, one after another without end: int64 indices."""

    @abstractmethod
    def plan(self, rows: int) -> tuple[int, float]:
        """How the kernel samples: POISSON and 1 / -log(1 - q), or FIXED_SIZE or SHUFFLED and the batch size.

        See :mod:`reference_impls.optimizers.kernel_batches`.
        """

    @abstractmethod
    def expected(self, rows: int) -> float:
        """The expected (or nominal) batch size."""

    @abstractmethod
    def composition(self, rows: int) -> Composition:
        """The steps as accountants read them, for a table of this many rows."""

    def divisor_for(self, rows: int) -> float:
        """What noisy sums are divided by, for a table of this many rows."""
        return self.expected(rows) if self.divisor is None else self.divisor

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model."""
        model, table, weights = self.begin(dataset)
        divisor = self.divisor_for(table.rows)
        tape.iterate(weights)
        for _, batch in zip(range(self.steps), self.batches(table.rows, tape), strict=False):
            noisy = self.noisy_sum(model, table, weights, batch, tape)
            weights = weights - self.step_size * (noisy / divisor + self.l2 * weights)
            tape.publish("step-size", self.step_size)
            tape.iterate(weights)
        return weights

    def run_kernel(self, out: Float, model: LinearModel, table: Table, state: State) -> None:
        """One training in each row of `out`, by :func:`noisy_sgd_many`."""
        self._run_kernel(out, np.empty((0, 0, 0)), model, table, state)

    def traces(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """What an observer of all iterates reads of each step's noisy sum, over `clip`; shape (size, steps, d).

        The observer knows the step size, l2 and the divisor, so a sum is (w_t - w_(t+1) - eta l2 w_t) divisor / (eta
        C). Where the loop is the published one, a kernel returns the sums themselves.
        """
        model = find_model(self.model)
        table = table_for(model, dataset)
        if isinstance(model, LinearModel) and type(self).run is NoisySgd.run:
            sums = np.empty((size, self.steps, table.columns))
            self._run_kernel(np.empty((size, table.columns)), sums, model, table, state_from(rng))
            sums /= record_unit(self.clip)
            return sums
        state, runs = Tape.recording(rng).state, []
        divisor = self.divisor_for(table.rows)
        public = {"step_size": self.step_size, "l2": self.l2, "clip": self.clip, "divisor": divisor}
        for _ in range(size):
            tape = Tape(state)
            result = self.run(dataset, tape)
            state = tape.state
            runs.append(from_iterates(tape.transcript(result).iterates, **public))
        return np.stack(runs)

    def _run_kernel(self, out: Float, sums: Float, model: LinearModel, table: Table, state: State) -> None:
        sampling, scale = self.plan(table.rows)
        settings = (self.steps, sampling, scale, self.noise_scale, self.clip, self.step_size, self.l2)
        noisy_sgd_many(out, sums, *kernel_records(model, table), settings, self.divisor_for(table.rows), *state)


@njit(cache=True, nogil=True)
def noisy_sgd_many(
    out: Float,
    sums: Float,
    code: int,
    h_bar: float,
    features: Float,
    labels: Float,
    norms: Float,
    settings: tuple[int, int, float, float, float, float, float],
    divisor: float,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """One training in each row of `out`, shape (size, d); draws in the order of the loop.

    Each step's noisy sum is kept in `sums`, shape (size, steps, d), unless that is empty.
    """
    steps, sampling, scale, noise, clip, step_size, l2 = settings
    rows = labels.size
    order = np.empty(rows, dtype=np.int64)
    total = np.empty(out.shape[1])
    size = rows if sampling == POISSON else min(int(scale), rows)
    for trial in range(out.shape[0]):
        weights = out[trial]
        weights[:] = 0.0
        end = np.int64(rows)
        for step in range(steps):
            start, end, s0, s1, s2, s3 = next_batch(order, end, sampling, scale, size, s0, s1, s2, s3)
            total[:] = 0.0
            add_clipped_gradient(total, code, h_bar, clip, weights, features, labels, norms, order[start:end])
            for j in range(total.size):
                unit, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
                total[j] += noise * unit
                weights[j] -= step_size * (total[j] / divisor + l2 * weights[j])
            if sums.size:
                sums[trial, step] = total
