"""mpADMM accounted for with the sensitivity that follows from (4.8): DISS, Algorithm 4.2, with (4.13) corrected.

The only change is (4.13): ``2 C eta^k / (n (1 + eta^k rho))`` in place of ``2 C / (n (1 + eta^(k+1) rho))``. The run is
the same at a given sigma; its claimed privacy loss is larger where eta > 1, and smaller where eta < 1.

`joint_composition` is tighter still: it treats x, z and y as one vector, in which z and y cannot both move by their
largest amounts in the same coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.composition import Composition
from dpverify.core.registry import Registry
from reference_impls.admm.mp_admm import MpAdmm
from reference_impls.admm.sensitivities import derived_primal, joint
from reference_impls.training.claim_conditions import need_records


@dataclass(frozen=True, slots=True, kw_only=True)
class MpAdmmRepaired(MpAdmm):
    """Subject ``mp-admm-repaired``. Data set, result, attributes: :class:`~reference_impls.admm.mp_admm.MpAdmm`'s."""

    def sensitivities(self, rows: int) -> tuple[float, ...]:
        """Delta(x) after each epoch, with the eta of that epoch's step: an upper bound, and attained."""
        need_records(self, rows)
        return tuple(derived_primal(eta, self.rho, self.clip, rows) for eta in self.step_sizes[:-1])

    def joint_composition(self, rows: int) -> Composition:
        """Every epoch as one Gaussian mechanism on (x, z, y); InputError without noise."""
        moved = (joint(of_x, self.rho) for of_x in self.sensitivities(rows))
        return Composition.of(*(GaussianStep(sigma=self.sigma, sensitivity=each) for each in moved))


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("mp-admm-repaired", MpAdmmRepaired)
