"""Report noisy max with exponential noise: the index of the largest answer + Exp(2 / epsilon) (NoisyMax2, v2a).

The same law as permute-and-flip (McKenna, Sheldon 2020; Ding, Kifer, Saghaian, Steinke, Wang, Xiao, Zhang
2021), whose probabilities are P(i) = w_i times the integral over [0, 1] of prod_{j != i} (1 - w_j t), w_j =
e^((q_j - max q) / scale). epsilon-DP, reached with probability 1/2 already: two equal answers that drift apart
by one each.

Not to be confused with the exponential *mechanism*, which is the same selection with Gumbel noise.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import flint
import numpy as np
from numpy.polynomial.legendre import leggauss

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.laws.discrete import DiscreteLaw
from reference_impls.mechanisms.inputs import Float, Integer, query_vector
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, STANDARD, add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.noisy_max import noisy_winner_counts, noisy_winners

_LAW_ERROR = 1e-12
"""Stated error of the floating-point log-probabilities; proofs use balls instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportNoisyMaxExponential(EpsilonScaled):
    """Subject ``report-noisy-max-exponential``. Data sets: k answers of sensitivity 1; outputs: int64 indices."""

    def query(self, dataset: Dataset) -> Float:
        """The answers, shape (k,)."""
        return query_vector(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """Independent indices, shape (size,)."""
        return noisy_winners(query_vector(dataset), self.scale(2.0), "exponential", size, rng=rng)

    def counts(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """How often each index won, shape (k,)."""
        return noisy_winner_counts(query_vector(dataset), self.scale(2.0), "exponential", size, rng=rng)

    def output_law(self, dataset: Dataset) -> DiscreteLaw:
        """The law of permute-and-flip; quadrature of a polynomial, exact up to rounding."""
        answers, scale = query_vector(dataset), self.scale(2.0)
        drop = (answers - answers.max()) / scale
        nodes, shares = leggauss(answers.size // 2 + 1)
        below = np.log1p(-np.exp(drop)[:, None] * (nodes + 1.0) / 2.0)
        logs = drop + np.log(np.exp(below.sum(axis=0) - below) @ (shares / 2.0))
        return DiscreteLaw(
            log_probabilities=logs,
            error=_LAW_ERROR,
            enclose=functools.partial(_enclosed_probabilities, tuple(answers.tolist()), scale),
        )


def _enclosed_probabilities(answers: tuple[float, ...], scale: float) -> list[flint.arb]:
    """Balls around the probabilities of winning."""
    weights = [((flint.arb(answer) - flint.arb(max(answers))) / flint.arb(scale)).exp() for answer in answers]
    result = []
    for i, weight in enumerate(weights):
        product = flint.arb_poly([1])
        for j, other in enumerate(weights):
            if j != i:
                product *= flint.arb_poly([1, -other])
        result.append(weight * product.integral()(flint.arb(1)))
    return result


def register(registry: Registry) -> None:
    """Register the mechanism, its benchmark claim and its noise deficit."""
    registry.mechanisms.add("report-noisy-max-exponential", ReportNoisyMaxExponential)
    add_pure_claim(
        registry,
        "report-noisy-max-exponential",
        "stands",
        relation="all-queries",
        size=5,
        source=(BENCHMARK, "NoisyMax2"),
        statement="The index of the largest answer + Exp(2/epsilon) is epsilon-DP.",
        suites=STANDARD,
        noise_deficit="broken",
    )
