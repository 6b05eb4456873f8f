"""Broken variants of the sparse vector technique: Lyu, Su and Li's Algorithms 3 to 6, and CheckDP's badgapsparsevector.

M. Lyu, D. Su, N. Li, "Understanding the Sparse Vector Technique for Differential Privacy", PVLDB 10(6), 2017. What each
draws and releases is its recipe (:mod:`~reference_impls.mechanisms.sparse_vector`); each class says which line of it is
wrong. Data sets: m query answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dpverify.core.registry import Registry
from reference_impls.mechanisms.sparse_vector import AnswerVector, CountedAnswers, Recipe, ValueVector
from reference_impls.mechanisms.sparse_vector_claims import LYU, add_svt_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt3(ValueVector):
    """A sparse vector technique that releases the noisy query it compared: Algorithm 3 of Lyu et al. (StatDP iSVT4).

    Wrong line: what goes out with an "above" is q + nu itself, whose value bounds the noisy threshold from above,
    so the "below" answers no longer hide behind it; and nu = Lap(2 c / epsilon) is half the noise. Source: Roth,
    lecture notes (2011), as cited by Lyu et al. True epsilon: infinite as the number of queries grows; m queries reach
    m epsilon / (2 c), in the bin of the lowest values: five times the claim at the benchmark's ten queries. Such an
    output comes once in ten million runs; the exact law of the first hit proves it nevertheless. Outputs: answers and
    values, shape (size, 2 m).
    """

    query_noise: ClassVar[float] = 2.0
    """A query's noise scale over c / epsilon."""

    def recipe(self) -> Recipe:
        """The compared value goes out."""
        return Recipe(
            threshold_scale=self.scale(2.0),
            query_scale=self.scale(self.query_noise * self.cutoff),
            cutoff=self.cutoff,
            release="compared",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GapSparseVector(Svt3):
    """A sparse vector technique with the right noise that releases the noisy query, not the gap (badgapsparsevector).

    Wrong line: q + nu goes out with the "above"; the sound technique releases the *gap* q + nu - (T + rho), which
    hides the threshold. Source: Wang, Ding, Kifer, Zhang, "CheckDP" (CCS 2020), section 5. True epsilon: infinite
    as the number of queries grows; m queries reach m epsilon / (4 c), in the bin of the lowest values: two and a half
    times the claim at the benchmark's ten queries. A million samples hardly show it (where all queries move up by one,
    the best bin stands half a standard deviation above the claim); the exact law of the first hit proves it. With half
    the noise of a query it is `Svt3`. Outputs: answers and values, shape (size, 2 m).
    """

    query_noise: ClassVar[float] = 4.0
    """As Algorithm 1 has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt4(AnswerVector):
    """A sparse vector technique whose query noise ignores the cutoff: Algorithm 4 of Lyu et al. (StatDP iSVT3).

    Wrong line: nu = Lap(4 / (3 epsilon)) where c "above" need Lap(4 c / (3 epsilon)) and, for queries that move in both
    directions, twice that. Source: Lee, Clifton, "Top-k Frequent Itemsets via Differentially Private FP-trees" (KDD
    2014). True epsilon: (1 + 6 c) / 4 times epsilon (`svt4_epsilon`; Lyu et al., Figure 2), a limit in the number of
    queries. Outputs: 0, 1 or 2 (not reached), shape (size, m).
    """

    def recipe(self) -> Recipe:
        """Noise for one "above", whatever the cutoff."""
        return Recipe(threshold_scale=self.scale(4.0), query_scale=self.scale(4.0 / 3.0), cutoff=self.cutoff)


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt5(CountedAnswers):
    """A sparse vector technique without noise on the queries: Algorithm 5 of Lyu et al. (StatDP iSVT1).

    Wrong line: nu = 0, and no cutoff: all answers are cut at one noisy threshold. Source: Stoddard, Chen,
    Machanavajjhala, "Differentially Private Algorithms for Empirical Machine Learning" (2014). True epsilon:
    infinite with two queries already: if q_1 < q_2 the answers (above, below) are impossible, and a neighbour may
    reverse the order. Outputs: 0 or 1, shape (size, m).
    """

    def recipe(self) -> Recipe:
        """No query noise, no cutoff."""
        return Recipe(threshold_scale=self.scale(2.0), query_scale=0.0, cutoff=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt6(CountedAnswers):
    """A sparse vector technique without a cutoff: Algorithm 6 of Lyu et al. (StatDP iSVT2, DP-Finder aboveThreshold).

    Wrong line: the one that stops after c "above" is missing, while nu = Lap(2 / epsilon) is enough for one at most.
    Source: Chen, Xiao, Zhang, Xu, "Differentially Private High-Dimensional Data Publication via Sampling-Based
    Inference" (KDD 2015). True epsilon: infinite as the number of queries grows; at least m epsilon / 2 for 2 m queries
    (m of them "above", m "below", moved against each other: Lyu et al., section 3.3). Outputs: 0 or 1, shape (size, m).
    """

    def recipe(self) -> Recipe:
        """Noise for one "above", and no cutoff."""
        return Recipe(threshold_scale=self.scale(2.0), query_scale=self.scale(2.0), cutoff=None)


def svt4_epsilon(epsilon: float, cutoff: int) -> float:
    """(1 + 6 c) / 4 times epsilon: the true one."""
    return (1.0 + 6.0 * cutoff) / 4.0 * epsilon


def svt6_epsilon_at_least(epsilon: float, queries: int) -> float:
    """Never above the true epsilon: m epsilon / 2 for 2 m queries."""
    return (queries // 2) * epsilon / 2.0


def value_epsilon_at_least(mechanism: Svt3, queries: int) -> float:
    """Of a variant that releases what it compared: m over the scale of a query's noise.

    A value so low that z and all that was compared lie in their lower tails tells each of the m moves.
    """
    return queries / mechanism.recipe().query_scale


def register(registry: Registry) -> None:
    """Register the variants and their broken claims."""
    for name, factory in (
        ("svt3", Svt3),
        ("bad-gap-sparse-vector", GapSparseVector),
        ("svt4", Svt4),
        ("svt5", Svt5),
        ("svt6", Svt6),
    ):
        registry.known_broken.add(name, factory)
    for claim, algorithm, words in (
        ("svt3-0.1", 3, "that releases q + nu"),
        ("svt4", 4, "with query noise for one answer"),
        ("svt5", 5, "without query noise"),
        ("svt6", 6, "without a cutoff"),
    ):
        add_svt_claim(
            registry,
            claim,
            "broken",
            subject=f"svt{algorithm}",
            source=(LYU, f"Algorithm {algorithm}"),
            statement=f"The sparse vector technique {words} is epsilon-DP.",
        )
    add_svt_claim(
        registry,
        "bad-gap-sparse-vector",
        "broken",
        source=("CheckDP", "badgapsparsevector"),
        statement="The sparse vector technique that releases q + nu with full noise is epsilon-DP.",
        suites=("core",),
    )
