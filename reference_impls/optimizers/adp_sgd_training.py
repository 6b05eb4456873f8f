"""What the versions of ADP-SGD (ADPSGD Algorithm 1) have in common: settings, noise, claims, samples by the kernel.

Each step draws one record uniformly (line 3), or m records without replacement, independently of other steps; section 6
takes 256 and does not say how. The gradient (the mean over the m) gets N(0, (alpha_t sigma)^2 I). sigma is that of (6)
for the table's n, which is public: neighbours differ in the values of one record.

Assumption 2.2 (gradients of norm at most G) is met by clipping at `clip` = G, as section 6 does. One replaced record
then moves a step's mean by at most 2 G / m, which is the sensitivity that transcripts carry: the text has no number
(the proof, appendix C.1, is not in what is stored), and footnote 3 counts G / m.

alpha_t is fixed beforehand in every version. Line 5 as printed would compute it from b_t, and so from the data; the
text takes that back in sections 5.2 and 8. phi_2 = 0 (plain SGD) is ``alpha="zero"``: no noise, nothing claimed.

Not to be confused with :mod:`dpverify.accounting.filters`, equation (6) itself.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.filters import AdpSgdBudget
from dpverify.accounting.steps.gaussian import GaussianStep, MixtureGaussianStep
from dpverify.accounting.steps.printed_samples import WithoutReplacementStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.rules import Count, NonNegative, OpenUnit, Positive
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import State
from reference_impls.models.linear import LinearModel, kernel_records
from reference_impls.models.model import Model
from reference_impls.optimizers.adp_sgd_kernel import PUBLIC, adp_sgd_many
from reference_impls.optimizers.adp_sgd_schedules import Alpha, alphas
from reference_impls.training.claim_conditions import need_records
from reference_impls.training.clipping import Clip, need_finite_clip
from reference_impls.training.model_training import LinearKernel, ModelTraining

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdpSgdTraining(ModelTraining, LinearKernel):
    """Data set: a table. Result: the last iterate theta_T, shape (dimension,). Subclasses have the loop.

    The other attributes: :class:`~reference_impls.training.model_training.ModelTraining`.

    Attributes
    ----------
    steps : int
        T.
    epsilon, delta : float
        The claim of Theorem 4.1; the default is the experiments' smallest, epsilon = 16 epsilon_bar with epsilon_bar =
        0.8.
    sigma : float or None
        Standard deviation of c_t; None for that of (6).
    clip : float
        C_G, which takes the place of G; inf only where there is no noise.
    eta : float
        Steps are eta / b_t.
    alpha : "sqrt-b", "one" or "zero"
        phi_2: alpha_t^2 = b_t (ADP-SGD; b_t as it is planned), 1 (DP-SGD) or 0 (SGD).
    batch_size : int
        m, at most the number of records; 1 is the algorithm as printed.
    """

    steps: Count = 11700
    epsilon: Positive = 12.8
    delta: OpenUnit = 1e-5
    sigma: NonNegative | None = None
    clip: Clip = 1.0
    eta: Positive = 1.0
    alpha: Alpha = "sqrt-b"
    batch_size: Count = 1

    relation = "replace"
    follows = PUBLIC  # what b_t depends on, for the kernel

    def validate(self) -> None:
        """Noise needs a finite clipping threshold."""
        if self.alpha != "zero" and self.sigma != 0:
            need_finite_clip(self)

    @property
    @abstractmethod
    def planned(self) -> Float:
        """b_1 .. b_T as they are known beforehand, shape (T,); alpha is computed from them."""

    @property
    def growth_of_square(self) -> tuple[float, Float]:
        """b_0^2, and beta_t and nu of every step, shape (2, T), where b_t depends on gradients; else nothing."""
        return 0.0, np.empty((2, 0))

    @property
    def alphas(self) -> Float:
        """alpha_1 .. alpha_T, shape (T,)."""
        return alphas(self.alpha, self.planned)

    def noise_scale(self, rows: int) -> float:
        """sigma for n records: as given, or by (6); 0 where alpha is 0. InputError for fewer records than a batch."""
        need_records(self, rows, least=self.batch_size, why="the batch size")
        if self.alpha == "zero":
            return 0.0
        return self._printed(rows, self.epsilon) if self.sigma is None else self.sigma

    def sensitivity(self) -> float:
        """How far one replaced record moves a step's mean gradient, in L2."""
        return 2.0 * self.clip / self.batch_size

    def guarantee(self, rows: int) -> ApproxDP:
        """What Theorem 4.1 claims for n records, one of them replaced: epsilon, or what (6) makes of a given sigma.

        Raises
        ------
        InputError
            Without noise.
        """
        scale = self.noise_scale(rows)
        if not scale > 0:
            raise InputError(f"{type(self).__name__} without noise", allowed="alpha other than zero, sigma > 0")
        epsilon = self.epsilon if self.sigma is None else self._printed(rows, 1.0) / scale
        return ApproxDP(epsilon=epsilon, delta=self.delta)

    def composition(self, rows: int) -> Composition:
        """The steps, each with the bound that DISS Lemma 2.3 prints for samples without replacement."""
        return Composition.of(
            *(
                WithoutReplacementStep(
                    q=self.batch_size / rows, step=GaussianStep(sigma=scale, sensitivity=self.sensitivity())
                )
                for scale in (self.alphas * self.noise_scale(rows)).tolist()
            )
        )

    def attained(self, rows: int) -> Composition:
        """The exact law of all noisy gradients on one pair of tables: a lower bound on the true privacy loss.

        The losses are linear, so gradients do not depend on theta: all of them are G u, except that of one record,
        which is -G u in one of the two tables. Models whose gradients reach +-G come as near as their start allows.
        """
        need_records(self, rows, least=self.batch_size, why="the batch size")
        share = self.batch_size / rows
        weights, shifts = (
            ((1.0 - share, share), (0.0, self.sensitivity())) if share < 1 else ((1.0,), (self.sensitivity(),))
        )
        scales = (self.alphas * self.noise_scale(rows)).tolist()
        return Composition.of(*(MixtureGaussianStep(weights=weights, shifts=shifts, sigma=scale) for scale in scales))

    def begin_noisy(self, dataset: Dataset) -> tuple[Model, Table, Float, Float]:
        """The model, the checked table, theta_0, and the noise scale alpha_t sigma of every step, shape (T,)."""
        model, table, start = self.begin(dataset)
        if self.batch_size > table.rows:
            raise InputError(f"batch_size = {self.batch_size} of {table.rows} records", allowed=f"1..{table.rows}")
        return model, table, start, self.alphas * self.noise_scale(table.rows)

    def mean_gradient(self, tape: Tape, model: Model, table: Table, weights: Float) -> Float:
        """Line 3 and the gradient of line 6, clipped record by record: shape (dimension,)."""
        if self.batch_size == 1:
            batch = np.array([tape.index("batch", table.rows)])
        else:
            batch = tape.subset("batch", table.rows, self.batch_size)
        return np.asarray(model.gradient(weights, table, batch, clip=self.clip) / self.batch_size)

    def _printed(self, rows: int, epsilon: float) -> float:
        given = AdpSgdBudget(epsilon=epsilon, delta=self.delta, n=rows, steps=self.steps, gradient_bound=self.clip)
        return given.sigma(self.alphas)

    def run_kernel(self, out: Float, model: LinearModel, table: Table, state: State) -> None:
        """One training in each row of `out`, by :func:`~reference_impls.optimizers.adp_sgd_kernel.adp_sgd_many`."""
        _, _, _, scales = self.begin_noisy(table)
        square, grown = self.growth_of_square
        settings = (self.batch_size, self.follows, self.clip, self.eta, square)
        adp_sgd_many(out, *kernel_records(model, table), settings, self.planned, scales, grown, *state)
