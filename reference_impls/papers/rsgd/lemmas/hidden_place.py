"""RS-RDP: Proposition 3 of RSGD (DISS, Theorem 3.2) against the exact law of whole trainings, on data of one feature.

    epsilon = log(sum_j q_j exp(alpha (alpha - 1) Delta[j]^2 / (2 sigma^2))) / (alpha - 1),   q_j = 1 / m.       (3.9)

All records but one are equal, so that after the random permutation only the place of that one matters: the released
weight is then a mixture of m normal laws, exactly, with the share |B_j| / n of the records for batch j. Its means are
the ends of the published loop (:mod:`~reference_impls.papers.rsgd.lemmas.one_feature_runs`), at the papers' lambda, h,
batch size and numbers of records. They print neither alpha nor sigma, T, tau and eta_0; own here: alpha = 38 and sigma
= 6.2 of the largest Delta, about what (1, 1e-8)-DP takes, T = 20, tau = 10, eta_0 = 1.

**Repaired**, RS-RDP-R: the batches' own sizes, in Delta[j] and in q_j = |B_j| / n, along the run's own steps, as
``rsgd`` reads it.

The truth for searches is a trapezoidal sum; proofs sum the probabilities of cells around the integrand's peak in balls,
which by data processing is a lower bound. Both directions are computed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from dpverify.core.evidence import Enclosed
from dpverify.core.rules import Between, OneOf
from dpverify.laws.balls import at_working_precision
from reference_impls.papers.enclosures import quotient
from reference_impls.papers.ranges import HUGE, Signed
from reference_impls.papers.rsgd.lemmas.one_feature_runs import FOLDS
from reference_impls.papers.rsgd.lemmas.place_bound import PlaceBound

Float = NDArray[np.float64]
SHARES = ("uniform", "sizes")
_REACH = 9  # standard deviations around a peak that are summed over
_POINTS = 8  # of the sum, a standard deviation
_NEAR = 40.0  # nats below its peak, where a proof's cells end
_CELLS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenPlace(PlaceBound):
    """Subject ``lemma-rsgd-hidden``: (3.9) against the Renyi divergence of two mixtures. `own`, `rest` and `place` are
    not used.

    Attributes
    ----------
    order : float
        alpha > 1.
    noise : float
        sigma over the largest believed Delta[j], > 0.
    others : float
        All other records, in [-1, 1].
    shares : "uniform" or "sizes"
        q_j in the bound: 1 / m, or |B_j| / n.
    """

    order: Annotated[float, Between(1 + 1e-6, HUGE)] = 38.0
    noise: Annotated[float, Between(1e-3, HUGE)] = 6.2
    others: Signed = 0.0
    shares: Annotated[str, OneOf(SHARES)] = "uniform"

    def validate(self) -> None:
        """The other records of the batch, and of all others, lie at the same place."""
        for name in ("own", "rest"):
            object.__setattr__(self, name, self.others)

    @property
    def places(self) -> range:
        """The places that a record may have: all batches."""
        return range(len(self.sizes))

    def deltas_ball(self) -> list[flint.arb]:
        """The Delta[j] that the accounting believes."""
        return [self.delta_ball(place) for place in self.places]

    def sigma(self, deltas: list[flint.arb]) -> float:
        """The standard deviation, as a double: the same on both sides."""
        return self.noise * max(float(delta.mid()) for delta in deltas)

    def printed_ball(self) -> flint.arb:
        """The epsilon of (3.9)."""
        deltas, m = self.deltas_ball(), len(self.sizes)
        order, sigma = flint.arb(self.order), flint.arb(self.sigma(deltas))
        total = flint.arb(0)
        for size, delta in zip(self.sizes, deltas, strict=True):
            share = flint.arb(size) / sum(self.sizes) if self.shares == "sizes" else flint.arb(1) / m
            total += share * (order * (order - 1) * (delta / sigma) ** 2 / 2).exp()
        return total.log() / (order - 1)

    def means_ball(self) -> tuple[list[flint.arb], list[flint.arb]]:
        """The last iterates on both data sets for every place, in units of sigma."""
        sigma = flint.arb(self.sigma(self.deltas_ball()))
        first, second = ([self.end_ball(record, place) / sigma for place in self.places] for record in (1, -1))
        return first, second

    @at_working_precision
    def truth(self) -> Enclosed:
        """The larger of the two directions, with the sum's estimated error."""
        first, second = (np.array([float(mean.mid()) for mean in means]) for means in self.means_ball())
        weights = np.array(self.sizes) / sum(self.sizes)
        both = (divergence(first, second, weights, self.order), divergence(second, first, weights, self.order))
        return max(both, key=lambda each: each.value)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """Cells in balls, from below, against the formula in balls."""
        first, second = self.means_ball()
        weights = [flint.arb(size) / sum(self.sizes) for size in self.sizes]
        both = (cells_ball(first, second, weights, self.order), cells_ball(second, first, weights, self.order))
        return quotient(both[0].max(both[1]), self.printed_ball())

    def describe(self) -> dict[str, Any]:
        """Both sides on four of five folds of the papers' data sets."""
        rows = []
        for name, count in FOLDS.items():
            there = replace(self, rows=count)
            printed, true = there.printed().value, there.truth().value
            sides = {"epsilon of (3.9)": printed, "exact": true, "ratio": true / printed}
            rows.append({"data": name, "records": count, "last batch": there.sizes[-1]} | sides)
        return {"four of five folds": rows}


