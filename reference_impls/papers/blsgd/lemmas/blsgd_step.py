"""One iteration of DP-BLSGD at public weights: a noisy mean gradient, then searches along it (BLSGD Alg. 2, 4-11).

Small enough for every auditor. Two rows of the ledger are about it: BL-AMP-SHARED (gradient and searches on one
sample B, each charged as if it had its own; up to `retries` searches, for the loop repeats a failed one on the same B)
and BL-BATCH-NORM (`retries` = 0: the gradient alone, divided by the realised or by the expected sample size). Between
retries Algorithm 2 also averages in CHEB's gradient. That has a sample and a charge of its own, and only changes the
public direction; it is left out.

``shared=False`` draws a sample for each search: what dp-blsgd-repaired does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.rules import Positive, Share, Whole
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from dpverify.sampling.poisson_subset import poisson_subset, skip_scale
from dpverify.sampling.streams import state_from
from dpverify.sampling.ziggurat import laplace, normal
from reference_impls.line_search.adaptive_levels import Levels
from reference_impls.line_search.line_search_training import LineSearchTraining
from reference_impls.line_search.step_costs import amplified, gradient_step, search_step
from reference_impls.models.linear import LinearModel, add_clipped_gradient, linear_losses, row_norms
from reference_impls.models.loss_sums import clipped_sum
from reference_impls.training.trainer import Training

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlsgdStep(LineSearchTraining):
    """Subject ``blsgd-step``. Data set: a table.

    Result: the direction g, then `retries` answers: an index 0..max_it, or -1 for a search that an earlier one has made
    needless; shape (dimension + retries,). Further settings: those of :class:`LineSearchTraining`.

    Attributes
    ----------
    q : float
        Each record's chance to enter a sample.
    rho_grad, budget_bt : float
        Budgets of the gradient and of each search.
    retries : int
        Searches at most, >= 0.
    shared : bool
        Whether the searches use the gradient's sample.
    at : tuple of float or None
        The public weights; None for the model's start.
    """

    q: Share = 0.1
    rho_grad: Positive = 0.5
    budget_bt: Positive = 1.0
    retries: Whole = 1
    shared: bool = True
    at: tuple[float, ...] | None = None

    def validate(self) -> None:
        """The public weights are finite."""
        if self.at is not None and not all(math.isfinite(weight) for weight in self.at):
            raise InputError(f"{type(self).__name__}: at = {self.at}", allowed="finite weights")

    @property
    def sampling_ratio(self) -> float:
        """The sampling rate q."""
        return self.q

    @property
    def levels(self) -> Levels:
        """Of the one iteration."""
        return Levels(rho_grad=self.rho_grad, budget_bt=self.budget_bt, c_grad=self.c_grad, c_obj=self.c_obj)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The iteration, for any model."""
        model, table, start = self.begin(dataset)
        weights = start if self.at is None else np.array(self.at)
        tape.iterate(weights)
        batch = tape.poisson_subset("batch", table.rows, self.q)
        direction = self.gradient(tape, model, table, batch, weights, self.levels)
        answers = np.full(self.retries, -1.0)
        for attempt in range(self.retries):
            if not self.shared:
                batch = tape.poisson_subset("batch", table.rows, self.q)
            answer = self.searcher(self.levels, model, weights, direction, self.eta0, self.regular(table), batch).run(
                table, tape
            )
            answers[attempt] = answer
            if answer < self.max_it:
                break
        return np.concatenate([direction, answers])

    def composition(self) -> Composition:
        """What Algorithm 2 subtracts when every search fails: each release amplified on its own."""
        gradient = Composition.of(amplified(gradient_step(self.rho_grad), self.q))
        search = amplified(search_step(self.noise, self.budget_bt, self.max_it), self.q)
        return gradient.then(Composition.repeat(search, self.retries)) if self.retries else gradient

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Results of independent iterations, float64, shape (size, d + retries): a kernel for linear models."""
        model, table, start = self.begin(dataset)
        if not isinstance(model, LinearModel):
            return Training.sample(self, dataset, size, rng=rng)
        weights = start if self.at is None else np.array(self.at)
        search = self.searcher(self.levels, model, weights, weights, self.eta0, self.regular(table), None)
        out = np.empty((size, table.columns + self.retries))
        blsgd_step_many(
            out,
            model.code,
            model.h_bar,
            weights,
            (table.features, table.labels, row_norms(table)),
            (skip_scale(self.q), self.c_grad / math.sqrt(2.0 * self.rho_grad), self.c_grad, self.l2),
            0.0 if self.divisor == "realised" else self.expected_size(table),
            self.shared,
            (self.noise == "gaussian", search.threshold_scale, search.query_scale, self.c_obj),
            (self.alpha, search.regular),
            search.step_sizes,
            *state_from(rng),
        )
        return out


@njit(cache=True, nogil=True)
def blsgd_step_many(
    out: Float,
    code: int,
    h_bar: float,
    weights: Float,
    records: tuple[Float, Float, Float],
    gradient: tuple[float, float, float, float],
    divisor: float,
    shared: bool,
    noise: tuple[bool, float, float, float],
    condition: tuple[float, float],
    steps: Float,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """One iteration a row of `out`, shape (size, d + retries); `divisor` 0 stands for the realised sample size."""
    features, labels, norms = records
    scale, spread, clip, l2 = gradient
    gaussian, threshold_scale, query_scale, bound = noise
    alpha, regular = condition
    d = weights.size
    rows = np.empty(labels.size, dtype=np.int64)
    ones = 0.0
    for j in range(d):
        ones += weights[j] * weights[j]
    for trial in range(out.shape[0]):
        direction, answers = out[trial, :d], out[trial, d:]
        answers[:] = -1.0
        count, s0, s1, s2, s3 = poisson_subset(rows, scale, s0, s1, s2, s3)
        direction[:] = 0.0
        add_clipped_gradient(direction, code, h_bar, clip, weights, features, labels, norms, rows[:count])
        by = divisor if divisor > 0.0 else float(rows[:count].size or 1)
        square = 0.0
        for j in range(d):
            unit, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
            direction[j] = direction[j] / by + spread / by * unit + l2 * weights[j]
            square += direction[j] * direction[j]
        for attempt in range(answers.size):
            if not shared:
                count, s0, s1, s2, s3 = poisson_subset(rows, scale, s0, s1, s2, s3)
            batch = rows[:count]
            unit, s0, s1, s2, s3 = normal(s0, s1, s2, s3) if gaussian else laplace(s0, s1, s2, s3)
            threshold = threshold_scale * unit
            total, lost = clipped_sum(linear_losses(code, h_bar, weights, features, labels, batch), bound)
            start = total + lost + regular * ones
            answers[attempt] = steps.size
            for index in range(steps.size):
                moved = weights - steps[index] * direction
                total, lost = clipped_sum(linear_losses(code, h_bar, moved, features, labels, batch), bound)
                far = 0.0
                for j in range(d):
                    far += moved[j] * moved[j]
                query = start - alpha * steps[index] * square - (total + lost + regular * far)
                unit, s0, s1, s2, s3 = normal(s0, s1, s2, s3) if gaussian else laplace(s0, s1, s2, s3)
                if query + query_scale * unit >= threshold:
                    answers[attempt] = index
                    break
            if answers[attempt] < steps.size:
                break
