"""A finite mixture with public weights: the output of a mechanism that first draws which law to use, unseen.

Basis: densities and probabilities average. Weights given as doubles are taken as exact rationals and
normalised exactly, so that mixtures of provable laws stay provable. Limits: all parts live on one space, a table or
the line. Not to be confused with a *visible* choice, where the index is part of the output.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np
from scipy.special import logsumexp

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.fields import Checked
from dpverify.core.subjects import Float, Law, LawPair
from dpverify.laws.balls import exact_ball
from dpverify.laws.composite import WithDensity, flat_pair
from dpverify.laws.density import DensityLaw
from dpverify.laws.discrete import DiscreteLaw


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MixtureLaw(Checked):
    """The mixture of `laws` with `weights`.

    Attributes
    ----------
    laws : tuple of Law
        All discrete with the same number of outcomes, or all on the line.
    weights : tuple of float or Fraction
        Positive, summing to 1 (up to 1e-9; then normalised exactly).
    """

    laws: tuple[Law, ...]
    weights: tuple[float | Fraction, ...]

    def validate(self) -> None:
        """The weights are probabilities, made exact."""
        exact = [Fraction(weight) for weight in self.weights]
        if len(exact) != len(self.laws) or not exact:
            raise InputError(f"{len(self.laws)} laws with {len(exact)} weights", allowed="as many weights as laws")
        total = sum(exact, Fraction(0))
        if any(weight <= 0 for weight in exact) or abs(total - 1) > Fraction(1, 10**9):
            raise InputError(f"weights {self.weights}", allowed="numbers > 0 that sum to 1")
        object.__setattr__(self, "weights", tuple(weight / total for weight in exact))

    def flat(self) -> DiscreteLaw | DensityLaw:
        """The mixture as one table or one density; raises UnsupportedError when the parts differ in kind."""
        weights = [Fraction(weight) for weight in self.weights]
        parts = [law.flat() for law in self.laws if isinstance(law, WithDensity)]
        tables = [part for part in parts if isinstance(part, DiscreteLaw)]
        densities = [part for part in parts if isinstance(part, DensityLaw)]
        if len(tables) == len(self.laws) and len({part.log_probabilities.size for part in tables}) == 1:
            return _mixed_tables(tables, weights)
        if len(densities) == len(self.laws):
            return _mixed_densities(densities, weights)
        raise UnsupportedError("a mixture of laws that do not live on one table or on the line")

    def against(self, other: object) -> LawPair:
        """The pair (self, other), both as tables or as densities."""
        return flat_pair(self, other)

    def faced_by(self, law: object) -> LawPair:
        """The pair (law, self)."""
        return flat_pair(law, self)


def _mixed_tables(parts: Sequence[DiscreteLaw], weights: Sequence[Fraction]) -> DiscreteLaw:
    logs = np.array([math.log(weight) for weight in weights])[:, None]
    stacked = logs + np.stack([part.log_probabilities for part in parts])
    with np.errstate(divide="ignore"):  # an outcome impossible under all parts stays impossible
        mixed = np.asarray(logsumexp(stacked, axis=0), dtype=np.float64)
    hooks = [part.enclose for part in parts]

    def enclose() -> list[flint.arb]:
        balls = [hook() for hook in hooks if hook is not None]
        sums = [flint.arb(0)] * len(balls[0])
        for weight, row in zip(weights, balls, strict=True):
            sums = [total + exact_ball(weight) * ball for total, ball in zip(sums, row, strict=True)]
        return sums

    largest = float(np.max(np.abs(stacked[stacked > -np.inf])))
    return DiscreteLaw(
        log_probabilities=np.minimum(mixed, 0.0),
        error=max(part.error for part in parts) + 2.0**-52 * (largest + len(parts) + 8),
        enclose=None if None in hooks else enclose,
    )


def _mixed_densities(parts: Sequence[DensityLaw], weights: Sequence[Fraction]) -> DensityLaw:
    logs = [math.log(weight) for weight in weights]

    def log_density(points: Float) -> Float:
        total = np.full(points.shape, -np.inf)
        for log_weight, part in zip(logs, parts, strict=True):
            total = np.logaddexp(total, log_weight + part.log_at(points))
        return total

    decays = {part.decay_scale for part in parts}
    ends = [end for part in parts for end in part.support if math.isfinite(end)]
    return DensityLaw(
        log_density=log_density,
        kinks=tuple(sorted({kink for part in parts for kink in part.kinks} | set(ends))),
        support=(min(part.support[0] for part in parts), max(part.support[1] for part in parts)),
        scale=min(part.scale for part in parts),
        decay_scale=decays.pop() if len(decays) == 1 else None,
    )
