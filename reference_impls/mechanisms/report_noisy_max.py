"""Report noisy max with Laplace noise: the index of the largest answer + Lap(2 / epsilon) (NoisyMax1, StatDP's v1a).

Dwork, Roth, "The Algorithmic Foundations of Differential Privacy" (2014), Claim 3.9 (for counts; with the
factor 2 it covers answers that move in different directions). The claim is never met with equality: epsilon is
the limit as one answer falls far behind the others, so how near an audit can come depends on the range of
answers. Black-box audits at 10^6 trials cannot tell 90 % of the noise from all of it; the exact law can, in a
wide range, and the noise deficit is registered there.

Not to be confused with releasing the largest noisy value (`known_broken/noisy_max_value_laplace.py`).
"""

from __future__ import annotations

import functools
import itertools
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

_NODES, _WEIGHTS = leggauss(24)
_LONGEST = 2.0
"""Longest panel in noise scales: with 24 nodes and up to 20 scores the integrand is then resolved to 1e-14."""
_LAW_ERROR = 1e-11
"""Stated error of the floating-point log-probabilities; proofs use balls instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportNoisyMax(EpsilonScaled):
    """Subject ``report-noisy-max``. Data sets: k answers of sensitivity 1; outputs: int64 indices, shape (size,)."""

    def query(self, dataset: Dataset) -> Float:
        """The answers, shape (k,)."""
        return query_vector(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """Independent indices, shape (size,)."""
        return noisy_winners(query_vector(dataset), self.scale(2.0), "laplace", size, rng=rng)

    def counts(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """How often each index won, shape (k,)."""
        return noisy_winner_counts(query_vector(dataset), self.scale(2.0), "laplace", size, rng=rng)

    def output_law(self, dataset: Dataset) -> DiscreteLaw:
        """P(i) = integral of f(x - q_i) prod_{j != i} F(x - q_j), piece by piece between the answers."""
        answers, scale = query_vector(dataset), self.scale(2.0)
        return DiscreteLaw(
            log_probabilities=_log_probabilities(answers / scale),
            error=_LAW_ERROR,
            enclose=functools.partial(_enclosed_probabilities, tuple(answers.tolist()), scale),
        )


def _log_probabilities(scores: Float) -> Float:
    """Log-probabilities of winning, shape (k,), scores in units of the noise scale: Gauss-Legendre piece by piece."""
    top = float(scores.max())
    weights = np.exp(scores - top)
    # Above all scores, with t = e^(top - x): w_i / 2 times the integral of prod_{j != i} (1 - w_j t / 2) over [0, 1].
    t, share = _panel(0.0, 1.0)
    below = 1.0 - weights[:, None] * t / 2.0
    total = _others(np.log(below)) @ share * weights / 2.0
    logs = np.log(total)
    # Below all scores every factor is exponential: 2^-k e^(sum_j (x - q_j)), integrated, over k.
    bottom = float(scores.min())
    tail = np.sum(bottom - scores) - scores.size * np.log(2.0) - np.log(scores.size)
    logs = np.logaddexp(logs, tail)
    edges = np.unique(scores)
    for low, high in itertools.pairwise(edges):
        pieces = max(1, int(np.ceil((high - low) / _LONGEST)))
        for piece in range(pieces):
            x, share = _panel(low + (high - low) * piece / pieces, low + (high - low) * (piece + 1) / pieces)
            gap = x - scores[:, None]
            log_density = -np.abs(gap) - np.log(2.0)
            log_below = np.where(gap < 0, log_density, np.log1p(-0.5 * np.exp(-np.abs(gap))))
            exponents = log_density + log_below.sum(axis=0) - log_below
            peak = exponents.max(axis=1)
            with np.errstate(divide="ignore"):  # a panel as narrow as the smallest doubles holds no mass
                logs = np.logaddexp(logs, peak + np.log(np.exp(exponents - peak[:, None]) @ share))
    return np.asarray(logs - np.logaddexp.reduce(logs))


def _panel(low: float, high: float) -> tuple[Float, Float]:
    half = (high - low) / 2.0
    return low + half * (1.0 + _NODES), half * _WEIGHTS


def _others(logs: Float) -> Float:
    """exp of the sum over all rows but one's own, row by row."""
    return np.asarray(np.exp(logs.sum(axis=0) - logs))


def _enclosed_probabilities(answers: tuple[float, ...], scale: float) -> list[flint.arb]:
    """Balls around the probabilities of winning: every piece is a sum of exponentials, integrated by Arb."""
    scores = [flint.arb(answer) / flint.arb(scale) for answer in answers]
    order = sorted(range(len(answers)), key=lambda i: answers[i])
    half = flint.arb(1) / 2
    result = []
    for i in range(len(answers)):
        # Above all: substitute t = e^(top - x), so that the piece is a polynomial over [0, 1].
        top, bottom = scores[order[-1]], scores[order[0]]
        product = flint.arb_poly([1])
        for j in range(len(answers)):
            if j != i:
                product *= flint.arb_poly([1, -((scores[j] - top).exp()) / 2])
        total = (scores[i] - top).exp() / 2 * product.integral()(flint.arb(1))
        drop = sum((bottom - score for score in scores), flint.arb(0))
        total += drop.exp() * half ** len(answers) / len(answers)
        for place in range(len(order) - 1):
            low, high = scores[order[place]], scores[order[place + 1]]
            if answers[order[place]] == answers[order[place + 1]]:
                continue
            passed = set(order[: place + 1])

            def integrand(x: flint.acb, _analytic: bool, i: int = i, passed: set[int] = passed) -> flint.acb:
                value = ((scores[i] - x) if i in passed else (x - scores[i])).exp() / 2
                for j, score in enumerate(scores):
                    if j != i:
                        value *= 1 - (score - x).exp() / 2 if j in passed else (x - score).exp() / 2
                return value

            total += flint.acb.integral(integrand, flint.acb(low), flint.acb(high)).real
        result.append(total)
    return result


def register(registry: Registry) -> None:
    """Register the mechanism, its benchmark claim, and its noise deficit in a range wide enough to show it."""
    registry.mechanisms.add("report-noisy-max", ReportNoisyMax)
    add_pure_claim(
        registry,
        "report-noisy-max",
        "stands",
        relation="all-queries",
        size=5,
        source=(BENCHMARK, "NoisyMax1"),
        statement="The index of the largest answer + Lap(2/epsilon) is epsilon-DP.",
        suites=STANDARD,
    )
    add_pure_claim(
        registry,
        "report-noisy-max-wide",
        "stands",
        relation="all-queries",
        size=2,
        low=-20.0,
        high=20.0,
        epsilon=1.0,
        subject="report-noisy-max",
        source=(BENCHMARK, "NoisyMax1"),
        statement="As NoisyMax1, for two answers up to 20 noise scales apart.",
        noise_deficit="broken",
    )
