"""The exponential mechanism by Gumbel noise: the index of the largest answer + Gumbel(2 / epsilon).

McSherry, Talwar, "Mechanism Design via Differential Privacy" (FOCS 2007): index i with probability proportional
to e^(epsilon q_i / 2) for answers of sensitivity 1; dp_auditorium's NoisyMax. epsilon is the limit as one
answer falls far behind the others. In the benchmark's range an audit at 0.1 comes to 0.0912, and to 0.1022 with 90 %
of the noise: the deficit breaks the claim there by 2 %, and by 11 % at epsilon = 1, where the same range is wide.

Not to be confused with exponential *noise* (`report_noisy_max_exponential.py`), which is more accurate at equal
epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.core.suite import Profile
from dpverify.laws.discrete import DiscreteLaw
from reference_impls.mechanisms.inputs import Float, Integer, query_vector
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.noisy_max import noisy_winner_counts, noisy_winners


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentialMechanism(EpsilonScaled):
    """Subject ``exponential-mechanism``. Data sets: k answers of sensitivity 1; outputs: int64 indices, (size,)."""

    def query(self, dataset: Dataset) -> Float:
        """The answers, shape (k,)."""
        return query_vector(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """Independent indices, shape (size,)."""
        return noisy_winners(query_vector(dataset), self.scale(2.0), "gumbel", size, rng=rng)

    def counts(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """How often each index won, shape (k,)."""
        return noisy_winner_counts(query_vector(dataset), self.scale(2.0), "gumbel", size, rng=rng)

    def output_law(self, dataset: Dataset) -> DiscreteLaw:
        """The softmax of the answers over the scale."""
        scale = Fraction(self.scale(2.0))
        return DiscreteLaw.from_log_weights([Fraction(answer) / scale for answer in query_vector(dataset).tolist()])


def register(registry: Registry) -> None:
    """Register the mechanism, its claim at epsilon 0.1 and at 1, and the noise deficit of both."""
    registry.mechanisms.add("exponential-mechanism", ExponentialMechanism)
    faces: tuple[tuple[float, tuple[str, ...], Profile], ...] = (
        (0.1, ("core",), "full"),
        (1.0, ("core",), "quick"),
    )
    for epsilon, suites, profile in faces:
        add_pure_claim(
            registry,
            f"exponential-mechanism-{epsilon:g}",
            "stands",
            relation="all-queries",
            size=5,
            epsilon=epsilon,
            subject="exponential-mechanism",
            source=(BENCHMARK, "NoisyMax with Gumbel noise"),
            statement="The index of the largest answer + Gumbel(2/epsilon) is epsilon-DP.",
            suites=suites,
            profile=profile,
            noise_deficit="broken",
        )
