"""Laplace noise in place of Gaussian noise, with the standard deviation that the Gaussian calibration chose.

Wrong line: ``rng.laplace(scale=sigma / sqrt(2))`` where N(0, sigma^2) is due. Source: the wrong-tail faults that
Delta-Siege (Lokna et al., CCS 2023) finds along level curves. At (1, 1e-5) the stated pair holds with ease, as pure
(0.38, 0). But the sigma says (0, 0.107) too, and there the true delta is 1 - e^(-1/(sqrt(2) sigma)) = 0.173.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.fields import Checked
from dpverify.core.registry import Registry
from dpverify.core.rules import Positive
from dpverify.core.subjects import Dataset
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.level_curve import LevelCurve
from dpverify.laws.density import LaplaceLaw
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.gaussian import exact_sigma
from reference_impls.mechanisms.inputs import Float, single_answer


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceAsGaussian(Checked):
    """Subject ``laplace-as-gaussian``. Data sets: one query answer; outputs: float64, shape (size,).

    Attributes
    ----------
    sigma : float
        Standard deviation of the noise, for sensitivity 1; > 0.
    noise_multiplier : float
        Multiplies it.
    """

    sigma: Positive = 1.0
    noise_multiplier: Positive = 1.0

    @property
    def scale(self) -> float:
        """Of the Laplace noise."""
        return self.sigma * self.noise_multiplier / math.sqrt(2.0)

    def query(self, dataset: Dataset) -> Float:
        """The answer, shape (1,)."""
        return single_answer(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy answers, shape (size,)."""
        return with_laplace(single_answer(dataset), self.scale, size, rng=rng)[:, 0]

    def output_law(self, dataset: Dataset) -> LaplaceLaw:
        """Laplace around the answer."""
        return LaplaceLaw(locations=single_answer(dataset), scales=np.array(self.scale))


def register(registry: Registry) -> None:
    """Register the mechanism and the calibration that it breaks."""
    registry.known_broken.add("laplace-as-gaussian", LaplaceAsGaussian)
    claim = Claim(
        id="laplace-as-gaussian",
        guarantee=LevelCurve(family="gaussian-analytic", epsilon=1.0, delta=1e-5),
        relation="one-query",
        subject="laplace-as-gaussian",
        parameters={"sigma": exact_sigma(1.0, 1e-5)},
        space=SearchSpace(size=1, low=-10.0, high=10.0),
        source=Source(paper="Lokna et al. 2023", locus="level curves; Balle, Wang 2018, Thm 8"),
        statement="A query of sensitivity 1 with the analytic Gaussian calibration for (1, 1e-5), its noise Laplace.",
    )
    registry.add_entry(SuiteEntry(claim=claim, expectation="broken"))
