"""Laplace noise in place of Gaussian noise, with the standard deviation that the Gaussian calibration chose.

Wrong line: ``rng.laplace(scale=sigma / sqrt(2))`` where N(0, sigma^2) is due. Source: the wrong-tail faults that
Delta-Siege (Lokna et al., CCS 2023) finds along level curves. At (1, 1e-5) the stated pair holds with ease, as pure
(0.38, 0). But the sigma says (0, 0.107) too, and there the true delta is 1 - e^(-1/(sqrt(2) sigma)) = 0.173.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.definitions.level_curve import LevelCurve
from reference_impls.mechanisms.gaussian import exact_sigma
from reference_impls.mechanisms.inputs import Float, single_answer
from reference_impls.mechanisms.laplace_on_query import LaplaceOnNumber
from reference_impls.mechanisms.mechanism_claims import add_claim
from reference_impls.mechanisms.noise_scale import SigmaScaled


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceAsGaussian(SigmaScaled, LaplaceOnNumber):
    """Subject ``laplace-as-gaussian``. Data sets: one query answer; outputs: float64, shape (size,)."""

    def query(self, dataset: Dataset) -> Float:
        """The answer, shape (1,)."""
        return single_answer(dataset)

    def laplace_scale(self, dataset: Dataset) -> float:
        """That of the standard deviation sigma."""
        return self.sigma * self.noise_multiplier / math.sqrt(2.0)


def register(registry: Registry) -> None:
    """Register the mechanism and the calibration that it breaks."""
    registry.known_broken.add("laplace-as-gaussian", LaplaceAsGaussian)
    add_claim(
        registry,
        "laplace-as-gaussian",
        "broken",
        guarantee=LevelCurve(family="gaussian-analytic", epsilon=1.0, delta=1e-5),
        parameters={"sigma": exact_sigma(1.0, 1e-5)},
        relation="one-query",
        size=1,
        source=("Lokna et al. 2023", "level curves; Balle, Wang 2018, Thm 8"),
        statement="A query of sensitivity 1 with the analytic Gaussian calibration for (1, 1e-5), its noise Laplace.",
    )
