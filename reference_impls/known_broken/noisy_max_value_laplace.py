"""Report noisy max that releases the largest noisy *value* (NoisyMax3, StatDP's v1b, CheckDP's badnoisymax).

Wrong line: `max` instead of `argmax` of the answers + Lap(2 / epsilon). Source: Ding, Wang, Wang, Zhang, Kifer
(CCS 2018), section 5. When all k answers move up together the maximum's lower tail, a product of k tails, moves
by k scale units: true epsilon k epsilon / 2 (`true_epsilon`), so the bug needs k >= 3 to break the claim.
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
class NoisyMaxValueLaplace(EpsilonScaled):
    """Subject ``noisy-max-3``. Data sets: k answers of sensitivity 1; outputs: float64, shape (size,)."""

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy maxima, shape (size,)."""
        return noisy_maxima(query_vector(dataset), self.scale(2.0), "laplace", size, rng=rng)


def true_epsilon(epsilon: float, answers: int) -> float:
    """k epsilon / 2 for k answers."""
    return answers * epsilon / 2.0


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("noisy-max-3", NoisyMaxValueLaplace)
    add_pure_claim(
        registry,
        "noisy-max-3",
        "broken",
        relation="all-queries",
        size=5,
        source=(BENCHMARK, "NoisyMax3"),
        statement="The largest of the answers + Lap(2/epsilon) is epsilon-DP.",
        suites=STANDARD,
    )
