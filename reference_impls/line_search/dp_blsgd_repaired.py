"""DP-BLSGD repaired (the published one: :mod:`reference_impls.line_search.dp_blsgd`, BLSGD Algorithm 2).

The lines that differ, and why:

- 3, 7, 15, 21: nothing is released before it is paid for, and the test compares with the very cost that is then
  subtracted; the whole run ends when something cannot be paid.
- 4, 10: each search has a separate sample, so amplification applies to each release separately.
- 6: the sum is divided by the expected size q n of a sample, with the public `records` as n, so the divisor does not
  depend on the data. Without `records` n is that of the table: the run is the same, but the noise's scale tells n, and
  nothing is claimed.
- 7, 11, 16: costs are proved bounds (:mod:`reference_impls.line_search.step_costs`), far below the printed ones.
- section IV-C: the budget is kept at one order, fixed before the run from public numbers. With several orders, "some
  order can pay" lets the outputs choose the order, which Proposition 1 does not allow.

It rests on the adaptive composition of Renyi DP at one fixed order (Feldman and Zrnic 2021, Theorem 4.3). Only privacy
is repaired; the search still compares a sum with a bound for the mean, as printed. Unlike the published algorithm it
refuses, when built, a budget that does not pay for one gradient and one search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.filters import RenyiFilter
from dpverify.accounting.steps.guarantees import PureStep
from dpverify.accounting.steps.noisy_btls import NoisyBtlsGaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Count
from dpverify.core.subjects import Dataset
from dpverify.core.transcript import Transcript
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.definitions.rdp import RDP
from dpverify.recording.tape import Tape
from reference_impls.line_search.cheb import RIGHT_ANGLE, angle_between, mean_angle
from reference_impls.line_search.sampled_line_search import SampledLineSearch
from reference_impls.line_search.step_costs import (
    ProvedStep,
    proved_cost,
    proved_gradient_step,
    proved_search_step,
    total_budget,
)

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DpBlsgdRepaired(SampledLineSearch):
    """Subject ``dp-blsgd-repaired``. Data set: a table. Result: the last iterate, shape (dimension,).

    Further settings: those of :class:`~reference_impls.line_search.dp_blsgd.DpBlsgd` without `text`.

    Attributes
    ----------
    orders : tuple of int, or range
        One of them is chosen before the run: the one that pays for most iterations at the first budgets.
    divisor : "expected"
        Nothing else is allowed.
    records : int or None
        The public n, which every claim needs.
    most_steps : int
        Cap on the iterations; the proved costs would pay for thousands at the paper's first budgets.
    """

    divisor: Literal["expected"] = "expected"
    most_steps: Count = 200

    def validate(self) -> None:
        """The budget must pay for one gradient and one search."""
        if not self._iterations().max() >= 1:
            raise InputError(
                f"{type(self).__name__}: epsilon = {self.epsilon:g} at delta = {self.delta:g} pays for no iteration",
                allowed="a budget for one gradient and one search",
                remedy="a larger epsilon, or smaller rho_grad and budget_bt",
            )

    @property
    def order(self) -> int:
        """The Renyi order at which the budget is kept."""
        return self.orders[int(self._iterations().argmax())]

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """Algorithm 2 with the lines above changed, for any model."""
        model, table, weights = self.begin(dataset)
        order = (self.order,)
        privacy_filter = RenyiFilter(
            orders=np.array(order, dtype=np.float64), budgets=total_budget(self.epsilon, self.delta, order)
        )

        def pays(step: ProvedStep) -> bool:
            nonlocal privacy_filter
            cost = proved_cost(step, order)
            if not privacy_filter.fits(cost):
                return False
            privacy_filter = privacy_filter.spend(cost)
            tape.publish("budget", cost)
            return True

        levels, eta0 = self.first_levels, self.eta0
        average, before, chosen = RIGHT_ANGLE, None, list[float]()
        tape.iterate(weights)
        for iteration in range(self.most_steps):
            if not pays(self.charged_gradient(levels.rho_grad)):
                break
            batch = tape.poisson_subset("batch", table.rows, self.q)
            direction = self.gradient(tape, model, table, batch, weights, levels)
            eta, lowered = 0.0, False
            while pays(self.charged_search(levels.budget_bt)):
                searched = tape.poisson_subset("batch", table.rows, self.q)
                eta = self.search(tape, model, table, searched, weights, direction, levels, eta0)
                if eta > 0.0 or not pays(self.charged_gradient(levels.rho_grad)):
                    break
                levels, direction, lowered = self.cheb(tape, model, table, weights, levels, direction, average, lowered)
            if eta == 0.0:
                break  # the budget ended within this update
            weights = weights - eta * direction
            if before is not None:
                average = mean_angle(average, angle_between(direction, before), self.psi)
            chosen.append(eta)
            eta0 = self.first_step(iteration, eta0, chosen)
            before = direction
            tape.publish("step-size", eta)
            tape.iterate(weights)
        return weights

    def guarantee(self) -> ApproxDP:
        """The claim for the whole transcript, one record added or removed; InputError without `records`."""
        self.need_records()
        return SampledLineSearch.guarantee(self)

    def composition(self, transcript: Transcript) -> Composition:
        """The steps of one run at proved costs; InputError without `records`."""
        self.need_records()
        return SampledLineSearch.composition(self, transcript)

    def claimed_renyi(self) -> RDP:
        """The claim at the one order that is kept; InputError without `records`."""
        self.need_records()
        return RDP(order=float(self.order), epsilon=float(total_budget(self.epsilon, self.delta, (self.order,))[0]))

    def charged_gradient(self, rho: float) -> PoissonGaussianStep:
        """A gradient on a Poisson sample, at its tight cost."""
        return proved_gradient_step(rho, self.q)

    def charged_search(self, budget: float) -> PureStep | NoisyBtlsGaussianStep:
        """A search on a Poisson sample, at a proved cost."""
        return proved_search_step(self.noise, budget, self.max_it, self.q)

    def _iterations(self) -> Float:
        """How many iterations each order pays for at the first budgets, shape (k,)."""
        levels = self.first_levels
        gradient = proved_cost(self.charged_gradient(levels.rho_grad), self.orders)
        return np.asarray(self.total / (gradient + proved_cost(self.charged_search(levels.budget_bt), self.orders)))


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("dp-blsgd-repaired", DpBlsgdRepaired)