def log_mixture(points: Float, means: Float, weights: Float) -> Float:
    """Log-density of a mixture of unit normal laws, but for the constant; shape of `points`."""
    return np.asarray(logsumexp(-0.5 * (points[:, None] - means) ** 2, b=weights, axis=1))


def exponents(points: Float, first: Float, second: Float, weights: Float, order: float) -> Float:
    """Log of p^alpha q^(1 - alpha), but for the constant."""
    p, q = (log_mixture(points, means, weights) for means in (first, second))
    return np.asarray(order * p - (order - 1.0) * q)


def grid(first: Float, second: Float, order: float) -> Float:
    """Points of step 1 / `_POINTS` where the integrand may have its peak: around alpha mu - (alpha - 1) mu' for every
    mean of either law, and around the means themselves. What lies elsewhere is left out, so sums err low."""
    peaks = np.add.outer(order * first, -(order - 1.0) * second).ravel()
    centres = np.unique(np.rint(np.concatenate([peaks, first, second])))
    offsets = np.arange(-_REACH * _POINTS, _REACH * _POINTS + 1)
    return np.asarray(np.unique(np.add.outer(centres * _POINTS, offsets)) / _POINTS)


def divergence(first: Float, second: Float, weights: Float, order: float) -> Enclosed:
    """Renyi divergence of two mixtures of unit normal laws by the trapezoidal rule, which converges exponentially."""
    points = grid(first, second, order)
    logs = exponents(points, first, second, weights, order)
    constant = np.log(np.sqrt(2.0 * np.pi) * _POINTS)
    every_other = logs[np.rint(points * _POINTS) % 2 == 0]
    fine, coarse = logsumexp(logs) - constant, logsumexp(every_other) - constant + np.log(2.0)
    value, error = fine / (order - 1.0), (abs(fine - coarse) + 1e-13 * abs(logs).max()) / (order - 1.0)
    return Enclosed(value=max(float(value), 0.0), error=float(error))


def cells_ball(first: list[flint.arb], second: list[flint.arb], weights: list[flint.arb], order: float) -> flint.arb:
    """The divergence of which of `_CELLS` cells the outcome fell into, all others left out: never above the truth."""
    p, q = (np.array([float(mean.mid()) for mean in means]) for means in (first, second))
    points = grid(p, q, order)
    logs = exponents(points, p, q, np.array([float(weight.mid()) for weight in weights]), order)
    near = points[logs > logs.max() - _NEAR]
    edges = [flint.arb(float(edge)) for edge in np.linspace(near[0], near[-1], _CELLS + 1)]
    lower = near.mean() < np.concatenate([p, q]).mean()
    masses = [_masses(edges, means, weights, lower=bool(lower)) for means in (first, second)]
    alpha = flint.arb(order)
    total = sum((a**alpha * b ** (1 - alpha) for a, b in zip(*masses, strict=True)), flint.arb(0))
    return total.log() / (alpha - 1)


def _masses(
    edges: list[flint.arb], means: list[flint.arb], weights: list[flint.arb], *, lower: bool
) -> list[flint.arb]:
    """Probabilities of the cells between the edges, from the tail on whose side they lie: nothing cancels there."""
    root, sign = flint.arb(2).sqrt(), -1 if lower else 1
    tails = [
        sum(
            (w * (sign * (edge - mean) / root).erfc() / 2 for mean, w in zip(means, weights, strict=True)), flint.arb(0)
        )
        for edge in edges
    ]
    return [sign * (tails[i] - tails[i + 1]) for i in range(len(edges) - 1)]
