"""ssADMM: linearised stochastic ADMM with a noisy mini-batch gradient (DISS, Algorithm 4.1).

Claims (Theorem 4.1): the mean gradient of a batch moves by at most 2 C / m under a replaced record, the batch is a
sample without replacement, so each iteration costs what Lemma 2.3 prints and T of them add up; all else in an iteration
is post-processing. No accountant but ``rdp-printed`` takes that lemma.

Theorem 4.2 is about ergodic averages and line 11 returns the last iterate: ``output="average"`` returns the mean of
x^0 .. x^(T-1) instead, at no cost in privacy, see :mod:`reference_impls.papers.diss.lemmas.admm.rate`.

The batch size of section 4.6.4 is sqrt(n), which is rounded here. Every batch has m records, so that m need not divide
n; where m exceeds n, the batch is all records and the divisor stays m, and so does the sensitivity.

Not to be confused with DP-SGD with proximal steps (4.17), where the threshold meets the noise at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.without_replacement import WithoutReplacementStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.definitions.rdp import RDP
from dpverify.recording.tape import Tape
from dpverify.sampling.permutation import shuffle_start
from dpverify.sampling.streams import state_from
from dpverify.sampling.ziggurat import normal
from reference_impls.admm.admm_training import ORDERS, AdmmTraining
from reference_impls.admm.schedules import step_sizes
from reference_impls.admm.updates import dual, dual_of, primal, primal_of, split, split_of
from reference_impls.models.linear import LinearModel, add_clipped_gradient, kernel_records
from reference_impls.training.record_count import need_records
from reference_impls.training.settings import need_count, need_non_negative, need_positive
from reference_impls.training.trainer import Training

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]
OUTPUTS = ("last", "average")


@dataclass(frozen=True, slots=True, kw_only=True)
class SsAdmm(AdmmTraining):
    """Subject ``ss-admm``. Data set: a table. Result: x, shape (d,).

    The other attributes: :class:`~reference_impls.admm.admm_training.AdmmTraining`.

    Attributes
    ----------
    steps : int
        T.
    batch_size : int or None
        m; None for sqrt(n), rounded.
    sigma : float
        Standard deviation of a coordinate's noise on the *mean* gradient, >= 0. The chapter prints no value.
    output : "last" or "average"
        What is returned.
    """

    schedule: str = "epoch"
    steps: int = 100
    batch_size: int | None = None
    sigma: float = 0.01
    output: str = "last"

    relation = "replace"

    def __post_init__(self) -> None:
        AdmmTraining.__post_init__(self)
        need_count(self, "steps")
        if self.batch_size is not None:
            need_count(self, "batch_size")
        need_non_negative(self, "sigma")
        if self.sigma:
            need_positive(self, "clip")  # noise needs a finite sensitivity
        if self.output not in OUTPUTS:
            raise InputError(f"output = {self.output!r}", allowed=", ".join(OUTPUTS))

    def batch(self, rows: int) -> int:
        """The m of n records."""
        need_records(self, rows)
        return self.batch_size or max(1, round(math.sqrt(rows)))

    def sensitivity(self, rows: int) -> float:
        """2 C / m, in L2: Theorem 4.1."""
        return 2.0 * self.clip / self.batch(rows)

    def step_sizes(self, rows: int) -> tuple[float, ...]:
        """eta^0 .. eta^(T-1)."""
        return step_sizes(self.schedule, self.initial_step, self.steps, batch=self.batch(rows), rows=rows)

    def step(self, rows: int) -> WithoutReplacementStep:
        """One iteration, as Theorem 4.1 accounts for it."""
        return WithoutReplacementStep(
            q=min(self.batch(rows) / rows, 1.0),
            step=GaussianStep(sigma=self.sigma, sensitivity=self.sensitivity(rows)),
        )

    def composition(self, rows: int) -> Composition:
        """T iterations; InputError without noise."""
        return Composition.repeat(self.step(rows), self.steps)

    def guarantee(self, rows: int) -> RDP:
        """Theorem 4.1 for n records, at :data:`~reference_impls.admm.admm_training.ORDERS`, under replacement."""
        return RDP(orders=ORDERS, epsilons=tuple((self.steps * self.step(rows).printed(ORDERS)).tolist()))

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """Algorithm 4.1, for any model."""
        model, table, x = self.prepared(dataset)
        size, believed = self.batch(table.rows), self.sensitivity(table.rows)
        y, z, total = np.zeros_like(x), x, np.zeros_like(x)  # 2
        tape.iterate(x)
        for eta in self.step_sizes(table.rows):  # 3
            total += x
            batch = tape.subset("batch", table.rows, min(size, table.rows))  # 4
            clean = model.gradient(x, table, batch, clip=self.clip) / size  # 5
            noisy = tape.perturb("gradient", clean, law="gaussian", scale=self.sigma, sensitivity=believed)  # 6
            x = primal(noisy, x, y, z, eta, self.rho)  # 7
            z = split(x, y, self.rho, self.l1)  # 8
            y = dual(y, x, z, self.rho)  # 9
            tape.publish("step-size", eta)
            tape.publish("z", z)
            tape.publish("y", y)
            tape.iterate(x)
        return x if self.output == "last" else total / self.steps  # 11

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Results of independent runs, float64, shape (size, d): a kernel for linear models, `run` for others."""
        model, table, _ = self.prepared(dataset)
        if not isinstance(model, LinearModel):
            return Training.sample(self, dataset, size, rng=rng)
        out = np.empty((size, table.columns))
        ss_admm_many(
            out,
            *kernel_records(model, table),
            np.array(self.step_sizes(table.rows)),
            (self.batch(table.rows), self.sigma, self.clip, self.rho, self.l1, self.output == "average"),
            *state_from(rng),
        )
        return out


@njit(cache=True, nogil=True)
def ss_admm_many(
    out: Float,
    code: int,
    h_bar: float,
    features: Float,
    labels: Float,
    norms: Float,
    steps: Float,
    settings: tuple[int, float, float, float, float, bool],
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """One training a row of `out`, shape (size, d); draws in the order of the loop."""
    batch_size, sigma, clip, rho, l1, average = settings
    rows, columns = features.shape
    order = np.empty(rows, dtype=np.int64)
    gradient = np.empty(columns)
    x, y, z = np.empty(columns), np.empty(columns), np.empty(columns)
    for trial in range(out.shape[0]):
        total = out[trial]
        total[:] = 0.0
        x[:] = 0.0
        y[:] = 0.0
        z[:] = 0.0
        for eta in steps:
            s0, s1, s2, s3 = shuffle_start(order, min(batch_size, rows), s0, s1, s2, s3)
            gradient[:] = 0.0
            batch = order[: min(batch_size, rows)]
            add_clipped_gradient(gradient, code, h_bar, clip, x, features, labels, norms, batch)
            for j in range(columns):
                total[j] += x[j]
                unit, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
                x[j] = primal_of(gradient[j] / batch_size + sigma * unit, x[j], y[j], z[j], eta, rho)
                z[j] = split_of(x[j], y[j], rho, l1)
                y[j] = dual_of(y[j], x[j], z[j], rho)
        for j in range(columns):
            total[j] = total[j] / steps.size if average else x[j]


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("ss-admm", SsAdmm)
