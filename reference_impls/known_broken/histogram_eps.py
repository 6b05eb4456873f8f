"""A noisy histogram with Lap(epsilon) where Lap(1 / epsilon) was meant (NoisyHist2, StatDP's `histogram_eps`).

Wrong line: the scale is `epsilon`. Source: Ding, Wang, Wang, Zhang, Kifer, "Detecting Violations of
Differential Privacy" (CCS 2018), section 5. True epsilon: 1 / epsilon. So the bug breaks the claim only when 1
/ epsilon > epsilon: at epsilon = 1.5 the mechanism is *more* private than claimed (2/3), and an audit that
calls it broken there is wrong. Both are registered.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.core.suite import Expectation
from reference_impls.mechanisms.inputs import Float, query_vector
from reference_impls.mechanisms.laplace_on_query import LaplaceOnVector
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramEps(EpsilonScaled, LaplaceOnVector):
    """Subject ``noisy-hist-2``. Data sets: k counts; outputs: float64, shape (size, k)."""

    def query(self, dataset: Dataset) -> Float:
        """The counts, shape (k,)."""
        return query_vector(dataset)

    def laplace_scale(self, dataset: Dataset) -> float:
        """The bug: epsilon, where 1 / epsilon was meant."""
        return self.epsilon * self.noise_multiplier


def true_epsilon(epsilon: float) -> float:
    """1 / epsilon: what the mechanism really costs when it aims at `epsilon`."""
    return 1.0 / epsilon


def register(registry: Registry) -> None:
    """Register the mechanism, where it is broken and where it is not."""
    registry.known_broken.add("noisy-hist-2", HistogramEps)
    _add(registry, 0.1, "broken", ("core", "standard"))
    _add(registry, 1.5, "stands", ("core",))


def _add(registry: Registry, epsilon: float, expectation: Expectation, suites: tuple[str, ...]) -> None:
    add_pure_claim(
        registry,
        f"noisy-hist-2-{epsilon:g}",
        expectation,
        relation="one-query",
        size=5,
        low=0.0,
        epsilon=epsilon,
        subject="noisy-hist-2",
        source=(BENCHMARK, "NoisyHist2"),
        statement="A histogram with Lap(epsilon) on each count is epsilon-DP.",
        suites=suites,
    )
