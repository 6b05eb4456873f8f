"""Costs in exact arithmetic or in balls by closed forms, written without anything of the prover."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import flint


def ball(value):
    exact = Fraction(value)
    return flint.arb(flint.fmpq(exact.numerator, exact.denominator))


def finite_delta(laws, epsilon):
    """The larger order's delta of independent pairs ((p, q), count) of fractions, outcome by outcome."""
    ratios = [{(Fraction(1), Fraction(1)): 1}]
    for (p, q), count in laws:
        for _ in range(count):
            found = {}
            for ((a, b), many), (c, d) in itertools.product(ratios[-1].items(), zip(p, q, strict=True)):
                key = (a * c, b * d)
                found[key] = found.get(key, 0) + many
            ratios.append(found)
    x = ball(epsilon).exp()
    zero = flint.arb(0)
    ways = [
        sum(((ball(a) - x * ball(b)).max(zero) * many for (a, b), many in pairs), zero)
        for pairs in (ratios[-1].items(), [((b, a), many) for (a, b), many in ratios[-1].items()])
    ]
    return ways[0].max(ways[1])


def above(z):
    """P(N(0, 1) > z)."""
    return (z / flint.arb(2).sqrt()).erfc() / 2


def gaussian_delta(square, epsilon):
    """Delta of N(mu, 1) against N(0, 1) at mu^2 = `square`."""
    mu, e = ball(square).sqrt(), ball(epsilon)
    return above(e / mu - mu / 2) - e.exp() * above(e / mu + mu / 2)


def response_delta(epsilon_0, count, epsilon):
    """Delta of `count` randomised responses: binomial, in balls."""
    e_0, e = ball(epsilon_0), ball(epsilon)
    p, total = 1 / (1 + (-e_0).exp()), flint.arb(0)
    for k in range(count + 1):
        mass = math.comb(count, k) * p**k * (1 - p) ** (count - k)
        total += (mass * (1 - (e - (2 * k - count) * e_0).exp())).max(flint.arb(0))
    return total


def laplace_delta(d, epsilon):
    """Delta of Laplace noise of scale 1 at the shift d."""
    return (1 - ((ball(epsilon) - ball(d)) / 2).exp()).max(flint.arb(0))


def sampled_gaussian_delta(q, sigma, epsilon):
    """The larger delta of one Poisson-sampled Gaussian step: thresholds on the output, in closed form."""
    x, s, rate = ball(epsilon).exp(), ball(sigma), ball(q)
    y = s * s * ((x - 1 + rate) / rate).log() + flint.arb(1) / 2
    add = (1 - rate) * above(y / s) + rate * above((y - 1) / s) - x * above(y / s)
    if not 1 / x > 1 - rate:
        return add
    y = s * s * ((1 / x - 1 + rate) / rate).log() + flint.arb(1) / 2
    below = 1 - above(y / s)
    return add.max(below - x * ((1 - rate) * below + rate * (1 - above((y - 1) / s))))
