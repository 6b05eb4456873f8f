"""RS-MIX: Lemma 3 of RSGD (DISS, Lemma 3.2): H_alpha of a mixture is at most the mixture of H_alpha.

    H_alpha(P; Q) = exp((alpha - 1) D_alpha(P || Q)),
    H_alpha(sum_j q_j P_j; sum_j q_j Q_j) <= sum_j q_j H_alpha(P_j; Q_j).

Readings: ``discrete``, drawn laws on a few outcomes with drawn public weights, exact fractions and balls; ``gaussian``,
unit normal noise around drawn points of the line, the lemma's own example, where the right side has a closed form. It
is an instance of the joint convexity of f-divergences (DISS proves it by Jensen's inequality), and is attained where
all parts are one pair of laws, or live on outcomes of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import flint
import numpy as np

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision, exact_ball
from dpverify.sampling.streams import stream
from reference_impls.papers.accounting.lemmas.searched_laws import mixed, probabilities
from reference_impls.papers.enclosures import finite, quotient
from reference_impls.papers.ranges import HUGE, FromZero
from reference_impls.papers.rsgd.lemmas.hidden_place import cells_ball, divergence
from reference_impls.papers.sides_in_balls import SidesInBalls

Law = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteMixture(SidesInBalls):
    """Subject ``lemma-rsgd-mixture``: drawn laws.

    Attributes
    ----------
    order : float
        alpha > 1.
    parts, outcomes, draw : float
        Rounded: how many pairs of laws, on how many outcomes, and which.
    spread, between : float
        Standard deviations of their log-weights: of what all parts share, and of what each adds.
    """

    order: Annotated[float, Between(1 + 1e-6, HUGE)] = 8.0
    parts: Annotated[float, Between(1, 64)] = 3
    outcomes: Annotated[float, Between(2, 64)] = 3
    draw: FromZero = 0
    spread: Annotated[float, Between(0, 30)] = 1.0
    between: Annotated[float, Between(0, 30)] = 1.0

    def laws(self) -> tuple[Law, list[tuple[Law, Law]]]:
        """The weights, and the pairs (P_j, Q_j)."""
        rng, parts, free = stream(round(self.draw), "mixture"), round(self.parts), round(self.outcomes) - 1
        weights = probabilities(rng.standard_normal(parts - 1).tolist())
        shared = self.spread * rng.standard_normal((2, free))
        own = self.between * rng.standard_normal((parts, 2, free))
        return weights, [(probabilities(p), probabilities(q)) for p, q in shared + own]

    def true_ball(self) -> flint.arb:
        """The left side of the inequality."""
        weights, pairs = self.laws()
        first, second = (mixed([(w, pair[side]) for w, pair in zip(weights, pairs, strict=True)]) for side in (0, 1))
        return h_ball(first, second, self.order)

    def printed_ball(self) -> flint.arb:
        """The right side of the inequality."""
        weights, pairs = self.laws()
        terms = (exact_ball(w) * h_ball(p, q, self.order) for w, (p, q) in zip(weights, pairs, strict=True))
        return sum(terms, flint.arb(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianMixture(Checked):
    """Subject ``lemma-rsgd-mixture-gaussian``: unit noise around drawn points; both sides as divergences.

    Attributes
    ----------
    order : float
        alpha > 1.
    parts, draw : float
        Rounded.
    shift, apart : float
        Standard deviations of the moves Delta_j, and of where the answers lie.
    """

    order: Annotated[float, Between(1 + 1e-6, 1e3)] = 8.0
    parts: Annotated[float, Between(1, 16)] = 3
    draw: FromZero = 0
    shift: Annotated[float, Between(1e-3, 30)] = 0.5
    apart: Annotated[float, Between(0, 100)] = 1.0

    def means(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Means of P_j and Q_j, and the weights."""
        rng, parts = stream(round(self.draw), "gaussians"), round(self.parts)
        weights = rng.dirichlet(np.ones(parts))
        second = self.apart * rng.standard_normal(parts)
        return second + self.shift * rng.standard_normal(parts), second, weights

    def bound_ball(self) -> flint.arb:
        """log(sum_j q_j exp(alpha (alpha - 1) Delta_j^2 / 2)) / (alpha - 1)."""
        first, second, weights = ([flint.arb(x) for x in each.tolist()] for each in self.means())
        order, total = flint.arb(self.order), flint.arb(0)
        for p, q, weight in zip(first, second, weights, strict=True):
            total += weight * (order * (order - 1) * (p - q) ** 2 / 2).exp()
        return (total / sum(weights, flint.arb(0))).log() / (order - 1)

    @at_working_precision
    def printed(self) -> Enclosed:
        """The right side of the inequality."""
        return finite(self.bound_ball())

    def truth(self) -> Enclosed:
        """The mixtures' divergence by a trapezoidal sum."""
        first, second, weights = self.means()
        return divergence(first, second, weights / weights.sum(), self.order)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The divergence of cells, from below, against the right side in balls."""
        first, second, weights = ([flint.arb(x) for x in each.tolist()] for each in self.means())
        total = sum(weights, flint.arb(0))
        return quotient(cells_ball(first, second, [w / total for w in weights], self.order), self.bound_ball())


def h_ball(first: Sequence[Fraction], second: Sequence[Fraction], order: float) -> flint.arb:
    """H_alpha of two laws without zeros."""
    alpha = flint.arb(order)
    terms = (exact_ball(p) ** alpha * exact_ball(q) ** (1 - alpha) for p, q in zip(first, second, strict=True))
    return sum(terms, flint.arb(0))
