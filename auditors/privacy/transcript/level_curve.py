"""The bound within a family of mechanisms: the smallest noise multiplier that measured events refute.

Less noise is easier to detect, so the curves of SubsampledGaussian(q, sigma', T) increase with sigma', and an event
that refutes one of them refutes all with more noise. The smallest refuted sigma' is therefore an upper limit on the
sigma of the member that was run, and the epsilon of that sigma' is a lower bound on its epsilon. Both hold at the
region's confidence without correction for multiple testing, since all curves are tested with the same regions (idea:
Lokna et al., CCS 2023; for DP-SGD: Nasr et al. 2023, arXiv 2302.07956, section 6).

Side of the error: each curve tried is an upper bound on what its sigma' allows, and epsilon is taken at the lower end
of the accountant's bracket. **Assumption: the subject is a member of the family**; for any other mechanism the number
has no meaning. Converting mu-GDP to epsilon is different, since it is no curve of the family.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpverify.accounting.loss_curve import ProfileCurve, curve_above
from dpverify.accounting.subsampled_guarantee import SubsampledGaussian
from dpverify.core.subjects import Float
from dpverify.stats.joint import excess_lower
from dpverify.stats.region import Region
from dpverify.stats.rounding import up

FAMILY = "within the subsampled-Gaussian family"
"""Label of every number that needs the assumption."""

NODES = 64
TOLERANCE = 1e-3
"""Relative, of sigma'."""

WIDEST = 64.0
"""Smallest and largest multiple of the claimed sigma that is searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A refuted noise multiplier, and its epsilon (never above the accountant's true value)."""

    sigma: float
    epsilon: float


def refuted_level(guarantee: SubsampledGaussian, regions: Sequence[Region]) -> Level | None:
    """The smallest sigma' found that some region refutes; None when none up to `WIDEST` times the claimed one is."""

    def beyond(sigma: float) -> float:
        allowed = allowed_by(guarantee, sigma)
        return max(excess_lower(region, allowed) for region in regions)

    return _level(guarantee, beyond)


def level_at(guarantee: SubsampledGaussian, p: float, q: float) -> Level | None:
    """The member of the family whose best event of probability q without the record has probability p with it."""
    return _level(guarantee, lambda sigma: p - float(allowed_by(guarantee, sigma)(np.array(q))))


def allowed_by(guarantee: SubsampledGaussian, sigma: float) -> Callable[[Float], Float]:
    """The largest p that the member with this sigma allows for an event of probability q, rounded up."""
    curve = _curve(guarantee.rate, sigma, guarantee.steps, guarantee.at_delta)

    def allowed(q: Float) -> Float:
        return np.minimum(np.asarray(up(1.0 - curve.tradeoff(q), 2)), 1.0)

    return allowed


def _level(guarantee: SubsampledGaussian, beyond: Callable[[float], float]) -> Level | None:
    """Bracket the sign change of a function increasing in sigma, and narrow it by false position and bisection."""
    low = high = guarantee.sigma
    at_low = at_high = beyond(guarantee.sigma)
    factor = 1.1
    while at_high <= 0.0:
        low, at_low = high, at_high
        high *= factor
        factor = factor * factor
        if high > WIDEST * guarantee.sigma:
            return None
        at_high = beyond(high)
    while at_low > 0.0:
        high, at_high = low, at_low
        low /= factor
        factor = factor * factor
        if low < max(0.02, guarantee.sigma / WIDEST):  # smaller sigma is not searched; the last refuted one is reported
            return _with_epsilon(guarantee, high)
        at_low = beyond(low)
    turn = 0
    while high / low > 1.0 + TOLERANCE:
        turn += 1
        share = 0.5 if turn % 3 == 0 else min(max(-at_low / (at_high - at_low), 0.05), 0.95)
        middle = low * (high / low) ** share
        value = beyond(middle)
        if value > 0.0:
            high, at_high = middle, value
        else:
            low, at_low = middle, value
    return _with_epsilon(guarantee, high)


def _with_epsilon(guarantee: SubsampledGaussian, sigma: float) -> Level:
    member = SubsampledGaussian(
        rate=guarantee.rate, sigma=sigma, steps=guarantee.steps, at_delta=guarantee.at_delta
    ).bracket()
    return Level(sigma=sigma, epsilon=member.lower if math.isfinite(member.lower) else math.inf)


@lru_cache(maxsize=64)
def _curve(rate: float, sigma: float, steps: int, at_delta: float) -> ProfileCurve:
    member = SubsampledGaussian(rate=rate, sigma=sigma, steps=steps, at_delta=at_delta)
    return curve_above(member.composition, delta=at_delta, nodes=NODES, coarse=True)
