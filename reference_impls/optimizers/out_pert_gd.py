"""OutPert-GD: full gradient descent with a fixed step and Gaussian noise on its end (Zhang, Zheng, Mou, Wang 2017).

"Efficient Private ERM for Smooth Objectives", IJCAI 2017, arXiv 1703.09947, the output perturbation that RSGD, BLSGD
and DISS compare with. T steps ``w <- w - eta grad F(w)`` from zeros, then noise of standard deviation

    sigma = Delta sqrt(2 ln(2 / delta)) / epsilon

for (epsilon, delta)-DP, one record replaced. Delta is 5 R (L + mu) / (n mu L) for a strongly convex F at
eta = 1 / (L + mu), as RSGD quotes it (after Proposition 2), or 3 R T eta / n for a convex one, as published code of
RSGD's authors computes it. Both are above what Lemma 2 of RSGD gives for eta <= 2 / (L + mu): 2 R / (n mu), and
2 R T eta / n.

The paper was not at hand: its constants are those that RSGD prints and the public code uses. R is that of the loss
without its regulariser (see :mod:`reference_impls.optimizers.rsgd_sensitivity`).

Limits: that sigma is enough where epsilon is not large (up to 9 for delta = 1e-5 and less); nothing is refused.

Not to be confused with DP-GD, which adds noise to every gradient.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.definitions.approx_dp import ApproxDP
from dpverify.laws.density import GaussianLaw
from dpverify.recording.tape import Tape
from reference_impls.models.loss_constants import Constants, constants
from reference_impls.models.model import find_model
from reference_impls.optimizers.rsgd_training import note
from reference_impls.training.claim_conditions import need_records
from reference_impls.training.settings import need_count, need_non_negative, need_positive, need_whole_noise
from reference_impls.training.trainer import Training, table_for

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]
BOUNDS = ("strongly-convex", "convex")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutPertGd(Training):
    """Subject ``out-pert-gd``. Data set: a table, rows of norm at most `norm`. Result: the noisy weights, shape (d,).

    Attributes
    ----------
    model : str
        A linear or softmax model, smooth with bounded gradients.
    steps : int
        T.
    step_size : float or None
        eta, at most 2 / (L + mu); None for 1 / (L + mu).
    l2 : float
        lambda in ``f + (lambda / 2) |w|^2``, which is mu; > 0 for the strongly convex bound.
    norm : float
        Bound on the rows' L2 norms, > 0; longer rows are refused.
    epsilon, delta : float
        The claim, for replaced records.
    bound : "strongly-convex" or "convex"
        Which Delta.
    noise_multiplier : float
        On sigma; 0 for no noise. Nothing is claimed below 1.
    """

    model: str = "logistic"
    steps: int = 50
    step_size: float | None = None
    l2: float = 0.001
    norm: float = 1.0
    epsilon: float = 1.0
    delta: float = 1e-8
    bound: str = "strongly-convex"
    noise_multiplier: float = 1.0

    relation = "replace"

    def __post_init__(self) -> None:
        find_model(self.model)
        need_count(self, "steps")
        need_positive(self, "norm", "epsilon", "delta")
        need_non_negative(self, "l2", "noise_multiplier")
        if self.delta >= 1.0:
            raise InputError(f"delta = {self.delta}", allowed="0 < delta < 1")
        if self.bound not in BOUNDS:
            raise InputError(f"bound {self.bound!r}", allowed=", ".join(BOUNDS))
        if self.bound == "strongly-convex":
            need_positive(self, "l2")
        if not (math.isfinite(self.conditions.smoothness) and math.isfinite(self.conditions.lipschitz)):
            raise InputError(f"model {self.model!r}", allowed="a smooth loss with bounded gradients")
        if self.step_size is not None:
            need_positive(self, "step_size")
            most = 2.0 / (self.conditions.smoothness + self.l2)
            if self.step_size > most:
                raise InputError(
                    f"step_size = {self.step_size}", allowed=f"at most 2 / (L + mu) = {most:.6g}, as the bounds assume"
                )

    @property
    def conditions(self) -> Constants:
        """R of the loss alone; L and mu with the regulariser."""
        own = constants(find_model(self.model), norm=self.norm)
        return Constants(smoothness=own.smoothness + self.l2, strong_convexity=self.l2, lipschitz=own.lipschitz)

    @property
    def step(self) -> float:
        """eta."""
        found = self.conditions
        return 1.0 / (found.smoothness + found.strong_convexity) if self.step_size is None else self.step_size

    def sensitivity(self, rows: int) -> float:
        """Delta for n records, in L2, as published."""
        need_records(self, rows)
        smoothness, mu, lipschitz = (
            self.conditions.smoothness,
            self.conditions.strong_convexity,
            self.conditions.lipschitz,
        )
        if self.bound == "convex":
            return 3.0 * lipschitz * self.steps * self.step / rows
        return 5.0 * lipschitz * (smoothness + mu) / (rows * mu * smoothness)

    def noise_scale(self, rows: int) -> float:
        """sigma for n records."""
        share = math.sqrt(2.0 * math.log(2.0 / self.delta)) / self.epsilon
        return self.noise_multiplier * share * self.sensitivity(rows)

    def guarantee(self) -> ApproxDP:
        """What is claimed, one record replaced; InputError with less than the published noise."""
        need_whole_noise(self)
        return ApproxDP(epsilon=self.epsilon, delta=self.delta)

    def composition(self, rows: int) -> Composition:
        """The noise for accountants, which say what it costs."""
        return Composition.of(GaussianStep(sigma=self.noise_scale(rows), sensitivity=self.sensitivity(rows)))

    def query(self, dataset: Dataset) -> Float:
        """The last iterate before the noise, shape (d,)."""
        return self._trained(dataset, Tape((np.uint64(0),) * 4, keep=False))

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published algorithm."""
        weights = self._trained(dataset, tape)
        scale, believed = self.noise_scale(dataset.rows), self.sensitivity(dataset.rows)
        return tape.perturb("model", weights, law="gaussian", scale=scale, sensitivity=believed)

    def _trained(self, dataset: Dataset, tape: Tape) -> Float:
        model = find_model(self.model)
        table = table_for(model, dataset)
        table.need_norm(self.norm)
        weights = np.zeros(model.dimension(table.columns))
        tape.iterate(weights)
        for _ in range(self.steps):
            tape.publish("step-size", self.step)
            weights = weights - self.step * (model.gradient(weights, table) / table.rows + self.l2 * weights)
            note(weights, tape)
        return weights

    def output_law(self, dataset: Dataset) -> GaussianLaw:
        """Normal around the last iterate: exact."""
        return GaussianLaw(locations=self.query(dataset), scales=np.array(self.noise_scale(dataset.rows)))

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Results of independent runs, float64, shape (size, d): one descent, `size` noises."""
        weights = self.query(dataset)
        noise = Tape.recording(rng, keep=False).normal("model", size * weights.size).reshape(size, -1)
        return np.asarray(weights + self.noise_scale(dataset.rows) * noise)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("out-pert-gd", OutPertGd)
