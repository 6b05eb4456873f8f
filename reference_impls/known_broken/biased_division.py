"""A discrete Laplace sampler whose coins are biased by a wrong division of fractions.

Wrong line: ``(b // g) * k`` in :func:`divided`, where (a / b) / k with g = gcd(a, k) has the denominator b (k / g): g
divides the wrong factor, and b has no factor g in it, so the quotient comes out too large. Source: OpenDP's additive
noise samplers (opendp issue 2638, mended in 2639; dashu issue 57, "Incorrect rational division"). The sampler is
otherwise that of Canonne, Kamath, Steinke, "The Discrete Gaussian" (NeurIPS 2020), Algorithms 1 and 2, which is exact:
Bernoulli(e^-x) from coins of x / 1, x / 2, x / 3 ..., the geometric law from u uniform in 0..t-1 kept with e^(-u/t).

True epsilon: the largest step of the log of the kept shares between neighbouring u (`true_epsilon`), 0.266 at a scale
of 10, where 0.1 is claimed; 0.5 at a scale of 2, which is sound: at u = 1 no numerator has a factor to lose. Answers
and outputs are whole numbers in 0..n (clipped, which is post-processing).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np
from numba import njit

from dpverify.core.registry import Registry
from dpverify.core.rules import Count
from dpverify.core.subjects import Dataset
from dpverify.laws.balls import exact_ball
from dpverify.laws.discrete import DiscreteLaw
from dpverify.sampling.streams import state_from
from dpverify.sampling.xoshiro import uniform
from reference_impls.mechanisms.inputs import Float, Integer, single_answer
from reference_impls.mechanisms.mechanism_claims import add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled

COINS = 45
"""How many coins the law counts; the chance of so many heads is below 1 / 45!, less than the balls
resolve."""


def divided(x: Fraction, k: int) -> Fraction:
    """x / k for x in [0, 1], as the faulty library computes it: never less than it is."""
    if x == 0:
        return Fraction(0)  # the first coin already ends the run; the library would divide 0 by 0 at the second
    g = math.gcd(x.numerator, k)
    return Fraction(x.numerator // g, (x.denominator // g) * k)


def heads(x: Fraction) -> Fraction:
    """The chance that the sampler takes for e^-x, x in [0, 1]; off by less than 1 / 45!."""
    total, product = Fraction(1), Fraction(1)
    for k in range(1, COINS):
        product *= divided(x, k)
        total += product if k % 2 == 0 else -product
    return total


def true_epsilon(scale: int) -> float:
    """What the discrete Laplace noise of a whole scale costs when one answer moves by one."""
    kept = [float(heads(Fraction(u, scale))) for u in range(scale)] + [math.exp(-1.0)]
    return max(abs(math.log(kept[u] / kept[u + 1])) for u in range(scale))


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasedDivision(EpsilonScaled):
    """Subject ``biased-division``. Data sets: one count, rounded and clipped to 0..n; outputs: int64, (size,).

    Attributes
    ----------
    n : int
        The largest count, at least 1.
    """

    n: Count = 12

    def query(self, dataset: Dataset) -> Float:
        """The count that is noised, shape (1,)."""
        return np.array([float(self._count(dataset))])

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """Independent noisy counts, shape (size,), coin by coin."""
        out = np.empty(size, dtype=np.int64)
        _fill(out, _coins(self._whole_scale()), *state_from(rng))
        return np.clip(out + self._count(dataset), 0, self.n)

    def counts(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """How often each of 0..n came, shape (n + 1,)."""
        return np.bincount(self.sample(dataset, size, rng=rng), minlength=self.n + 1)

    def output_law(self, dataset: Dataset) -> DiscreteLaw:
        """Exact, in balls: the kept shares are fractions, the rest is powers of e."""
        return _law(self._whole_scale(), self._count(dataset), self.n)

    def _count(self, dataset: Dataset) -> int:
        return int(np.clip(np.floor(single_answer(dataset)[0] + 0.5), 0, self.n))

    def _whole_scale(self) -> int:
        return max(1, math.ceil(self.scale(1.0)))


@functools.cache
def _coins(scale: int) -> Float:
    """Chance of the k-th head for u / scale, and in the last row for 1; shape (scale + 1, COINS)."""
    rows = [[float(divided(Fraction(u, scale), k)) for k in range(1, COINS)] + [0.0] for u in range(scale + 1)]
    return np.array(rows)


@functools.cache
def _law(scale: int, count: int, n: int) -> DiscreteLaw:
    def enclose() -> list[flint.arb]:
        blur = flint.arb(0, 1.0 / math.factorial(COINS))
        kept = [exact_ball(heads(Fraction(u, scale))) + blur for u in range(scale)]
        decay = flint.arb(-1).exp()
        whole = sum(kept, flint.arb(0)) / (1 - decay)  # the weights of 0, 1, 2 ... together
        total = 2 * whole - kept[0]  # both signs, one 0

        def weight(z: int) -> flint.arb:
            return kept[z % scale] * decay ** (z // scale)

        def beyond(z: int) -> flint.arb:
            return whole - sum((weight(y) for y in range(z)), flint.arb(0))

        inner = [weight(abs(y - count)) for y in range(1, n)]
        return [each / total for each in (beyond(count), *inner, beyond(n - count))]

    return DiscreteLaw.from_balls(enclose)


@njit(cache=True, nogil=True)
def _fill(out: Integer, coins: Float, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> None:
    """Discrete Laplace noise: u kept with "e^-(u/t)", plus t for each head of "e^-1", a sign, and no negative zero."""
    scale = coins.shape[0] - 1
    for trial in range(out.size):
        while True:
            draw, s0, s1, s2, s3 = uniform(s0, s1, s2, s3)
            u = int(draw * scale)
            k = 0
            draw, s0, s1, s2, s3 = uniform(s0, s1, s2, s3)
            while draw < coins[u, k]:
                k += 1
                draw, s0, s1, s2, s3 = uniform(s0, s1, s2, s3)
            if k % 2 == 1:
                continue
            z = u
            while True:
                k = 0
                draw, s0, s1, s2, s3 = uniform(s0, s1, s2, s3)
                while draw < coins[scale, k]:
                    k += 1
                    draw, s0, s1, s2, s3 = uniform(s0, s1, s2, s3)
                if k % 2 == 1:
                    break
                z += scale
            draw, s0, s1, s2, s3 = uniform(s0, s1, s2, s3)
            if draw < 0.5 and z == 0:
                continue
            out[trial] = -z if draw < 0.5 else z
            break


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("biased-division", BiasedDivision)
    add_pure_claim(
        registry,
        "biased-division",
        "broken",
        relation="one-query",
        size=1,
        low=0.0,
        high=12.0,
        parameters={"n": 12},
        source=("OpenDP", "issues 2638, 2639"),
        statement="A count with discrete Laplace noise from that sampler is epsilon-DP.",
    )
