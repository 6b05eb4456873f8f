"""DP-AGD: full gradient descent whose budget and steps adapt (Lee and Kifer, KDD 2018): a baseline of the papers.

An iteration measures the sum of the clipped gradients with noise of variance C_grad^2 / (2 rho_ng), takes its
direction, and lets :mod:`~reference_impls.optimizers.noisy_min` choose among 0 and 20 equal parts of alpha_max by the
sum of the losses clipped at C_obj, for rho_nmax. Where it chooses 0 the gradient was too noisy: rho_ng grows by the
factor 1 + gamma, the difference pays for a second measurement, and the average of the two, weighted by their budgets,
replaces the first. Every tau iterations alpha_max becomes 1.1 times the largest step since, never above the first.

Claim: rho-zCDP for a record added or removed, rho from (epsilon, delta) by epsilon = rho + 2 sqrt(rho ln(1 / delta))
(Bun and Steinke 2016, Proposition 1.3). The cost of a step depends on earlier outputs, and the sum of all costs is kept
at most rho: a privacy filter (Feldman and Zrnic 2021), which holds for Renyi budgets at each order. Batches are the
whole table.

The paper's pseudo-code was not at hand; the above is what RSGD, BLSGD, DISS and public code say of it. From the code
come the constants, rho_ng and rho_nmax from epsilon / (2 * 60), and that a measurement is charged when it is made. The
code differs from this file: it charges an update a second rho_ng; it goes on measuring when the budget is spent and
throws the step away (here nothing is drawn that cannot be paid; the result is the same); its second average takes the
*first* measurement with the budget of the first two (here averages accumulate); it adds l2 w after taking the direction
(here before), and leaves it out of the selection; its selection adds the noise with the wrong sign (see NoisyMin).

Not to be confused with DP-BLGD, which borrows its budgets and searches by Armijo's rule.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Between, Count, NonNegative, OpenUnit, Positive
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.definitions.rdp import ZCDP
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import State
from reference_impls.models.linear import LinearModel, row_norms
from reference_impls.models.loss_sums import summed_loss
from reference_impls.models.regularisation import Penalty
from reference_impls.models.sparse_rows import sparse_rows
from reference_impls.optimizers.dp_agd_kernel import dp_agd_many
from reference_impls.optimizers.noisy_min import NoisyMin
from reference_impls.training.model_training import LinearKernel, ModelTraining

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DpAgd(ModelTraining, LinearKernel):
    """Subject ``dp-agd``. Data set: a table. Result: the last iterate, shape (dimension,).

    The other attributes: :class:`~reference_impls.training.model_training.ModelTraining`. The model's losses must be >=
    0.

    Attributes
    ----------
    epsilon, delta : float
        The budget, which is converted into rho.
    c_grad, c_obj : float
        Clipping of a record's gradient (L2) and loss, finite.
    gamma : float
        By how much rho_ng grows, > 0.
    splits : int
        epsilon / (2 splits) is the first epsilon of a gradient and of a selection.
    candidates : int
        Number of positive step sizes that a selection chooses from.
    alpha_max : float
        The largest step size in the first iteration.
    tau, varsigma : int, float
        How often alpha_max is reset, and to how many times the largest step since; varsigma > 1.
    l2 : float
        Adds (l2 / 2) |w|^2 to the *sum* of the losses, whatever n is.
    """

    epsilon: Positive = 1.0
    delta: OpenUnit = 1e-8
    c_grad: Positive = 3.0
    c_obj: Positive = 3.0
    gamma: Positive = 0.1
    splits: Count = 60
    candidates: Count = 20
    alpha_max: Positive = 2.0
    tau: Count = 10
    varsigma: Annotated[float, Between(1, math.inf, open="both")] = 1.1
    l2: NonNegative = 0.0

    relation = "add-remove"

    def validate(self) -> None:
        """The budget must pay for more than the first step."""
        if self.rho_ng + self.rho_nmax >= self.rho:
            raise InputError(
                f"DpAgd: a first step that costs {self.rho_ng + self.rho_nmax:.3g} of the budget rho = {self.rho:.3g}",
                allowed="a first step that costs less than the budget",
                remedy="more splits",
            )

    @property
    def rho(self) -> float:
        """The whole budget: the rho with epsilon = rho + 2 sqrt(rho ln(1 / delta))."""
        log = -math.log(self.delta)
        return float((self.epsilon / (math.sqrt(self.epsilon + log) + math.sqrt(log))) ** 2)

    @property
    def rho_nmax(self) -> float:
        """The budget of a selection: (epsilon / (2 splits))^2 / 2."""
        return 0.5 * (self.epsilon / (2 * self.splits)) ** 2

    @property
    def rho_ng(self) -> float:
        """The budget of the first gradient: the classical Gaussian mechanism at (epsilon / (2 splits), delta)."""
        return 0.5 * (self.epsilon / (2 * self.splits)) ** 2 / (2.0 * math.log(1.25 / self.delta))

    def guarantee(self) -> ZCDP:
        """What is claimed, one record added or removed."""
        return ZCDP(rho=self.rho)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The loop described above, for any model."""
        model, table, weights = self.begin(dataset)
        penalty = Penalty(l2=self.l2)
        selection = self._selection
        left, rho_ng, alpha_max, chosen, iteration = self.rho, self.rho_ng, self.alpha_max, list[float](), 0
        tape.iterate(weights)
        while left > rho_ng + self.rho_nmax:  # else not even one step can be paid for
            clean = model.gradient(weights, table, clip=self.c_grad)
            measured = self._measured(tape, clean, rho_ng)
            left -= rho_ng
            steps, answer = np.linspace(0.0, alpha_max, self.candidates + 1), 0
            while answer == 0:
                if not left > self.rho_nmax:
                    return weights
                direction = measured + penalty.gradient(weights)
                direction = direction / max(float(np.linalg.norm(direction)), 1e-300)
                points = [weights - step * direction for step in steps]
                answer = selection.select(
                    [summed_loss(model, at, table, clip=self.c_obj) + penalty.value(at) for at in points], tape
                )
                left -= self.rho_nmax
                tape.publish("answer", answer)
                tape.publish("budget", self.rho_nmax)
                if answer == 0:
                    more = self.gamma * rho_ng
                    if not left > more:
                        return weights
                    measured = (measured + self.gamma * self._measured(tape, clean, more)) / (1.0 + self.gamma)
                    left, rho_ng = left - more, rho_ng + more
            weights = points[answer]
            chosen.append(float(steps[answer]))
            iteration += 1
            if iteration % self.tau == 0:
                alpha_max = min(self.varsigma * max(chosen), self.alpha_max)
                chosen.clear()
            tape.publish("step-size", float(steps[answer]))
            tape.iterate(weights)
        return weights

    def run_kernel(self, out: Float, model: LinearModel, table: Table, state: State) -> None:
        """One training in each row of `out`, by :func:`~reference_impls.optimizers.dp_agd_kernel.dp_agd_many`."""
        budgets = (self.rho, self.rho_ng, self.rho_nmax)
        noise = self._selection.noise_scale
        settings = (self.c_grad, self.c_obj, self.gamma, self.alpha_max, self.varsigma, self.l2, noise)
        records = (sparse_rows(table), table.labels, row_norms(table))
        dp_agd_many(out, model.code, model.h_bar, *records, budgets, settings, self.candidates, self.tau, *state)

    @property
    def _selection(self) -> NoisyMin:
        return NoisyMin(epsilon=math.sqrt(2.0 * self.rho_nmax), sensitivity=self.c_obj)

    def _measured(self, tape: Tape, clean: Float, rho: float) -> Float:
        tape.publish("budget", rho)
        scale = self.c_grad / math.sqrt(2.0 * rho)
        return tape.perturb("gradient", clean, law="gaussian", scale=scale, sensitivity=self.c_grad)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("dp-agd", DpAgd)
