"""What the BLSGD family shares: the line search's settings, the sample's divisor, and the resets of eta0.

Intelligent backtracking (section IV-B): after every tau iterations eta0 becomes the smaller of eta0 and varsigma times
the largest step chosen since; where none was chosen it stays. It reads public steps only (ledger id BL-POST), and eta0
never rises.

Left open by the paper and chosen here: max_it = 30, eta0 = 1; "initialize randomly" is the model's own start from a
public seed (zeros for linear models); the regulariser "with a coefficient mu = 0.001" is (mu / 2) |w|^2 on the mean
loss, so mu w on the mean gradient, and it enters the line search as a public term that is weighted with the *expected*
size of a sample, because the realised one would move with the data.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.laws.stopping import Noise
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.line_search.adaptive_levels import Levels, release_gradient
from reference_impls.line_search.batch_line_search import BatchSearch
from reference_impls.models.model import Model, find_model
from reference_impls.training.settings import need_between, need_count, need_non_negative, need_positive
from reference_impls.training.trainer import Training, table_for

Float = NDArray[np.float64]
Integer = NDArray[np.int64]
Divisor = Literal["realised", "expected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSearchTraining(Training):
    """Settings under the paper's names, with section V-D's values.

    Attributes
    ----------
    model : str
        Text of a model, see :func:`~reference_impls.models.model.find_model`. Its losses must be >= 0.
    c_grad, c_obj : float
        First clipping thresholds, finite: C_grad of a record's gradient (L2), C_obj of its loss, which is Delta_q.
    noise : "laplace" or "gaussian"
        Version of NoisyBTLS.
    alpha, beta, max_it, eta0 : float, float, int, float
        Armijo's constant, the factor of backtracking, the number of candidates, the first one.
    tau, varsigma : int, float
        Intelligent backtracking: how often eta0 is reset, and to how many times the largest step; varsigma > 1.
    l2 : float
        mu.
    divisor : "realised" or "expected"
        What a summed gradient is divided by: the size of the sample (as line 6 prints; an empty sample counts as one
        record, for its quotient is undefined) or its expectation.
    records : int or None
        n as the public knows it, for expected sizes; None takes the table's own, which then moves with the data
        where a record is added or removed: claims under that relation need it, or an n that is public anyhow.
    start_seed : int
        Of the public starting weights.
    """

    model: str = "logistic"
    c_grad: float = 3.0
    c_obj: float = 1.0
    noise: Noise = "laplace"
    alpha: float = 0.5
    beta: float = 0.8
    max_it: int = 30
    eta0: float = 1.0
    tau: int = 10
    varsigma: float = 1.2
    l2: float = 0.001
    divisor: Divisor = "realised"
    records: int | None = None
    start_seed: int = 0

    def __post_init__(self) -> None:
        model = find_model(self.model)
        need_positive(self, "c_grad", "c_obj")  # noise needs a finite sensitivity
        need_non_negative(self, "l2")
        need_count(self, "max_it", "tau")
        need_between(self, 1.0, math.inf, "varsigma")
        need_positive(self, "eta0")
        need_non_negative(self, "alpha")
        need_between(self, 0.0, 1.0, "beta")
        if self.divisor not in ("realised", "expected"):
            raise InputError(f"{type(self).__name__}: divisor = {self.divisor!r}", allowed="realised, expected")
        if self.records is not None:
            need_count(self, "records")
        nowhere = np.zeros(0)
        levels = Levels(rho_grad=1.0, budget_bt=1.0, c_grad=self.c_grad, c_obj=self.c_obj)
        self.searcher(levels, model, nowhere, nowhere, self.eta0, 0.0, None)  # says what is wrong with the rest now

    relation = "add-remove"

    @property
    @abstractmethod
    def sampling_ratio(self) -> float:
        """Each record's chance to enter a sample."""

    def begin(self, dataset: Dataset) -> tuple[Model, Table, Float]:
        """The model, the checked table and w_0, shape (dimension,)."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        return model, table, model.start(table.columns, rng=stream(self.start_seed, "start"))

    def gradient(
        self, tape: Tape, model: Model, table: Table, batch: Integer | None, weights: Float, levels: Levels
    ) -> Float:
        """Lines 5, 6 on the sample, shape (dimension,)."""
        divisor = self.expected_size(table)
        if self.divisor == "realised":
            divisor = max(table.rows if batch is None else batch.size, 1)
        return release_gradient(tape, model, table, batch, weights, levels, divisor=divisor, l2=self.l2)

    def search(
        self,
        tape: Tape,
        model: Model,
        table: Table,
        batch: Integer | None,
        weights: Float,
        direction: Float,
        levels: Levels,
        eta0: float,
    ) -> float:
        """Line 10: the step found by NoisyBTLS on the sample, or 0."""
        search = self.searcher(levels, model, weights, direction, eta0, self.regular(table), batch)
        answer = search.run(table, tape)
        return float(search.step_sizes[answer]) if answer < self.max_it else 0.0

    def first_step(self, iteration: int, eta0: float, chosen: list[float]) -> float:
        """eta0 for the next iteration, after `iteration` (from 0) chose its step; empties `chosen` at a reset."""
        if (iteration + 1) % self.tau:
            return eta0
        after = reset(eta0, chosen, self.varsigma)
        chosen.clear()
        return after

    def need_records(self) -> None:
        """InputError without `records`: what a repaired version claims does not let n move with the data."""
        if self.records is None:
            raise InputError(
                f"{type(self).__name__}: a claim for add-remove neighbours with records = None",
                allowed="a number of records that the public knows",
                remedy="give records=..., which expected sample sizes are then made from, whatever the table has",
            )

    def regular(self, table: Table) -> float:
        """The regulariser's weight in a search: (mu / 2) |w|^2 for each expected record of a sample."""
        return 0.5 * self.l2 * self.expected_size(table)

    def expected_size(self, table: Table) -> float:
        """Of a sample."""
        return self.sampling_ratio * (table.rows if self.records is None else self.records)

    def searcher(
        self,
        levels: Levels,
        model: Model,
        weights: Float,
        direction: Float,
        eta0: float,
        regular: float,
        batch: Integer | None,
    ) -> BatchSearch:
        """NoisyBTLS at a point."""
        return BatchSearch(
            noise=self.noise,
            budget=levels.budget_bt,
            sensitivity=levels.c_obj,
            alpha=self.alpha,
            beta=self.beta,
            eta0=eta0,
            max_it=self.max_it,
            model=model,
            weights=weights,
            direction=direction,
            batch=batch,
            regular=regular,
        )


def reset(eta0: float, chosen: Sequence[float], varsigma: float) -> float:
    """min(varsigma max(chosen), eta0), or eta0 where nothing was chosen."""
    return min(varsigma * max(chosen), eta0) if chosen else eta0
