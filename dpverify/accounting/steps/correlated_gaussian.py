"""Gaussian noise that is correlated over the steps of a training: DP-FTRL's tree, and matrix factorisation.

The mechanism adds N(0, sigma^2) to every entry of C X and releases it, where row t of X is the sum of clipped gradients
of step t; what the trainer uses is computed from that. A record takes part in the steps of a pattern S, by vectors u_i
of norm at most `sensitivity`. Gradients may depend on earlier outputs: each row is then one Gaussian release, and the
squares of their moves sum to at most that of the largest move of C X, whatever was released (Smith, Thakurta 2022,
arXiv 2210.17520; for lower triangular C Denisov et al. 2022, arXiv 2202.08312, Theorem 2.1).

Result: with all entries of C >= 0, the square of the largest move is max over S of the sum over i, j in S of
(C^T C)_ij <u_i, u_j>, largest where all u_i are one vector (every (C^T C)_ij >= 0; Choquette-Choo et al. 2023, arXiv
2211.06530): it is the norm of C 1_S. Two data sets attain it, so the pair N(0, 1), N(mu, 1) with mu = sensitivity
times that norm over sigma is exact, and all accountants serve it.

- ``tree`` (Kairouz et al. 2021, arXiv 2103.00039, Appendix D): C sums the leaves below each node of a binary tree, so
  its norm is the root of the largest number of nodes above one leaf. As the tree grows online, a node is summed once
  all its leaves are there: for n steps leaf 1 is below the nodes of 1, 2, 4, ... <= n leaves, floor(log2 n) + 1 of
  them, and no leaf is below more. A tree that is completed by empty leaves before a restart has ceil(log2 n) + 1. The
  running sums alone tell as much of leaf 1: those after 1, 2, 4, ... steps are these nodes. Each record takes part
  once.
- ``matrix``: C is lower triangular Toeplitz, c_0 >= c_1 >= ... >= 0. The columns are those of the root of the
  matrix of running sums (c_k = binom(2k, k) / 4^k; Henzinger, Upadhyay 2022, arXiv 2202.11205), of that matrix (all
  c_k = 1), or of none (independent noise), cut after `bands` entries (Choquette-Choo et al. 2023, arXiv 2306.08153).
  The worst pattern of at most k steps that are b apart or more is 0, b, 2b, ... (Kalinin, Lampert 2024, arXiv
  2405.13763). Proof: (C^T C)_ij for i <= j is the sum over s < n - j of c_s c_(s + j - i), which falls when j grows
  and when j - i grows; the a-th step of any pattern is at a b or later, and lies (c - a) b or more before the c-th; so
  each of the terms is at most that of the said pattern, and more terms add nothing negative.

Relations: `sensitivity` is 1 (in clipping norms) where a record's gradients are replaced by zeros, which is what
DP-FTRL and its successors mean, and 2 where they are replaced by other gradients. Adding or removing a record that
moves others to other steps is not covered.

Side: exact, up to `NORM_ERROR`. Not to be confused with noise that is amplified by sampling: banded matrices with
Poisson sampling in cycles of `bands` steps cost what ``poisson-gaussian`` does in ceil(n / bands) steps, for columns of
norm 1 (2306.08153, Theorem 4).
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Annotated, Literal

import numpy as np

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Between, NonNegative, Positive
from dpverify.core.subjects import Float, LawPair
from dpverify.definitions.parameters import PublicStep, sentence

NORM_ERROR = 6e-15
"""Relative error of a matrix's norm: eight roundings a coefficient, two for each of 20 doublings of participations."""

MOST_STEPS = 10**6
"""Columns are computed whole."""
_EXACT = 64  # coefficients that are quotients of whole numbers, rounded once
# Of the series of binom(2k, k) / 4^k sqrt(pi k) in 1/k; what is left out is below 3e-16 from the 64th coefficient.
_SERIES = (1, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304)

Steps = Annotated[int, Between(1, MOST_STEPS)]
Strategy = Literal["square-root-toeplitz", "prefix-sum", "identity"]


