"""NoisyBTLS on a sample of a table, for any model, as DP-BLSGD calls it (BLSGD Algorithm 2, line 10).

The query is Algorithm 1's: ``q_i = f(w; B) - alpha eta_i |g|^2 - f(w - eta_i g; B)`` with the *sum* of the losses of
the sample B, each clipped at C_obj, and the *mean* noisy gradient g. So, as printed, Armijo's condition compares the
decrease of a sum with a bound for the mean, 1/|B| of what (2) requires. That costs utility, not privacy.

One number, `sensitivity` = C_obj, both clips the losses and scales the noise, so clipping and noise always belong to
the same threshold (section IV-D). The regulariser depends on no record: it is added as a public term, after clipping.

The noisy threshold and the noisy queries are hidden in the transcript; the answer, an index, is public. Losses must be
>= 0 (all losses of this project are); for others clipping does not bound how far a query moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from reference_impls.line_search.noisy_btls import NoisyBtls
from reference_impls.models.loss_sums import summed_loss
from reference_impls.models.model import Model

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BatchSearch(NoisyBtls):
    """One search. Data set: a table that contains the sample.

    Attributes
    ----------
    model : Model
        The model whose losses the search compares.
    weights, direction : float64, shape (dimension,)
        w and g, public.
    batch : int64, shape (k,), or None
        B, indices into the table; None for all records. k may be 0: the objective is then the regulariser alone.
    regular : float
        The public term ``regular |w|^2`` of the objective, >= 0.
    sensitivity : float
        C_obj, which is Delta_q too.
    """

    model: Model
    weights: Float
    direction: Float
    batch: Integer | None = None
    regular: float = 0.0

    def query(self, dataset: Dataset) -> Float:
        """All of q_1 .. q_max_it, shape (max_it,), whether or not a run would get there.

        Raises
        ------
        InputError
            When the data set is not a table.
        """
        if not isinstance(dataset, Table):
            raise InputError(f"a data set of type {type(dataset).__name__}", allowed="a Table of labelled records")
        start, square = self._start(dataset)
        return np.array([self._decrease(dataset, start, square, step) for step in self.step_sizes])

    def run(self, table: Table, tape: Tape) -> int:
        """The index 0..max_it - 1 of the step found, or max_it; queries are computed one at a time, as needed."""
        tape.publish("search-budget", self.budget)
        threshold = tape.perturb(
            "threshold", 0.0, law=self.noise, scale=self.threshold_scale, sensitivity=0.0, released=False
        )
        start, square = self._start(table)
        answer = self.max_it
        for index, step in enumerate(self.step_sizes):
            query = self._decrease(table, start, square, step)
            noisy = tape.perturb(
                "query", query, law=self.noise, scale=self.query_scale, sensitivity=self.sensitivity, released=False
            )
            if noisy[0] >= threshold[0]:
                answer = index
                break
        tape.publish("answer", answer)
        return answer

    def _start(self, table: Table) -> tuple[float, float]:
        with np.errstate(over="ignore", invalid="ignore"):
            return self._objective(table, self.weights), float(self.direction @ self.direction)

    def _decrease(self, table: Table, start: float, square: float, step: float) -> float:
        # a long step may overflow; its query is then -inf or nan, and the search goes on
        with np.errstate(over="ignore", invalid="ignore"):
            moved = self._objective(table, self.weights - step * self.direction)
            return float(start - self.alpha * step * square - moved)

    def _objective(self, table: Table, weights: Float) -> float:
        total = summed_loss(self.model, weights, table, self.batch, clip=self.sensitivity)
        return total + self.regular * float(weights @ weights) if self.regular else total
