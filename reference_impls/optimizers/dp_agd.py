"""DP-AGD: full gradient descent whose budget and steps adapt (Lee and Kifer, KDD 2018): a baseline of the papers.

An iteration measures the sum of the clipped gradients with noise of variance C_grad^2 / (2 rho_ng), takes its
direction, and lets :mod:`~reference_impls.optimizers.noisy_min` choose among 0 and 20 equal parts of alpha_max by the
sum of the losses clipped at C_obj, for rho_nmax. Where it chooses 0 the gradient was too noisy: rho_ng grows by the
factor 1 + gamma, the difference pays for a second measurement, and the average of the two by budget takes its place.
Every tau iterations alpha_max becomes 1.1 times the largest step since, never above the first.

Claim: rho-zCDP for a record added or removed, rho from (epsilon, delta) by epsilon = rho + 2 sqrt(rho ln(1 / delta))
(Bun and Steinke 2016, Proposition 1.3). What a step costs depends on earlier outputs, and their sum is held at rho: a
filter (Feldman and Zrnic 2021), which holds for Renyi budgets at each order. Batches are the whole table.

The paper's pseudo-code was not at hand; the above is what RSGD, BLSGD, DISS and public code say of it. From the
code: the constants, rho_ng and rho_nmax from epsilon / (2 * 60), and a measurement charged when it is made. Departures
from it: it charges an update a second rho_ng; it goes on measuring when the budget is spent and throws the step away
(here nothing is drawn that cannot be paid: the result is the same); its second average takes the *first* measurement
with the budget of the first two (here averages go on); it adds l2 w after taking the direction (here before), and
leaves it out of the selection; its selection takes the wrong side of the noise (see NoisyMin).

Not to be confused with DP-BLGD, which borrows its budgets and searches by Armijo's rule.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.definitions.zcdp import ZCDP
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.models.loss_sums import summed_loss
from reference_impls.models.model import find_model
from reference_impls.models.regularisation import Penalty
from reference_impls.optimizers.noisy_min import NoisyMin
from reference_impls.training.settings import need_count, need_non_negative, need_positive
from reference_impls.training.trainer import Training, table_for

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DpAgd(Training):
    """Subject ``dp-agd``. Data set: a table. Result: the last iterate, shape (dimension,).

    Attributes
    ----------
    model : str
        Text of a model whose losses are >= 0.
    epsilon, delta : float
        What rho is made from.
    c_grad, c_obj : float
        Clipping of a record's gradient (L2) and loss, finite.
    gamma : float
        By how much rho_ng grows, > 0.
    splits : int
        epsilon / (2 splits) is the first epsilon of a gradient and of a selection.
    candidates : int
        Positive steps on offer.
    alpha_max : float
        The largest of the first.
    tau, varsigma : int, float
        How often alpha_max is reset, and to how many times the largest step since; varsigma > 1.
    l2 : float
        Adds (l2 / 2) |w|^2 to the *sum* of the losses; n does not enter.
    start_seed : int
        Of the public starting weights.
    """

    model: str = "logistic"
    epsilon: float = 1.0
    delta: float = 1e-8
    c_grad: float = 3.0
    c_obj: float = 3.0
    gamma: float = 0.1
    splits: int = 60
    candidates: int = 20
    alpha_max: float = 2.0
    tau: int = 10
    varsigma: float = 1.1
    l2: float = 0.0
    start_seed: int = 0

    relation = "add-remove"

    def __post_init__(self) -> None:
        find_model(self.model)
        need_positive(self, "epsilon", "delta", "c_grad", "c_obj", "gamma", "alpha_max")
        need_count(self, "splits", "candidates", "tau")
        need_non_negative(self, "l2")
        if self.delta >= 1.0:
            raise InputError(f"DpAgd: delta = {self.delta}", allowed="0 < delta < 1")
        if not 1.0 < self.varsigma < math.inf:
            raise InputError(f"DpAgd: varsigma = {self.varsigma}", allowed="a finite number > 1")
        if self.rho_ng + self.rho_nmax >= self.rho:
            raise InputError(
                f"DpAgd: a first step for {self.rho_ng + self.rho_nmax:.3g} of {self.rho:.3g}",
                allowed="a budget above one step",
                remedy="more splits",
            )

    @property
    def rho(self) -> float:
        """The whole budget: the rho with epsilon = rho + 2 sqrt(rho ln(1 / delta))."""
        log = -math.log(self.delta)
        return float((self.epsilon / (math.sqrt(self.epsilon + log) + math.sqrt(log))) ** 2)

    @property
    def rho_nmax(self) -> float:
        """Of a selection: (epsilon / (2 splits))^2 / 2."""
        return 0.5 * (self.epsilon / (2 * self.splits)) ** 2

    @property
    def rho_ng(self) -> float:
        """Of the first gradient, whose noise is the classical Gaussian mechanism's at (epsilon / (2 splits), delta)."""
        return 0.5 * (self.epsilon / (2 * self.splits)) ** 2 / (2.0 * math.log(1.25 / self.delta))

    def guarantee(self) -> ZCDP:
        """What is claimed, one record added or removed."""
        return ZCDP(rho=self.rho)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The loop as read above, for any model."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        penalty, selection = (
            Penalty(l2=self.l2),
            NoisyMin(epsilon=math.sqrt(2.0 * self.rho_nmax), sensitivity=self.c_obj),
        )
        weights = model.start(table.columns, rng=stream(self.start_seed, "start"))
        left, rho_ng, alpha_max, chosen, iteration = self.rho, self.rho_ng, self.alpha_max, list[float](), 0
        tape.iterate(weights)
        while left > rho_ng + self.rho_nmax:  # what an iteration needs to change anything
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

    def _measured(self, tape: Tape, clean: Float, rho: float) -> Float:
        tape.publish("budget", rho)
        scale = self.c_grad / math.sqrt(2.0 * rho)
        return tape.perturb("gradient", clean, law="gaussian", scale=scale, sensitivity=self.c_grad)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("dp-agd", DpAgd)
