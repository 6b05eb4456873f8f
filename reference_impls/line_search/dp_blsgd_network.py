"""DP-BLSGD as the papers ran it on neural networks (BLSGD section V-G; DISS 5.6.7): searched steps, fixed budgets.

NoisyBTLS returns ``beta^max_it eta0`` where it would return 0, so every iteration moves and none is repeated; CHEB is
left out. Of rho_iter, 90 % go to the gradient and 10 % to the search (Gaussian version), so an iteration "is (alpha,
alpha rho_iter)-RDP" before amplification. Gradient and search use one sample, so they are charged together here, as one
step at rho_iter, and then amplified. This rule is sound if rho_iter is, which is open: the gradient is divided by the
realised sample size (line 6), and the search relies on Theorem 3 (the ledger's BL-SVT-GAUSS-RDP).

A returned ``beta^max_it eta0`` counts as a selected step size and enters Omega, as intelligent backtracking prints:
where every search of tau iterations fails, eta0 falls to varsigma beta^max_it eta0.

``dp-blsgd-network-repaired`` differs in line 6, where it divides by the expected size of a sample, and in its account:
the search costs what is proved of it (:mod:`reference_impls.line_search.gradient_and_search`), not order rho_BT as in
Theorem 3.

Settings of section V-D for networks: q = 1/200, C_grad = C_obj = 3, alpha = 0.001. Left open by the papers and chosen
here: rho_iter = 0.01, 100 iterations, and a model that takes labels -1 and +1, so that the subject runs on any such
table; theirs are ``mlp:784-1000-10`` and relatives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.core.composition import Composition
from dpverify.core.registry import Registry
from dpverify.core.rules import Count, NonNegative, Positive, Share
from dpverify.core.subjects import Dataset
from dpverify.laws.stopping import Noise
from dpverify.recording.tape import Tape
from reference_impls.line_search.adaptive_levels import Levels
from reference_impls.line_search.gradient_and_search import GradientAndSearch
from reference_impls.line_search.line_search_training import LineSearchTraining
from reference_impls.line_search.step_costs import amplified, gradient_step, search_step

Float = NDArray[np.float64]

SEARCH_SHARE = 0.1
"""The part of rho_iter that goes to the search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DpBlsgdNetwork(LineSearchTraining):
    """Subject ``dp-blsgd-network``. Data set: a table. Result: the last iterate, shape (dimension,).

    Further settings: those of :class:`~reference_impls.line_search.line_search_training.LineSearchTraining`.

    Attributes
    ----------
    q : float
        Each record's chance to enter a sample.
    rho_iter : float
        Budget of one iteration.
    steps : int
        Iterations.
    """

    c_obj: Positive = 3.0
    noise: Noise = "gaussian"
    alpha: NonNegative = 0.001
    q: Share = 1.0 / 200.0
    rho_iter: Positive = 0.01
    steps: Count = 100

    @property
    def sampling_ratio(self) -> float:
        """q, each record's chance to enter a sample."""
        return self.q

    @property
    def levels(self) -> Levels:
        """Budgets and thresholds of every iteration; the Laplace version has epsilon_BT^2 / 2 = rho_BT (Lemma 2)."""
        search = SEARCH_SHARE * self.rho_iter
        return Levels(
            rho_grad=self.rho_iter - search,
            budget_bt=search if self.noise == "gaussian" else (2.0 * search) ** 0.5,
            c_grad=self.c_grad,
            c_obj=self.c_obj,
        )

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The loop, for any model."""
        model, table, weights = self.begin(dataset)
        levels, eta0 = self.levels, self.eta0
        chosen = list[float]()
        tape.iterate(weights)
        for iteration in range(self.steps):
            batch = tape.poisson_subset("batch", table.rows, self.q)
            direction = self.gradient(tape, model, table, batch, weights, levels)
            eta = self.search(tape, model, table, batch, weights, direction, levels, eta0)
            if eta == 0.0:
                eta = self.beta**self.max_it * eta0
            chosen.append(eta)
            weights = weights - eta * direction
            eta0 = self.first_step(iteration, eta0, chosen)
            tape.publish("step-size", eta)
            tape.iterate(weights)
        return weights

    def composition(self) -> Composition:
        """`steps` times (order, order rho_iter)-RDP, amplified by Lemma 4: the papers' claim, n being public."""
        return Composition.repeat(amplified(gradient_step(self.rho_iter), self.q), self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class DpBlsgdNetworkRepaired(DpBlsgdNetwork):
    """Subject ``dp-blsgd-network-repaired``; other attributes: those of :class:`DpBlsgdNetwork`.

    Attributes
    ----------
    divisor : "expected"
        Nothing else is allowed.
    records : int or None
        The public n; `composition` needs it.
    """

    divisor: Literal["expected"] = "expected"

    def composition(self) -> Composition:
        """`steps` times a gradient and a search at their proved costs, amplified by Lemma 4 as one step.

        An upper bound as far as Lemma 4 is one (the ledger's ACC-AMP-POISSON); InputError without `records`.
        """
        self.need_records()
        search = search_step(self.noise, self.levels.budget_bt, self.max_it)
        both = GradientAndSearch(gradient=gradient_step(self.levels.rho_grad), search=search)
        return Composition.repeat(amplified(both, self.q), self.steps)


def register(registry: Registry) -> None:
    """Register both subjects."""
    registry.mechanisms.add("dp-blsgd-network", DpBlsgdNetwork)
    registry.mechanisms.add("dp-blsgd-network-repaired", DpBlsgdNetworkRepaired)
