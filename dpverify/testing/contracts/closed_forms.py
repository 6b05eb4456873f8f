"""Compositions whose exact delta(epsilon) is a closed form: what no accountant may be below.

Gaussian noise composes to one Gaussian (Dong, Roth and Su 2019, Corollary 3.3; Balle and Wang 2018, Theorem 8); Laplace
noise once; k randomised responses of one bit by the binomial distribution (Kairouz, Oh and Viswanath 2015, Theorem
3.3).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from scipy import special, stats

from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.guarantees import RandomisedResponseStep
from dpverify.core.composition import Composition

Profile = Callable[[float], float]
"""delta(epsilon), exact up to rounding."""


def gaussian_profile(mu: float) -> Profile:
    """Return the profile of N(mu, 1) against N(0, 1)."""

    def delta(epsilon: float) -> float:
        far = special.log_ndtr(-epsilon / mu - mu / 2)
        return float(special.ndtr(-epsilon / mu + mu / 2) - math.exp(min(epsilon + far, 0.0)))

    return delta


def laplace_profile(shift: float) -> Profile:
    """Return the profile of Laplace noise of scale 1 around `shift` against around 0."""
    return lambda epsilon: -math.expm1(min((epsilon - shift) / 2, 0.0))


def response_profile(epsilon_each: float, count: int) -> Profile:
    """Return the profile of `count` randomised responses of one bit."""
    truth = 1 / (1 + math.exp(-epsilon_each))
    told = [stats.binom.pmf(number, count, truth) for number in range(count + 1)]

    def delta(epsilon: float) -> float:
        pairs = zip(told, reversed(told), strict=True)
        return math.fsum(max(0.0, ours - math.exp(epsilon) * theirs) for ours, theirs in pairs)

    return delta


def closed_forms() -> Iterator[tuple[Composition, Profile]]:
    """Compositions, and their exact profiles."""
    for sigma, count in ((1.0, 1), (2.0, 1), (5.0, 30), (0.5, 2)):
        yield Composition.repeat(GaussianStep(sigma=sigma), count), gaussian_profile(math.sqrt(count) / sigma)
    for scale in (0.5, 1.0, 4.0):
        yield Composition.of(LaplaceStep(scale=scale)), laplace_profile(1 / scale)
    for epsilon, count in ((1.0, 1), (0.5, 4), (0.1, 50)):
        yield Composition.repeat(RandomisedResponseStep(epsilon=epsilon), count), response_profile(epsilon, count)


def more_and_more_noise() -> Iterator[list[Composition]]:
    """The same steps with more noise each time."""
    yield [Composition.repeat(GaussianStep(sigma=sigma), 3) for sigma in (0.5, 1.0, 1.5, 4.0)]
    yield [Composition.repeat(LaplaceStep(scale=scale), 3) for scale in (0.5, 1.0, 1.5, 4.0)]
    yield [Composition.repeat(RandomisedResponseStep(epsilon=epsilon), 3) for epsilon in (2.0, 1.0, 0.5, 0.1)]
