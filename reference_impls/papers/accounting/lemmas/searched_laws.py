"""Finite laws with searched log-weights, exact as fractions, and their Renyi curve in the worse direction.

The box of a log-weight is bounded, so no probability is 0 and every divergence finite; the last log-weight is 0. A law
is the fractions that its rounded probabilities are, normalised exactly, so that proofs speak of the very same law.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import flint
import numpy as np

from dpverify.core.evidence import Enclosed
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.discrete import DiscreteLaw
from reference_impls.papers.accounting.lemmas.amplification_balls import BallCurve
from reference_impls.papers.enclosures import proved_renyi, worst


def probabilities(log_weights: Sequence[float]) -> tuple[Fraction, ...]:
    """Exact probabilities, shape (k + 1,), proportional to exp of the k log-weights and of 0, up to rounding."""
    logs = np.append(np.asarray(log_weights, dtype=np.float64), 0.0)
    weights = np.exp(logs - logs.max())
    exact = [Fraction(float(weight)) for weight in weights]
    total = sum(exact, Fraction(0))
    return tuple(weight / total for weight in exact)


def mixed(parts: Sequence[tuple[Fraction, Sequence[Fraction]]]) -> tuple[Fraction, ...]:
    """The mixture of several laws with the given weights, exactly."""
    size = len(parts[0][1])
    return tuple(sum((weight * law[i] for weight, law in parts), Fraction(0)) for i in range(size))


def both_ways(first: Sequence[Fraction], second: Sequence[Fraction]) -> tuple[LawPair, ...]:
    """The two directions of a pair, provable."""
    p, q = (DiscreteLaw.from_fractions(law) for law in (first, second))
    return p.against(q), q.against(p)


def all_ways(laws: Sequence[Sequence[Fraction]]) -> tuple[LawPair, ...]:
    """Every ordered pair of several laws, provable."""
    given = [DiscreteLaw.from_fractions(law) for law in laws]
    return tuple(p.against(q) for i, p in enumerate(given) for j, q in enumerate(given) if i != j)


def largest(pairs: Sequence[LawPair], order: float) -> Enclosed:
    """The largest divergence of several pairs, from below: near 0 rounding would be all there is to compare."""
    return Enclosed(value=max(worst(pair.renyi(order) for pair in pairs).lower, 0.0))


def worst_curve(pairs: Sequence[LawPair], orders: Float) -> Float:
    """The largest divergence at each order, from above, shape of `orders`: what the mechanism satisfies."""
    return np.array([worst(pair.renyi(float(order)) for pair in pairs).upper for order in orders])


def worst_ball(pairs: Sequence[LawPair]) -> BallCurve:
    """The same in balls, +inf (which no proof survives) where a pair has none."""

    def curve(order: int) -> flint.arb:
        found = proved_renyi(pairs, float(order))
        return flint.arb.pos_inf() if found is None else found

    return curve
