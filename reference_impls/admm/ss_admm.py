"""ssADMM: linearised stochastic ADMM with a noisy mini-batch gradient (DISS, Algorithm 4.1).

Claims (Theorem 4.1): the mean gradient of a batch moves by at most 2 C / m under a replaced record, the batch is a
sample without replacement, so each iteration costs what Lemma 2.3 prints, and the costs of T iterations add up; the
rest of an iteration is post-processing. Only the accountant ``rdp-printed`` uses that lemma.

Theorem 4.2 is about ergodic averages, but line 11 returns the last iterate: ``output="average"`` returns the mean of
x^0 .. x^(T-1) instead, at no cost in privacy, see :mod:`reference_impls.papers.diss.lemmas.admm.rate`.

The batch size of section 4.6.4 is sqrt(n), which is rounded here. Every batch is drawn afresh with m records, so m need
not divide n. Where m exceeds n, the batch is all records; divisor and sensitivity keep m.

Not to be confused with DP-SGD with proximal steps (4.17), which applies the threshold directly to the noisy step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.printed_samples import WithoutReplacementStep
from dpverify.core.composition import Composition
from dpverify.core.registry import Registry
from dpverify.core.rules import Count, NonNegative, OneOf
from dpverify.core.subjects import Dataset
from dpverify.definitions.rdp import RDP
from dpverify.recording.tape import Tape
from reference_impls.admm.admm_training import ORDERS
from reference_impls.admm.linearised_admm import LinearisedAdmm
from reference_impls.admm.schedules import SCHEDULES, step_sizes
from reference_impls.admm.updates import dual, primal, split
from reference_impls.training.claim_conditions import need_records

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SsAdmm(LinearisedAdmm):
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

    schedule: Annotated[str, OneOf(SCHEDULES)] = "epoch"
    steps: Count = 100
    batch_size: Count | None = None
    sigma: NonNegative = 0.01
    output: Annotated[str, OneOf(("last", "average"))] = "last"

    def batch(self, rows: int) -> int:
        """The batch size m for a table of n records."""
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
        size, sensitivity = self.batch(table.rows), self.sensitivity(table.rows)
        y, z, total = np.zeros_like(x), x, np.zeros_like(x)  # 2
        tape.iterate(x)
        for eta in self.step_sizes(table.rows):  # 3
            total += x
            batch = tape.subset("batch", table.rows, min(size, table.rows))  # 4
            clean = model.gradient(x, table, batch, clip=self.clip) / size  # 5
            noisy = tape.perturb("gradient", clean, law="gaussian", scale=self.sigma, sensitivity=sensitivity)  # 6
            x = primal(noisy, x, y, z, eta, self.rho)  # 7
            z = split(x, y, self.rho, self.l1)  # 8
            y = dual(y, x, z, self.rho)  # 9
            tape.publish("step-size", eta)
            tape.publish("z", z)
            tape.publish("y", y)
            tape.iterate(x)
        return x if self.output == "last" else total / self.steps  # 11

    def kernel_settings(self, rows: int) -> tuple[Float, int, bool, bool]:
        """A batch in every step; noise on its mean gradient; the result is the last x or the mean."""
        return np.array(self.step_sizes(rows)), self.batch(rows), True, self.output == "average"


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("ss-admm", SsAdmm)
