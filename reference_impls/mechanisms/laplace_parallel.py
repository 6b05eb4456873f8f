"""Twenty independent Laplace answers to one query, Lap(1 / 0.005) each (DP-Sniper's LaplaceParallel).

Basic composition is exact for it: 20 x 0.005 = 0.1. A hard case for black-box audits all the same, because the
evidence is spread over twenty coordinates (DP-Sniper and StatDP find 0.013 to 0.035 of the 0.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.rules import Count
from dpverify.core.subjects import Dataset
from reference_impls.mechanisms.inputs import Float, single_answer
from reference_impls.mechanisms.laplace_on_query import LaplaceOnVector
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, STANDARD, add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceParallel(EpsilonScaled, LaplaceOnVector):
    """Subject ``laplace-parallel``. Data sets: one query answer; outputs: float64, shape (size, copies).

    Attributes
    ----------
    epsilon : float
        Of all copies together; each gets epsilon / copies.
    copies : int
        At least 1.
    """

    copies: Count = 20

    def query(self, dataset: Dataset) -> Float:
        """The answer, once for each copy."""
        return np.repeat(single_answer(dataset), self.copies)

    def laplace_scale(self, dataset: Dataset) -> float:
        """For epsilon / copies each: copies / epsilon."""
        return self.scale(self.copies)


def register(registry: Registry) -> None:
    """Register the mechanism, its benchmark claim and its noise deficit."""
    registry.mechanisms.add("laplace-parallel", LaplaceParallel)
    add_pure_claim(
        registry,
        "laplace-parallel",
        "stands",
        relation="one-query",
        size=1,
        parameters={"copies": 20},
        source=(BENCHMARK, "LaplaceParallel"),
        statement="Twenty answers with Lap(1/0.005) each are 0.1-DP together.",
        suites=STANDARD,
        noise_deficit="broken",
    )
