"""Noisy SGD, what its three samplings share: the loop, and one kernel for linear models.

Each step sums the clipped gradients of its batch, adds N(0, (sigma C)^2 I), divides by a fixed divisor (the expected or
the nominal batch size, whatever the batch turned out to be), and moves by -eta times that; l2 w needs no records.

A subclass says which records enter a batch, to the loop (`batches`) and to the kernel (`plan`), and what that costs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.composition import Composition
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from dpverify.sampling.permutation import shuffle_start
from dpverify.sampling.poisson_subset import poisson_subset
from dpverify.sampling.streams import state_from, stream
from dpverify.sampling.ziggurat import normal
from reference_impls.models.linear import LinearModel, add_clipped_gradient, kernel_records
from reference_impls.models.model import find_model
from reference_impls.optimizers.noisy_sgd_traces import from_iterates, noisy_sgd_traces, record_unit
from reference_impls.training.settings import need_clip, need_count, need_non_negative, need_positive
from reference_impls.training.trainer import Training, table_for

Float = NDArray[np.float64]
Integer = NDArray[np.int64]

POISSON, FIXED_SIZE, SHUFFLED = 0, 1, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisySgd(Training):
    """The loop. Data set: a table. Result: the last iterate, shape (d,).

    Attributes
    ----------
    model : str
        Text of a model, see :func:`~reference_impls.models.model.find_model`.
    steps : int
        T.
    noise_multiplier : float
        sigma: a coordinate's noise has standard deviation sigma times `clip`. 0 for none.
    clip : float
        C, on the L2 norm of a record's gradient; inf for none (then `noise_multiplier` must be 0).
    step_size : float
        eta.
    l2 : float
        Adds l2 w to the mean gradient.
    divisor : float or None
        What the noisy sum is divided by; None for the expected batch size.
    start_seed : int
        Of the public starting weights; linear models start at zero whatever it is.
    """

    model: str = "logistic"
    steps: int = 100
    noise_multiplier: float = 1.0
    clip: float = 1.0
    step_size: float = 1.0
    l2: float = 0.0
    divisor: float | None = None
    start_seed: int = 0

    def __post_init__(self) -> None:
        find_model(self.model)
        need_count(self, "steps")
        need_non_negative(self, "noise_multiplier", "l2")
        need_clip(self, "clip")
        need_positive(self, "step_size")
        if self.divisor is not None:
            need_positive(self, "divisor")
        if self.noise_multiplier:
            need_positive(self, "clip")  # noise needs a finite sensitivity

    @abstractmethod
    def batches(self, rows: int, tape: Tape) -> Iterator[Integer]:
        """The batch of each step, endlessly: int64 indices."""

    @abstractmethod
    def plan(self, rows: int) -> tuple[int, float]:
        """How the kernel samples: POISSON and 1 / -log(1 - q), or FIXED_SIZE or SHUFFLED and the batch size."""

    @abstractmethod
    def expected(self, rows: int) -> float:
        """The expected (or nominal) batch size."""

    @abstractmethod
    def composition(self, rows: int) -> Composition:
        """The steps as an accountant takes them, for a table of this many rows."""

    @property
    def sensitivity(self) -> float:
        """How far one record moves a step's clean sum in L2, under `relation`: C, or 2 C where it is replaced."""
        return self.clip if self.relation == "add-remove" else 2.0 * self.clip

    @property
    def noise_scale(self) -> float:
        """Standard deviation of a coordinate's noise."""
        return self.noise_multiplier * self.clip if self.noise_multiplier else 0.0

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        divisor = self.expected(table.rows) if self.divisor is None else self.divisor
        weights = model.start(table.columns, rng=stream(self.start_seed, "start"))
        tape.iterate(weights)
        for _, batch in zip(range(self.steps), self.batches(table.rows, tape), strict=False):
            clean = model.gradient(weights, table, batch, clip=self.clip)
            noisy = tape.perturb(
                "gradient", clean, law="gaussian", scale=self.noise_scale, sensitivity=self.sensitivity
            )
            weights = weights - self.step_size * (noisy / divisor + self.l2 * weights)
            tape.publish("step-size", self.step_size)
            tape.iterate(weights)
        return weights

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Results of independent runs, float64, shape (size, d): a kernel for linear models, `run` for others."""
        model = find_model(self.model)
        if not isinstance(model, LinearModel):
            return Training.sample(self, dataset, size, rng=rng)
        table = table_for(model, dataset)
        sampling, scale = self.plan(table.rows)
        out = np.empty((size, table.columns))
        noisy_sgd_many(
            out,
            *kernel_records(model, table),
            (self.steps, sampling, scale, self.noise_scale, self.clip, self.step_size, self.l2),
            self.expected(table.rows) if self.divisor is None else self.divisor,
            *state_from(rng),
        )
        return out

    def traces(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """What an observer of all iterates reads of each step's noisy sum, over `clip`; shape (size, steps, d).

        It knows the step size, l2 and the divisor: (w_t - w_(t+1) - eta l2 w_t) divisor / (eta C), here taken from the
        sum itself where the loop is the published one.
        """
        model = find_model(self.model)
        table = table_for(model, dataset)
        divisor = self.expected(table.rows) if self.divisor is None else self.divisor
        if isinstance(model, LinearModel) and type(self).run is NoisySgd.run:
            sampling, scale = self.plan(table.rows)
            out = np.empty((size, self.steps, table.columns))
            settings = (sampling, scale, self.noise_scale, self.clip, self.step_size, self.l2)
            noisy_sgd_traces(out, *kernel_records(model, table), settings, divisor, *state_from(rng))
            out /= record_unit(self.clip)
            return out
        state, runs = Tape.recording(rng).state, []
        public = {"step_size": self.step_size, "l2": self.l2, "clip": self.clip, "divisor": divisor}
        for _ in range(size):
            tape = Tape(state)
            result = self.run(dataset, tape)
            state = tape.state
            runs.append(from_iterates(tape.transcript(result).iterates, **public))
        return np.stack(runs)


@njit(cache=True, nogil=True)
def noisy_sgd_many(
    out: Float,
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
    """One training a row of `out`, shape (size, d); draws in the order of the loop."""
    steps, sampling, scale, noise, clip, step_size, l2 = settings
    rows = labels.size
    order = np.empty(rows, dtype=np.int64)
    total = np.empty(out.shape[1])
    size = rows if sampling == POISSON else min(int(scale), rows)
    for trial in range(out.shape[0]):
        weights = out[trial]
        weights[:] = 0.0
        start, end = np.int64(0), np.int64(rows)
        for _ in range(steps):
            if sampling == POISSON:
                end, s0, s1, s2, s3 = poisson_subset(order, scale, s0, s1, s2, s3)
            elif sampling == FIXED_SIZE:
                s0, s1, s2, s3 = shuffle_start(order, size, s0, s1, s2, s3)
                end = np.int64(size)
            else:
                start = np.int64(0) if end == rows else end
                if start == 0:
                    s0, s1, s2, s3 = shuffle_start(order, rows, s0, s1, s2, s3)
                end = np.int64(min(int(start) + size, rows))
            total[:] = 0.0
            add_clipped_gradient(total, code, h_bar, clip, weights, features, labels, norms, order[start:end])
            for j in range(total.size):
                unit, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
                weights[j] -= step_size * ((total[j] + noise * unit) / divisor + l2 * weights[j])