class CorrelatedGaussianStep(PublicStep, ABC):
    """A whole training: subclasses say by how much a record moves C X, for contributions of norm 1."""

    __slots__ = ()
    sigma: float
    sensitivity: float

    @abstractmethod
    def norm(self) -> float:
        """The largest norm of C 1_S over the patterns of participation."""

    def gaussian(self) -> GaussianStep:
        """The Gaussian mechanism whose pair is this one's."""
        return GaussianStep(sigma=self.sigma, sensitivity=self.sensitivity * self.norm())

    def validate(self) -> None:
        """The cost is a double."""
        self.gaussian()

    def mu(self) -> float:
        """The Gaussian pair's mu, to the nearest double but for `NORM_ERROR`."""
        return self.gaussian().mu()

    def renyi(self, orders: Float) -> Float:
        """alpha mu^2 / 2 in both directions, raised by `NORM_ERROR`; shape of `orders`."""
        return self.gaussian().renyi(orders) * (1 + 3 * NORM_ERROR)

    def laws(self) -> tuple[LawPair, ...]:
        """One pair: noise is symmetric."""
        return self.gaussian().laws()


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeStep(CorrelatedGaussianStep):
    """DP-FTRL's binary tree over one epoch, in which each record takes part once."""

    kind = "tree"

    sigma: Positive
    """Standard deviation of the noise of each node, finite, > 0."""
    steps: Steps
    """Leaves: steps between two restarts (the longest run of them, where runs differ)."""
    nodes: Literal["online", "completed"] = "online"
    """``online``: nodes are summed as their leaves come; ``completed``: empty leaves complete the tree at the end."""
    sensitivity: NonNegative = 1.0
    """Largest norm of a record's contribution to its step, in the unit of sigma."""

    @classmethod
    def examples(cls) -> tuple[TreeStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(sigma=8.83, steps=1600),
            cls(sigma=1, steps=1),
            cls(sigma=4, steps=1600, nodes="completed", sensitivity=2),
            cls(sigma=1, steps=8, sensitivity=0),
        )

    def norm(self) -> float:
        """The root of the number of nodes above one leaf."""
        whole = self.steps if self.nodes == "online" else 2 * self.steps - 1  # ceil(log2 n) is floor(log2(2n - 1))
        return math.sqrt(whole.bit_length())


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixStep(CorrelatedGaussianStep):
    """A training with noise correlated by a lower triangular Toeplitz matrix, under min-separated participation."""

    kind = "matrix"

    sigma: Positive
    """Standard deviation of the noise on each entry of C X, finite, > 0; columns of C are not normalised."""
    steps: Steps
    """Rows of X."""
    strategy: Strategy = "square-root-toeplitz"
    """C: the root of the matrix of running sums, that matrix (``prefix-sum``), or independent noise (``identity``)."""
    bands: Steps | None = None
    """Entries of a column that are kept, all by default."""
    participations: Steps = 1
    """The most steps that one record takes part in."""
    separation: Steps | None = None
    """Steps from one participation to the next, at least; needed where there are several."""
    sensitivity: NonNegative = 1.0
    """Largest norm of a record's contribution to one step, in the unit of sigma."""

    @classmethod
    def examples(cls) -> tuple[MatrixStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(sigma=1, steps=4),
            cls(sigma=5, steps=100, participations=4, separation=20),
            cls(sigma=3, steps=100, bands=10, participations=3, separation=10, sensitivity=2),
            cls(sigma=20, steps=50, strategy="prefix-sum"),
            cls(sigma=1, steps=1, strategy="identity", sensitivity=0),
        )

    def validate(self) -> None:
        """Several participations are apart by a stated number of steps."""
        if self.participations > 1 and self.separation is None:
            raise InputError(
                f"matrix: participations = {self.participations} without a separation",
                allowed="separation=..., the least number of steps from one participation to the next",
                remedy="separation=1 allows any steps",
            )

    def text(self) -> str:
        """Parameters that are not given are left out: the grammar has no word for None."""
        given = {each.name: value for each in fields(self) if (value := getattr(self, each.name)) is not None}
        return sentence(self.kind, **given)

    def norm(self) -> float:
        """The norm of C times the indicator of the worst pattern."""
        return pattern_norm(
            self.strategy, self.steps, self.bands or self.steps, self.participations, self.separation or self.steps
        )


@functools.lru_cache(maxsize=64)
def pattern_norm(strategy: Strategy, steps: int, bands: int, participations: int, separation: int) -> float:
    """The norm of the sum of the columns 0, b, 2b, ... of C; relative error below `NORM_ERROR`.

    Columns are added by doubling, so that nothing cancels and every entry is rounded a few times only.
    """
    doubled = np.zeros(steps)
    doubled[:bands] = coefficients(strategy, min(steps, bands))
    total, place, width = np.zeros(steps), 0, 1
    left = min(participations, -(-steps // separation))
    while left:
        if left & 1:
            total[place:] += doubled[: steps - place]
            place += width * separation
        left >>= 1
        if left:
            shift = width * separation
            doubled[shift:] = doubled[shift:] + doubled[: steps - shift]
            width *= 2
    return math.sqrt(math.fsum(total * total))


def coefficients(strategy: Strategy, count: int) -> Float:
    """The first `count` entries of C's first column, falling and >= 0."""
    if strategy == "prefix-sum":
        return np.ones(count)
    found = np.zeros(count)
    if strategy == "identity":
        found[0] = 1.0
        return found
    found[:_EXACT] = [math.comb(2 * k, k) / 4**k for k in range(min(count, _EXACT))]
    k = np.arange(_EXACT, count, dtype=np.float64)
    found[_EXACT:] = np.polynomial.Polynomial(_SERIES)(1 / k) / np.sqrt(math.pi * k)
    return found


def register(registry: Registry) -> None:
    """Register the steps."""
    for step in (TreeStep, MatrixStep):
        registry.steps.add(step.kind, step)
