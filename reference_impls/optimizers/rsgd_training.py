"""What NSGD and RSGD-AR have in common: mini-batches in cyclic order, and noise at the end, scaled to the recursion.

RSGD, sections 3.3 to 4; DISS, section 3.5. The noise is N(0, sigma^2) on the weights. sigma is given, or None for the
least one that gives (order, epsilon)-RDP under the algorithm's own accounting. Neighbours: one record replaced, so n is
public.

A batch is `batch_size` consecutive records of the (permuted) data; where that does not divide n, the last batch is
smaller. Each batch's gradient is divided by its own size, as printed (Algorithm 1, line 7; Algorithm 3, line 10). The
subclasses say what the last batch's size does to the sensitivity.

The texts do not say where w_0 starts; here it is zero, a public point.

All weights but the released ones are secret: the transcript has them as unreleased values called ``iterate``.

Not to be confused with DP-SGD, which adds noise to every gradient and may publish every iterate.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.rules import POSITIVE, Between, Count, NonNegative, OneOf, Positive
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.definitions.rdp import RDP
from reference_impls.models.loss_constants import constants
from reference_impls.models.model import Model, ModelText, find_model
from reference_impls.optimizers.output_perturbation import OutputPerturbation
from reference_impls.optimizers.rsgd_privacy import mixture, renyi, sigma_for
from reference_impls.optimizers.rsgd_sensitivity import SCHEDULES, sensitivities, step_sizes
from reference_impls.training.claim_conditions import need_records
from reference_impls.training.trainer import table_for

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class RsgdTraining(OutputPerturbation):
    """Settings and accounting; subclasses have the loop.

    Attributes
    ----------
    model : str
        A linear or softmax model.
    epochs : int
        T. The papers print no value.
    initial_step : float
        eta_0 > 0; the recursion holds beyond 2 / L, too. The papers print no value.
    batch_size : int
        nu, the nominal size; all records where there are fewer.
    l2 : float
        lambda in ``f + (lambda / 2) |w|^2``, which is mu (section 5.1).
    norm : float
        Bound on the rows' L2 norms, > 0; longer rows are refused.
    order, epsilon : float
        The claim, for replaced records.
    sigma : float or None
        Standard deviation of a coordinate's noise; None for the least that the accounting allows at the claim.
    lipschitz, smoothness : float or None
        R (of the loss alone, see :mod:`reference_impls.optimizers.rsgd_sensitivity`) and L (l2 included, so at least
        l2); None for the model's own. Smaller values are refused, because the noise is scaled to R and L.
    vouched : bool
        Accept smaller R and L on the caller's word, where more is known of weights and records than the model's
        constants use (all weights lie in a ball, say; 2 R has to bound the difference of two records' gradients).
    schedule : str
        See :func:`~reference_impls.optimizers.rsgd_sensitivity.step_sizes`.
    """

    model: ModelText = "logistic"
    epochs: Count = 20
    initial_step: Positive = 0.5
    batch_size: Count = 4000
    l2: NonNegative = 0.001
    norm: Positive = 1.0
    order: Annotated[float, Between(1, np.inf, open="both")] = 8.0
    epsilon: Positive = 1.0
    sigma: NonNegative | None = None
    lipschitz: Positive | None = None
    smoothness: Positive | None = None
    vouched: bool = False
    schedule: Annotated[str, OneOf(SCHEDULES)] = "epoch"

    relation = "replace"

    def validate(self) -> None:
        """R and L must not be below the model's own, unless they are vouched for."""
        if self.lipschitz is not None or self.smoothness is not None:
            self._check_constants()

    @property
    def restart_interval(self) -> int | None:
        """tau, epochs between averagings; None where iterates are not averaged."""
        return None

    @property
    def steps(self) -> tuple[float, ...]:
        """eta in each epoch."""
        return step_sizes(self.schedule, self.initial_step, self.epochs, interval=self.restart_interval)

    def batch_sizes(self, rows: int) -> list[int]:
        """The true sizes |B_1| .. |B_m|: nominal, except perhaps the last."""
        need_records(self, rows)
        full, rest = divmod(rows, self.batch_size)
        return [self.batch_size] * full + [rest] * (rest > 0)

    def believed_sizes(self, rows: int) -> list[int]:
        """The sizes |B| that the recursion uses: nominal for every batch, as printed."""
        sizes = self.batch_sizes(rows)
        return [max(sizes)] * len(sizes)

    def sensitivities(self, rows: int) -> Float:
        """Delta[j] in the algorithm's own accounting, shape (m,)."""
        return self.recursion(self.steps, self.believed_sizes(rows), interval=self.restart_interval)

    def recursion(self, steps: tuple[float, ...], sizes: list[int], *, interval: int | None = None) -> Float:
        """Delta[j] with this algorithm's R, L and mu, shape (m,)."""
        lipschitz, smoothness = self.lipschitz, self.smoothness
        if lipschitz is None or smoothness is None:
            own = constants(find_model(self.model), norm=self.norm)
            lipschitz = own.lipschitz if lipschitz is None else lipschitz
            smoothness = own.smoothness + self.l2 if smoothness is None else smoothness
        return sensitivities(
            steps,
            sizes,
            lipschitz=lipschitz,
            smoothness=smoothness,
            strong_convexity=self.l2,
            interval=interval,
        )

    def _check_constants(self) -> None:
        least = {"lipschitz": 0.0, "smoothness": self.l2}
        if not self.vouched:
            own = constants(find_model(self.model), norm=self.norm)
            least = {"lipschitz": own.lipschitz, "smoothness": own.smoothness + self.l2}
        for name, bound in least.items():
            if getattr(self, name) is None:
                continue
            if getattr(self, name) < bound:
                raise InputError(
                    f"{type(self).__name__}: {name} = {getattr(self, name)}",
                    allowed=f"at least {bound:.17g}, which model {self.model!r} with l2 = {self.l2:g} has",
                    remedy="leave it out, or set vouched=True if every run has a smaller one",
                )

    @abstractmethod
    def parts(self, rows: int) -> tuple[Float, Float]:
        """(shifts, weights): the L2 sensitivities that the noise is scaled to, and how likely each is, shape (m,)."""

    def sensitivity(self, rows: int) -> float:
        """The largest distance that one replaced record moves the weights by, according to the accounting, in L2."""
        return float(self.parts(rows)[0].max())

    def noise_scale(self, rows: int) -> float:
        """sigma for n records: as given, or the least that the claim allows."""
        return self.sigma if self.sigma is not None else _least_noise(self, rows)

    def guarantee(self, rows: int) -> RDP:
        """What is claimed for n records under replacement: `order`, and `epsilon` or what the given sigma makes of it.

        Raises
        ------
        InputError
            Without noise, or without records.
        """
        need_records(self, rows)
        if self.sigma is None:
            return RDP(order=self.order, epsilon=self.epsilon)
        POSITIVE.checked(f"{type(self).__name__}: sigma", self.sigma)
        return RDP(order=self.order, epsilon=renyi(self.order, *self.parts(rows), self.sigma))

    def composition(self, rows: int) -> Composition:
        """The step behind the claim, for accountants: it has a bound at every order."""
        return Composition.of(mixture(*self.parts(rows), self.noise_scale(rows)))

    def prepared(self, dataset: Dataset) -> tuple[Model, Table]:
        """The model and the checked table, whose rows have norm at most `norm`."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        table.need_norm(self.norm)
        return model, table

    def batches(self, rows: int) -> list[Integer]:
        """Consecutive places 0 .. n - 1, cut into mini-batches."""
        places = np.arange(rows)
        return [places[first : first + self.batch_size] for first in range(0, rows, self.batch_size)]

    def stepped(self, weights: Float, step: float, model: Model, table: Table, batch: Integer) -> Float:
        """w - eta grad f_B(w), the operator T_B of (4)."""
        return np.asarray(weights - step * (model.gradient(weights, table, batch) / batch.size + self.l2 * weights))


@lru_cache(maxsize=256)
def _least_noise(training: RsgdTraining, rows: int) -> float:
    """The least sigma that the accounting allows; cached, because every call of `sample` needs this root."""
    return sigma_for(training.order, training.epsilon, *training.parts(rows))
