"""The Laplace mechanism on one query of sensitivity 1: answer + Lap(1 / epsilon).

Dwork, McSherry, Nissim, Smith, "Calibrating Noise to Sensitivity in Private Data Analysis" (TCC 2006). Pure epsilon-DP,
and no less: the log-ratio reaches epsilon on half of the line. Limits: real-number noise; the floating-point
implementation of any such mechanism leaks in its low bits (Mironov 2012), which no law here describes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.laws.density import LaplaceLaw
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.inputs import Float, single_answer
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.pure_claims import BENCHMARK, STANDARD, add_pure_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Laplace(EpsilonScaled):
    """Subject ``laplace``. Data sets: one query answer; outputs: float64, shape (size,)."""

    def query(self, dataset: Dataset) -> Float:
        """The answer, shape (1,)."""
        return single_answer(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy answers, shape (size,)."""
        return with_laplace(single_answer(dataset), self.scale(1.0), size, rng=rng)[:, 0]

    def output_law(self, dataset: Dataset) -> LaplaceLaw:
        """Laplace around the answer."""
        return LaplaceLaw(locations=single_answer(dataset), scales=np.array(self.scale(1.0)))


def register(registry: Registry) -> None:
    """Register the mechanism, its claim at epsilon 0.1 and its noise deficit."""
    registry.mechanisms.add("laplace", Laplace)
    add_pure_claim(
        registry,
        "laplace",
        "stands",
        relation="one-query",
        size=1,
        source=(BENCHMARK, "Laplace"),
        statement="A query of sensitivity 1 with Lap(1/epsilon) is epsilon-DP.",
        suites=STANDARD,
        noise_deficit="broken",
    )
