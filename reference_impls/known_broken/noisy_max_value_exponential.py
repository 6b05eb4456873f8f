"""Report noisy max with exponential noise that releases the largest noisy *value* (NoisyMax4, StatDP's v2b).

Wrong line: `max` instead of `argmax` of the answers + Exp(2 / epsilon). Source: Ding, Wang, Wang, Zhang, Kifer
(CCS 2018), section 5. Exponential noise is never negative, so the support starts at the largest answer, which
the neighbour moves: true epsilon infinite. How likely the tell-tale values are depends on the answers: with all
of them equal the chance is (1 - e^(-epsilon / 2))^k only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from reference_impls.mechanisms.inputs import Float, query_vector
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, STANDARD, add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.noisy_max import noisy_maxima


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMaxValueExponential(EpsilonScaled):
    """Subject ``noisy-max-4``. Data sets: k answers of sensitivity 1; outputs: float64, shape (size,)."""

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy maxima, shape (size,)."""
        return noisy_maxima(query_vector(dataset), self.scale(2.0), "exponential", size, rng=rng)


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("noisy-max-4", NoisyMaxValueExponential)
    add_pure_claim(
        registry,
        "noisy-max-4",
        "broken",
        relation="all-queries",
        size=5,
        source=(BENCHMARK, "NoisyMax4"),
        statement="The largest of the answers + Exp(2/epsilon) is epsilon-DP.",
        suites=STANDARD,
    )
