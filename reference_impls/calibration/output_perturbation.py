"""Noise on the last weights: RSGD-AR, NSGD, OutPert-GD.

One release, so the profile is a closed form: a mixture over the place of the replaced record's batch of Gaussian
profiles (RSGD-AR), or one Gaussian (NSGD, OutPert-GD). The sensitivities are those of the repaired accounts: the
recursion along the run's own steps, each batch with its own size and probability, the worst place for NSGD. The
published ones, which may be too small, count as printed only. The run of a published class and of its repaired one is
the same at a given sigma.

OutPert-GD: gradient descent is the recursion with one batch, below the printed Delta.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.composition import Composed, Composition
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float
from dpverify.utility.calibration_family import Asked, Cost, Family
from dpverify.utility.closed_forms import Stated, gaussian_profile, printed_renyi
from reference_impls.optimizers.rsgd_sensitivity import sensitivities


class RsgdFamily(Family):
    """RSGD-AR: sigma of the last weights."""

    knob = "sigma"
    relations = ("replace",)
    then = "RSGD Proposition 3 with the printed sensitivities, whole orders up to 500, Proposition 1"

    def refuses(self, algorithm: Any, asked: Asked) -> str | None:
        """A loss without bounded gradients or smoothness."""
        if not np.isfinite(_moves(algorithm, asked)).all():
            return "its sensitivity has no bound; take a smooth loss with bounded gradients, or vouch for R and L"
        return None

    def start(self, algorithm: Any, asked: Asked) -> float:
        """The scale of the largest sensitivity."""
        return float(algorithm.sigma or 2.0 * _moves(algorithm, asked).max() / asked.epsilon or 1.0)

    def settled(self, algorithm: Any, asked: Asked) -> Any:
        """epsilon of the claim is at an order, and stays; sigma is what is set."""
        return algorithm

    def weights(self, algorithm: Any, asked: Asked) -> Float:
        """The chance of each batch to have the replaced record."""
        return np.array(algorithm.batch_sizes(asked.rows)) / asked.rows

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """The mixture of the parts' profiles."""
        scale = algorithm.noise_scale(asked.rows)
        return (gaussian_profile(_moves(algorithm, asked) / scale, self.weights(algorithm, asked)),)

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        """(3.9) with the parts as published."""
        return printed_renyi(algorithm.composition(asked.rows))

    def accountant(self, found: str, algorithm: Any, asked: Asked) -> str:
        """Whose sensitivities."""
        return f"{found} at the sensitivities of rsgd-ar-repaired"


class NsgdFamily(RsgdFamily):
    """NSGD: a record's place is not hidden."""

    then = "RSGD section 4.1: a record in the last batch, whole orders up to 500, Proposition 1"

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """One Gaussian, at the worst place."""
        moved = float(_moves(algorithm, asked).max())
        return (Composition.of(GaussianStep(sigma=algorithm.noise_scale(asked.rows), sensitivity=moved)),)

    def accountant(self, found: str, algorithm: Any, asked: Asked) -> str:
        """Whose sensitivity."""
        return f"{found} at the sensitivity of nsgd-repaired"


class OutPertGdFamily(Family):
    """OutPert-GD: the multiplier of the published sigma."""

    relations = ("replace",)
    then = "sigma = Delta sqrt(2 ln(2 / delta)) / epsilon with the printed Delta"

    def settled(self, algorithm: Any, asked: Asked) -> Any:
        """The claim is the budget."""
        return replace(algorithm, epsilon=asked.epsilon, delta=asked.delta)

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """One Gaussian at what Lemma 2 of RSGD gives for one batch of all records."""
        own = algorithm.conditions
        moved = sensitivities(
            (algorithm.step,) * algorithm.steps,
            [asked.rows],
            lipschitz=own.lipschitz,
            smoothness=own.smoothness,
            strong_convexity=own.strong_convexity,
        )
        return (Composition.of(GaussianStep(sigma=algorithm.noise_scale(asked.rows), sensitivity=float(moved[0]))),)

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        """The published sigma is at the claimed epsilon, and epsilon falls as one over it."""
        return Stated(value=algorithm.epsilon / algorithm.noise_multiplier, at=algorithm.delta)

    def accountant(self, found: str, algorithm: Any, asked: Asked) -> str:
        """What the sensitivity rests on."""
        return f"{found} at the sensitivity of RSGD's Lemma 2"


def _moves(algorithm: Any, asked: Asked) -> Float:
    """Delta[j] along the run's own steps, each batch with its own size, shape (m,)."""
    found: Float = algorithm.recursion(
        algorithm.steps, algorithm.batch_sizes(asked.rows), interval=algorithm.restart_interval
    )
    return found


def register(registry: Registry) -> None:
    """By class."""
    registry.calibrations.add("RsgdAr", RsgdFamily())
    registry.calibrations.add("Nsgd", NsgdFamily())
    registry.calibrations.add("OutPertGd", OutPertGdFamily())
