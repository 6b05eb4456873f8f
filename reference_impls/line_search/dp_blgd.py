"""DP-BLGD (named in BLSGD section V-C and DISS 5.6.3): DP-BLSGD on full batches, budgets raised as in DP-AGD.

The papers print no algorithm, only one sentence: batch gradient descent with "the budget increasing technique of DP-
AGD" (Lee and Kifer 2018). It is read here as Algorithm 2 in the dissertation's control flow with B = D, without
amplification, and with DP-AGD's gradient averaging instead of CHEB: when the search fails, rho_grad is raised to (1 +
xi) rho_grad. Only the difference is paid, for a second measurement with noise of variance C_grad^2 / (2 xi rho_grad),
and the two are averaged with their budgets as weights, which equals one measurement at the raised budget. epsilon_BT
stays.

Unlike in Algorithm 2, every release is tested before it is made, the first gradient too, and the tested cost is the one
that is subtracted: a budget too small for one gradient ends the run at the public start. The sum is divided by n, which
is taken as public: where a record is added or removed, give `records`. As in the paper, searches cost what Theorems 1
and 3 say, and the run goes on while some order can pay (BL-FILTER).

Not to be confused with DP-AGD itself, which chooses steps by NoisyMin.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.line_search.adaptive_levels import Levels
from reference_impls.line_search.budgeted_line_search import BudgetedLineSearch, paid, some_above
from reference_impls.line_search.line_search_training import Divisor
from reference_impls.line_search.step_costs import gradient_step, printed_cost, search_step

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DpBlgd(BudgetedLineSearch):
    """Subject ``dp-blgd``. Data set: a table. Result: the last iterate, shape (dimension,).

    Settings: those of :class:`~reference_impls.line_search.budgeted_line_search.BudgetedLineSearch` and its base
    :class:`~reference_impls.line_search.line_search_training.LineSearchTraining`.
    """

    divisor: Divisor = "expected"

    @property
    def sampling_ratio(self) -> float:
        """1: every batch is the whole table."""
        return 1.0

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The loop described above, for any model."""
        model, table, weights = self.begin(dataset)
        levels, left, eta0 = self.first_levels, self.total, self.eta0
        chosen = list[float]()
        tape.iterate(weights)
        for iteration in range(self.most_steps):
            if not some_above(left, self._gradient_cost(levels.rho_grad)):
                break
            direction = self.gradient(tape, model, table, None, weights, levels)
            left = paid(tape, left, self._gradient_cost(levels.rho_grad))
            eta, search_cost = 0.0, self._search_cost(levels)
            while eta == 0.0 and some_above(left, search_cost):
                eta = self.search(tape, model, table, None, weights, direction, levels, eta0)
                left = paid(tape, left, search_cost)
                if eta > 0.0:
                    weights = weights - eta * direction
                    break
                more = replace(levels, rho_grad=self.xi * levels.rho_grad)
                if not some_above(left, self._gradient_cost(more.rho_grad)):
                    break
                left = paid(tape, left, self._gradient_cost(more.rho_grad))
                second = self.gradient(tape, model, table, None, weights, more)
                direction = (direction + self.xi * second) / (1.0 + self.xi)
                levels = replace(levels, rho_grad=(1.0 + self.xi) * levels.rho_grad)
            if eta > 0.0:
                chosen.append(eta)
            eta0 = self.first_step(iteration, eta0, chosen)
            tape.publish("step-size", eta)
            tape.iterate(weights)
        return weights

    def _gradient_cost(self, rho: float) -> Float:
        return printed_cost(gradient_step(rho), self.orders)

    def _search_cost(self, levels: Levels) -> Float:
        return printed_cost(search_step(self.noise, levels.budget_bt, self.max_it), self.orders)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("dp-blgd", DpBlgd)
