"""What the BLSGD family has in common: the line search's settings, the sample's divisor, and the resets of eta0.

Intelligent backtracking (section IV-B): after every tau iterations eta0 becomes the smaller of eta0 and varsigma times
the largest step chosen since; where none was chosen it stays. It uses public steps only (ledger id BL-POST), and eta0
never rises.

The paper leaves some values open. Here max_it = 30 and eta0 = 1; "initialize randomly" is the model's own start from a
public seed (zeros for linear models); the regulariser "with a coefficient mu = 0.001" is (mu / 2) |w|^2 on the mean
loss, so mu w on the mean gradient. In the line search it is a public term, weighted with the *expected* size of a
sample, because the realised size depends on the data.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.rules import Between, Count, NonNegative, OpenUnit, Positive
from dpverify.datasets.table import Table
from dpverify.laws.stopping import Noise
from dpverify.recording.tape import Tape
from reference_impls.line_search.adaptive_levels import Levels, release_gradient
from reference_impls.line_search.batch_line_search import BatchSearch
from reference_impls.models.model import Model
from reference_impls.training.model_training import ModelTraining

Float = NDArray[np.float64]
Integer = NDArray[np.int64]
Divisor = Literal["realised", "expected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSearchTraining(ModelTraining):
    """Settings under the paper's names, with section V-D's values. The model's losses must be >= 0.

    The other attributes: :class:`~reference_impls.training.model_training.ModelTraining`.

    Attributes
    ----------
    c_grad, c_obj : float
        First clipping thresholds, finite: C_grad of a record's gradient (L2), C_obj of its loss, which is Delta_q.
    noise : "laplace" or "gaussian"
        The version of NoisyBTLS.
    alpha, beta, max_it, eta0 : float, float, int, float
        Armijo's constant, the factor of backtracking, the number of candidate steps, the first candidate.
    tau, varsigma : int, float
        Intelligent backtracking: how often eta0 is reset, and to how many times the largest step; varsigma > 1.
    l2 : float
        mu, the coefficient of the regulariser.
    divisor : "realised" or "expected"
        What a summed gradient is divided by: the size of the sample (as line 6 prints; an empty sample counts as one
        record, because its mean is undefined) or its expectation.
    records : int or None
        A public number for n, for expected sizes; None takes the table's own, which is not the same for neighbours
        with one record more or less: claims under that relation need `records`, or an n that is public anyhow.
    """

    c_grad: Positive = 3.0
    c_obj: Positive = 1.0
    noise: Noise = "laplace"
    alpha: NonNegative = 0.5
    beta: OpenUnit = 0.8
    max_it: Count = 30
    eta0: Positive = 1.0
    tau: Count = 10
    varsigma: Annotated[float, Between(1, math.inf, open="both")] = 1.2
    l2: NonNegative = 0.001
    divisor: Divisor = "realised"
    records: Count | None = None

    relation = "add-remove"

    @property
    @abstractmethod
    def sampling_ratio(self) -> float:
        """Each record's chance to enter a sample."""

    def gradient(
        self, tape: Tape, model: Model, table: Table, batch: Integer | None, weights: Float, levels: Levels
    ) -> Float:
        """The noisy mean gradient of the sample, lines 5 and 6, shape (dimension,)."""
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
        """The step that NoisyBTLS finds on the sample, line 10, or 0."""
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
        """InputError without `records`: the claims of repaired versions need a public n."""
        if self.records is None:
            raise InputError(
                f"{type(self).__name__}: a claim for add-remove neighbours with records = None",
                allowed="a public number of records",
                remedy="give records=...; expected sample sizes are then computed from it, not from the table",
            )

    def regular(self, table: Table) -> float:
        """The coefficient of |w|^2 in a search: mu / 2 times the expected size of a sample."""
        return 0.5 * self.l2 * self.expected_size(table)

    def expected_size(self, table: Table) -> float:
        """The expected size of a sample."""
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
        """The search along `direction` from `weights`, at the budget and clipping threshold of `levels`."""
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
