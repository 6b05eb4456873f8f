"""The Laplace mechanism on one query of sensitivity 1: answer + Lap(1 / epsilon).

Dwork, McSherry, Nissim, Smith, "Calibrating Noise to Sensitivity in Private Data Analysis" (TCC 2006). Pure epsilon-DP,
and no less: the log-ratio reaches epsilon on half of the line. Limits: real-number noise; the floating-point
implementation of any such mechanism leaks in its low bits (Mironov 2012), which no law here describes.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from reference_impls.mechanisms.inputs import Float, single_answer
from reference_impls.mechanisms.laplace_on_query import LaplaceOnNumber
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, STANDARD, add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled


@dataclass(frozen=True, slots=True, kw_only=True)
class Laplace(EpsilonScaled, LaplaceOnNumber):
    """Subject ``laplace``. Data sets: one query answer; outputs: float64, shape (size,)."""

    def query(self, dataset: Dataset) -> Float:
        """The answer, shape (1,)."""
        return single_answer(dataset)

    def laplace_scale(self, dataset: Dataset) -> float:
        """For sensitivity 1: 1 / epsilon."""
        return self.scale(1.0)


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
