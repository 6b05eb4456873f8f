"""Proximal DP-SGD: DP-SGD on an L1-regularised objective, DISS's baseline in chapter 4, (4.17).

    x^{k+1} = S_{lambda eta^k} [x^k - eta^k g^k],  S the soft threshold

g^k is DP-SGD's noisy mean gradient (Abadi et al. 2016: a Poisson sample, clipped, noise sigma C, divided by the
expected size m); (4.17) prints the clean mean gradient and means the noisy one. Section 4.6.4: m = sqrt(n), rounded
here, and eta^k = eta^0 / h with h the current expected epoch (n / m iterations each), counted from 1. The threshold
needs no record, so the privacy is that of the noisy sums. Neither C nor sigma is printed.

Neighbours: the chapter replaces a record, so n is public and may set m, q, the divisor and the step sizes, but a sum
moves by up to 2 C. DP-SGD's own account, C and the subsampled Gaussian, is for a record added or removed. Under that
relation n is secret, and with m = sqrt(n) every record's sampling rate would depend on n. So that account is offered
only where `records`, a public number, takes the place of n (see `relation`).

Not to be confused with the proximal step inside ssADMM, whose gradient step differs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.gaussian import GaussianStep, MixtureStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Count, NonNegative, Positive
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.models.regularisation import Penalty
from reference_impls.optimizers.noisy_gradient_training import NoisyGradientTraining
from reference_impls.training.claim_conditions import need_records

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProximalDpSgd(NoisyGradientTraining):
    """Subject ``proximal-dp-sgd``. Data set: a table. Result: the last iterate, shape (dimension,).

    The other attributes: :class:`~reference_impls.optimizers.noisy_gradient_training.NoisyGradientTraining`.

    Attributes
    ----------
    steps : int
        T.
    l1 : float
        lambda; the experiments have 0.0001 and 0.001.
    step_size : float
        eta^0.
    schedule : "epoch" or "constant"
        eta^0 / h, or eta^0 throughout.
    batch_size : int or None
        m, the expected size; None for sqrt(n). At most n.
    relation : "replace" or "add-remove"
        The relation of the claim, which sets the sensitivity in transcripts: the chapter's, or DP-SGD's own.
    records : int or None
        A public number that stands for n in m, q, the divisor and the step sizes; None for the table's own.
    """

    steps: Count = 100
    l1: NonNegative = 0.001
    step_size: Positive = 1.0
    schedule: Literal["epoch", "constant"] = "epoch"
    batch_size: Count | None = None
    relation: Literal["replace", "add-remove"] = "replace"
    records: Count | None = None

    def public_count(self, rows: int) -> int:
        """The number that is used for n: `records`, or the `rows` of the table."""
        need_records(self, rows)
        return rows if self.records is None else self.records

    def expected(self, rows: int) -> int:
        """The expected batch size m for a table of so many records."""
        count = self.public_count(rows)
        size = max(1, round(math.sqrt(count))) if self.batch_size is None else self.batch_size
        if size > count:
            raise InputError(f"ProximalDpSgd: batch_size = {size} of {count} records", allowed=f"1..{count}")
        return size

    def sampling_rate(self, rows: int) -> float:
        """q = m / n, in (0, 1]."""
        return self.expected(rows) / self.public_count(rows)

    def step(self, iteration: int, rows: int) -> float:
        """eta^k for k = `iteration` from 0 on a table of so many records."""
        if self.schedule == "constant":
            return self.step_size
        return self.step_size / (iteration * self.expected(rows) // self.public_count(rows) + 1)

    def composition(self, rows: int) -> Composition:
        """A bound on T steps under `relation`.

        Added or removed: Poisson-sampled Gaussians, exactly. Replaced: the record is in the batch with probability q,
        and then moves a sum by up to 2 C. The bound is the Renyi bound of that mixture (joint convexity; RSGD Lemma 3).
        It is loose, as it does not use that the batch is secret. Where the claim for added records can be made
        (`records`), twice its epsilon at (1 + e^epsilon) delta holds under replacement too, by group privacy, and may
        be far smaller.

        Raises
        ------
        InputError
            Without noise; under add/remove without `records`.
        """
        q = self.sampling_rate(rows)
        step: PoissonGaussianStep | GaussianStep | MixtureStep
        if self.relation == "add-remove":
            if self.records is None:
                raise InputError(
                    "ProximalDpSgd: a claim under add-remove with m, q and step sizes from the table's own n",
                    allowed="a public number as `records`",
                    remedy=f"records={rows}, if that may be known, or relation='replace'",
                )
            step = PoissonGaussianStep(q=q, sigma=self.noise_multiplier)
        elif q == 1.0:
            step = GaussianStep(sigma=self.noise_multiplier, sensitivity=2.0)
        else:
            step = MixtureStep(weights=(1.0 - q, q), shifts=(0.0, 2.0), sigma=self.noise_multiplier)
        return Composition.repeat(step, self.steps)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model."""
        model, table, weights = self.begin(dataset)
        size, rate, penalty = self.expected(table.rows), self.sampling_rate(table.rows), Penalty(l1=self.l1)
        tape.iterate(weights)
        for iteration in range(self.steps):
            batch = tape.poisson_subset("batch", table.rows, rate)
            noisy = self.noisy_sum(model, table, weights, batch, tape)
            step = self.step(iteration, table.rows)
            weights = penalty.prox(weights - step * noisy / size, step)
            tape.publish("step-size", step)
            tape.iterate(weights)
        return weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("proximal-dp-sgd", ProximalDpSgd)
