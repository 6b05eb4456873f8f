"""ADMM with Gaussian noise or with perturbed objectives: mpADMM, DP-ADMM, ADMM-ObjP. (ssADMM samples: see there.)

mpADMM: an epoch is one Gaussian mechanism on (x, z, y), at the sensitivity that follows from (4.8); the printed (4.13)
counts as printed only. An added or removed record moves the mean of n gradients by at most 2 C / n, too. DP-ADMM: a
record is in one party, so an iteration is one Gaussian. ADMM-ObjP: an iteration is epsilon-DP for its exact minimum
(Chaudhuri, Monteleoni, Sarwate 2011, Theorem 9), and iterations compose as any pure mechanisms.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import PureStep
from dpverify.core.composition import Composed, Composition
from dpverify.core.registry import Registry
from dpverify.utility.calibration_family import Asked, Cost, Family
from dpverify.utility.closed_forms import Stated, moments, printed_renyi
from reference_impls.admm.sensitivities import derived_primal, joint


class MpAdmmFamily(Family):
    """mpADMM: sigma of x, z and y."""

    knob = "sigma"
    then = "Theorem 4.3 of DISS with the printed (4.13), whole orders up to 500"

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """One Gaussian an epoch, on the three as one vector."""
        moved = (
            joint(derived_primal(eta, algorithm.rho, algorithm.clip, asked.rows), algorithm.rho)
            for eta in algorithm.step_sizes[:-1]
        )
        return (Composition.of(*(GaussianStep(sigma=algorithm.sigma, sensitivity=each) for each in moved)),)

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        """Three Gaussians an epoch."""
        return printed_renyi(algorithm.composition(asked.rows))

    def accountant(self, found: str, algorithm: Any, asked: Asked) -> str:
        """Whose sensitivities."""
        return f"{found} at the sensitivities of mp-admm-repaired"


class DpAdmmFamily(Family):
    """DP-ADMM: noise over the sensitivity of a party's variable."""

    relations = ("replace",)
    then = "the moments accountant with 32 moments on the Gaussian mechanism of every iteration"

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """One Gaussian an iteration."""
        return (algorithm.composition(asked.rows),)

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        """By 32 moments."""
        return moments(algorithm.composition(asked.rows))


class AdmmObjPFamily(Family):
    """ADMM-ObjP: epsilon of every iteration."""

    knob = "epsilon"
    budget = True
    relations = ("replace",)
    then = "the sum of the iterations' epsilons, as if every minimum were exact"

    def refuses(self, algorithm: Any, asked: Asked) -> str | None:
        """Minima that are not reached."""
        if algorithm.descent_steps is not None:
            return (
                f"{algorithm.descent_steps} gradient steps end before the minimum, so no sound accountant certifies "
                "it; with descent_steps=None it is certified"
            )
        return None

    def settled(self, algorithm: Any, asked: Asked) -> Any:
        """The noise is the published one, which epsilon sets."""
        return replace(algorithm, noise_multiplier=1.0)

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """Pure mechanisms of which nothing else is known; the noise may be a multiple of the published."""
        each = algorithm.epsilon / algorithm.noise_multiplier + self._jacobian(algorithm, asked)
        return (Composition.repeat(PureStep(epsilon=each), algorithm.rounds),)

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        """Basic composition."""
        return Stated(value=algorithm.rounds * (algorithm.epsilon + self._jacobian(algorithm, asked)), at=0.0)

    def accountant(self, found: str, algorithm: Any, asked: Asked) -> str:
        """What it assumes."""
        return f"{found}, for exact minima"

    def _jacobian(self, algorithm: Any, asked: Asked) -> float:
        return 2.0 * math.log1p(algorithm.conditions.smoothness / (asked.rows * algorithm.rho))


def register(registry: Registry) -> None:
    """By class."""
    registry.calibrations.add("MpAdmm", MpAdmmFamily())
    registry.calibrations.add("DpAdmm", DpAdmmFamily())
    registry.calibrations.add("AdmmObjP", AdmmObjPFamily())
