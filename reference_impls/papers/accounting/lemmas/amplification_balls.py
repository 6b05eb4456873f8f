"""The two printed amplification lemmas in ball arithmetic, for proofs: term by term as the papers print them.

BLSGD Lemma 4 (DISS Lemma 2.4) and DISS Lemma 2.3; the float versions, in log space, are
``dpverify.accounting.amplification_printed``. Balls have exponents without end, so no log space is needed and nothing
cancels beyond the working precision. Not to be confused with proofs of the lemmas.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import flint

from dpverify.accounting.steps.gaussian import GaussianStep

BallCurve = Callable[[int], flint.arb]
"""Whole order to a ball around epsilon(order)."""


def gaussian_ball(step: GaussianStep) -> BallCurve:
    """alpha Delta^2 / (2 sigma^2)."""
    rate = (flint.arb(step.sensitivity) / flint.arb(step.sigma)) ** 2 / 2
    return lambda order: order * rate


def poisson_ball(q: flint.arb, curve: BallCurve, order: int, *, factor: int = 3) -> flint.arb:
    """BLSGD Lemma 4 at one whole order >= 2; with `factor` 1 the exact divergence from the law without the record."""
    stay = 1 - q
    total = stay ** (order - 1) * (order * q - q + 1)
    for power in range(2, order + 1):
        weight = math.comb(order, power) * q**power * stay ** (order - power)
        total += (1 if power == 2 else factor) * weight * ((power - 1) * curve(power)).exp()
    return total.log() / (order - 1)


def without_replacement_ball(q: flint.arb, curve: BallCurve, order: int) -> flint.arb:
    """DISS Lemma 2.3 at one whole order >= 2."""
    second = curve(2)
    least = (4 * second.expm1()).min(2 * second.exp())
    total = 1 + q**2 * math.comb(order, 2) * least
    for power in range(3, order + 1):
        total += q**power * math.comb(order, power) * 2 * ((power - 1) * curve(power)).exp()
    return total.log() / (order - 1)
