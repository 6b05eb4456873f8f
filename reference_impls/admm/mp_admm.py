"""mpADMM: linearised ADMM on all records, with noise on x, z and y after every epoch (DISS, Algorithm 4.2).

Line 5 computes (4.8) with the clean gradient of line 4; lines 6, 7 take x before its noise; the next epoch starts from
the noisy x, y and z. Claims (Theorem 4.3): each epoch costs three Gaussian mechanisms, of the L2
sensitivities (4.13), (4.14), (4.15), and T epochs add up; x^T alone is returned.

Flaw: (4.13), and with it (4.14) and (4.15), lacks a factor eta, so the claimed privacy loss is too small where
eta > 1. It also reads eta^(k+1) where the step was made with eta^k, which matters only where eta changes. See
:mod:`reference_impls.admm.sensitivities`; repaired: :mod:`reference_impls.admm.mp_admm_repaired`.

Not to be confused with output perturbation once at the end, nor with DP-ADMM, which adds noise to x before it computes
the consensus and y.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.composition import Composition
from dpverify.core.registry import Registry
from dpverify.core.rules import POSITIVE, Count, NonNegative, Positive
from dpverify.core.subjects import Dataset
from dpverify.definitions.rdp import RDP
from dpverify.recording.tape import Tape
from reference_impls.admm.admm_training import ORDERS
from reference_impls.admm.linearised_admm import LinearisedAdmm
from reference_impls.admm.schedules import step_sizes
from reference_impls.admm.sensitivities import printed_primal
from reference_impls.admm.updates import dual, primal, split
from reference_impls.training.claim_conditions import need_records

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class MpAdmm(LinearisedAdmm):
    """Subject ``mp-admm``. Data set: a table. Result: the noisy x^T, shape (d,).

    The other attributes: :class:`~reference_impls.admm.admm_training.AdmmTraining`.

    Attributes
    ----------
    epochs : int
        T.
    sigma : float
        Standard deviation of a coordinate's noise, the same for x, z and y, >= 0. The chapter prints no value.
    """

    rho: Positive = 0.5
    epochs: Count = 20
    sigma: NonNegative = 0.001

    @property
    def step_sizes(self) -> tuple[float, ...]:
        """eta^0 .. eta^T; an epoch here is one pass, so the schedule ``epoch`` is eta_0 / (k + 1)."""
        return step_sizes(self.schedule, self.initial_step, self.epochs + 1)

    def sensitivities(self, rows: int) -> tuple[float, ...]:
        """Delta(x) after each epoch k = 0 .. T-1, as printed: (4.13), with eta^(k+1)."""
        need_records(self, rows)
        return tuple(printed_primal(eta, self.rho, self.clip, rows) for eta in self.step_sizes[1:])

    def composition(self, rows: int) -> Composition:
        """Theorem 4.3: x, z and y of every epoch, one after the other; InputError without noise."""
        moved = (each for of_x in self.sensitivities(rows) for each in (of_x, of_x, self.rho * of_x))
        return Composition.of(*(GaussianStep(sigma=self.sigma, sensitivity=each) for each in moved))

    def guarantee(self, rows: int) -> RDP:
        """Theorem 4.3 for n records, at :data:`~reference_impls.admm.admm_training.ORDERS`, under replacement."""
        POSITIVE.checked(f"{type(self).__name__}: sigma", self.sigma)
        squares = 0.0
        for of_x in self.sensitivities(rows):  # from Python 3.12 on `sum` rounds otherwise
            squares += of_x * of_x * (2.0 + self.rho * self.rho)
        return RDP(orders=ORDERS, epsilons=tuple(order * squares / (2.0 * self.sigma**2) for order in ORDERS))

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """Algorithm 4.2, for any model."""
        model, table, x = self.prepared(dataset)
        y, z = np.zeros_like(x), x  # 2
        tape.iterate(x)
        for eta, moved in zip(self.step_sizes, self.sensitivities(table.rows), strict=False):  # 3
            gradient = model.gradient(x, table, clip=self.clip) / table.rows  # 4
            clean_x = primal(gradient, x, y, z, eta, self.rho)  # 5
            clean_z = split(clean_x, y, self.rho, self.l1)  # 6
            clean_y = dual(y, clean_x, clean_z, self.rho)  # 7
            x = tape.perturb("x", clean_x, law="gaussian", scale=self.sigma, sensitivity=moved)  # 8, 9
            y = tape.perturb("y", clean_y, law="gaussian", scale=self.sigma, sensitivity=self.rho * moved)
            z = tape.perturb("z", clean_z, law="gaussian", scale=self.sigma, sensitivity=moved)
            tape.publish("step-size", eta)
            tape.iterate(x)
        return x  # 11

    def kernel_settings(self, rows: int) -> tuple[Float, int, bool, bool]:
        """All records in every epoch; noise on x, y and z; the result is the last x."""
        return np.array(self.step_sizes[: self.epochs]), rows, False, False


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("mp-admm", MpAdmm)
