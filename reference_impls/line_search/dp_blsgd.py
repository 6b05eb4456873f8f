"""DP-BLSGD (BLSGD Algorithms 2, 3; DISS Algorithms 5.2, 5.3): gradient descent whose steps and budgets adapt.

Each iteration samples B, releases its noisy mean gradient, and searches a step along it on the same B. When the search
fails, CHEB takes a second gradient on another sample, judges by the angle which budget was too small, raises it, and
the search is repeated along the average of the two.

As published, flaws included (numbers are lines of Algorithm 2):

- 6: the sum is divided by the *realised* size of the sample, noise and all (BL-BATCH-NORM).
- 6, 7: the gradient is released before its cost is tested, the first one whatever the budget is (BL-BUDGET).
- 7, 11: gradient and search use the same sample, but are amplified separately (BL-AMP-SHARED).
- 9, 15, 21 test the cost *before* amplification, 7, 11, 16 subtract ``amp`` of it. Lemma 4 amplifies nothing when the
  budgets are small (see :mod:`reference_impls.line_search.step_costs`). With the paper's own settings the last tests
  pass, and more is subtracted than is left (BL-BUDGET).
- 21, 22: in the paper the test is inside the while loop (and its ``break`` leaves only that): nothing ends the outer
  loop, which releases gradients for ever. In the dissertation the test comes after the while loop, and ``break`` leaves
  the outer loop. `text` says which one runs; `most_steps` ends the first.
- "for all alpha values" (section IV-C): the run goes on while some order can pay (BL-FILTER).
- 6 and "expected" sizes take n from the table, as if it were public, though neighbours have one record more or less.
  `records` gives a public n.

One gap is filled here: only line 13 sets w_(t+1). Where an update ends by lines 8 or 19 without a step, w_(t+1) = w_t.

The repaired version is :mod:`reference_impls.line_search.dp_blsgd_repaired`. Not to be confused with DP-AGD.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.composition import Step
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.line_search.adaptive_levels import Levels
from reference_impls.line_search.budgeted_line_search import paid, some_above
from reference_impls.line_search.cheb import RIGHT_ANGLE, angle_between, mean_angle
from reference_impls.line_search.sampled_line_search import SampledLineSearch
from reference_impls.line_search.step_costs import SearchStep, amplified, gradient_step, printed_cost, search_step

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DpBlsgd(SampledLineSearch):
    """Subject ``dp-blsgd``. Data set: a table. Result: the last iterate, shape (dimension,).

    Further settings, under the paper's names: sampling, angles and CHEB in
    :class:`~reference_impls.line_search.sampled_line_search.SampledLineSearch`, budgets in
    :class:`~reference_impls.line_search.budgeted_line_search.BudgetedLineSearch`, model, clipping and search in
    :class:`~reference_impls.line_search.line_search_training.LineSearchTraining`.

    Attributes
    ----------
    text : "diss" or "paper"
        Which of the two control flows runs, that of DISS or of BLSGD: see above.
    """

    text: Literal["diss", "paper"] = "diss"

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model; comments are line numbers."""
        model, table, weights = self.begin(dataset)
        levels, left, eta0 = self.first_levels, self.total, self.eta0  # 1
        average, before, chosen = RIGHT_ANGLE, None, list[float]()  # 2
        tape.iterate(weights)
        for iteration in range(self.most_steps):  # 3
            batch = tape.poisson_subset("batch", table.rows, self.q)  # 4
            direction = self.gradient(tape, model, table, batch, weights, levels)  # 5, 6
            left = paid(tape, left, self._amp(gradient_step(levels.rho_grad)))  # 7
            eta, lowered = 0.0, False
            while eta == 0.0 and some_above(left, self._cost(self._search_step(levels))):  # 8, 9, 20
                eta = self.search(tape, model, table, batch, weights, direction, levels, eta0)  # 10
                left = paid(tape, left, self._amp(self._search_step(levels)))  # 11
                if eta > 0.0:
                    weights = weights - eta * direction  # 13
                    if before is not None:
                        average = mean_angle(average, angle_between(direction, before), self.psi)  # 14
                elif some_above(left, self._cost(gradient_step(levels.rho_grad))):  # 15
                    left = paid(tape, left, self._amp(gradient_step(levels.rho_grad)))  # 16
                    levels, direction, lowered = self.cheb(
                        tape, model, table, weights, levels, direction, average, lowered
                    )  # 17
                else:
                    break  # 19
                if self.text == "paper" and self._spent(left, levels):  # 21
                    break  # 22
            if eta > 0.0:
                chosen.append(eta)
            eta0 = self.first_step(iteration, eta0, chosen)
            before = direction
            tape.publish("step-size", eta)
            tape.iterate(weights)
            if self.text == "diss" and self._spent(left, levels):  # 23
                break  # 24
        return weights

    def charged_gradient(self, rho: float) -> Step:
        """A Gaussian step, amplified by Lemma 4 (``amp``)."""
        return amplified(gradient_step(rho), self.q)

    def charged_search(self, budget: float) -> Step:
        """A NoisyBTLS step, amplified by Lemma 4 (``amp``)."""
        return amplified(search_step(self.noise, budget, self.max_it), self.q)

    def _search_step(self, levels: Levels) -> SearchStep:
        return search_step(self.noise, levels.budget_bt, self.max_it)

    def _cost(self, step: GaussianStep | SearchStep) -> Float:
        return printed_cost(step, self.orders)

    def _amp(self, step: GaussianStep | SearchStep) -> Float:
        return printed_cost(amplified(step, self.q), self.orders)

    def _spent(self, left: Float, levels: Levels) -> bool:
        return not some_above(left, self._cost(gradient_step(levels.rho_grad)))


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("dp-blsgd", DpBlsgd)
