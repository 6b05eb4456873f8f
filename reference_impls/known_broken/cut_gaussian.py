"""The classic Gaussian mechanism with noise that is cut off: drawn again until it is at most 3.3 sigma in size.

Wrong line: ``while abs(noise) > 3.3 * sigma`` (to keep outputs "reasonable"). Source: truncation in implementations, as
in Delta-Siege (Lokna et al., CCS 2023). What lies within 1 of the cut comes from one answer only, with probability
6e-4: no epsilon helps there. At the stated (0.9, 1e-3) the classic sigma has slack enough to hide it; the same sigma
says (1, 1.9e-4), which it breaks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from dpverify.core.registry import Registry
from dpverify.core.rules import Positive
from dpverify.core.subjects import Dataset
from dpverify.definitions.level_curve import LevelCurve
from reference_impls.mechanisms.gaussian import classical_sigma
from reference_impls.mechanisms.inputs import Float, single_answer
from reference_impls.mechanisms.mechanism_claims import add_claim
from reference_impls.mechanisms.noise_scale import SigmaScaled


@dataclass(frozen=True, slots=True, kw_only=True)
class CutGaussian(SigmaScaled):
    """Subject ``cut-gaussian``. Data sets: one query answer; outputs: float64, shape (size,).

    Attributes
    ----------
    sigma : float
        As of any Gaussian mechanism: before the noise is cut.
    cut : float
        In standard deviations; > 0.
    """

    cut: Positive = 3.3

    def query(self, dataset: Dataset) -> Float:
        """The answer, shape (1,)."""
        return single_answer(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy answers, shape (size,), by inversion: what drawing again gives."""
        edge = float(ndtr(-self.cut))
        noise = ndtri(edge + (1.0 - 2.0 * edge) * rng.random(size))
        return np.asarray(single_answer(dataset)[0] + self.sigma * self.noise_multiplier * noise, dtype=np.float64)


def true_delta(epsilon: float, *, sigma: float, cut: float) -> float:
    """The hockey-stick divergence between the answers 1 and 0, in closed form.

    The outputs of 1 are likelier by e^epsilon from ``sigma^2 epsilon + 1/2`` on; above ``cut sigma`` 0 gives none.
    """
    start = min(sigma * epsilon + 0.5 / sigma, cut)  # of the noise on 0, in standard deviations
    whole = _mass(-cut, cut)
    return (_mass(start - 1.0 / sigma, cut) - math.exp(epsilon) * _mass(start, cut)) / whole


def _mass(low: float, high: float) -> float:
    return float(ndtr(-low) - ndtr(-high))


def register(registry: Registry) -> None:
    """Register the mechanism and the calibration that it breaks."""
    registry.known_broken.add("cut-gaussian", CutGaussian)
    add_claim(
        registry,
        "cut-gaussian",
        "broken",
        guarantee=LevelCurve(family="gaussian-classic", epsilon=0.9, delta=1e-3),
        parameters={"sigma": classical_sigma(0.9, 1e-3)},
        relation="one-query",
        size=1,
        source=("Lokna et al. 2023", "level curves; Dwork, Roth 2014, Thm A.1"),
        statement="A query of sensitivity 1 with the classic Gaussian calibration for (0.9, 1e-3), its noise cut off.",
    )
