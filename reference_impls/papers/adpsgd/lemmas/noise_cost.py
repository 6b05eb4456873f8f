"""The least M(alpha, b) of (7) over alpha, and who attains it: ledger rows AP-OPT and AP-ALT.

    M(alpha, b) = sum_t (alpha_t / b_t)^2 * sum_t 1 / alpha_t^2  >=  (sum_t 1 / b_t)^2

**Remark 4.1** is Cauchy-Schwarz, with equality exactly where (alpha_t / b_t)^2 is proportional to 1 / alpha_t^2: at
alpha_t^2 = k b_t for any k > 0, and nowhere else.

**The other choice** that the text names, alpha_t alpha_(T-(t-1)) = b_t for t = 1 .. T, asks b_t = b_(T-(t-1)), since
its left side reads the same backwards: with b_t = sqrt(a + c t) there is no such alpha (`mirror_misfit` is how far off
the best one stays). Where b does read the same backwards, M is (sum 1 / alpha_t^2)^2, which is at least (sum 1 / b_t)^2
with equality only where alpha reads the same backwards too, and then alpha_t^2 = b_t again.

Sequences here are functions of a few numbers, so that they can be searched: logarithms are a public wave plus a draw of
their seed. Not to be confused with :mod:`reference_impls.optimizers.adp_sgd_schedules`, which offers the schedules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import flint
import numpy as np
from numpy.typing import NDArray

from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from dpverify.laws.balls import exact_ball
from dpverify.sampling.streams import stream
from reference_impls.optimizers.adp_sgd_schedules import least_noise_cost, noise_cost, polynomial
from reference_impls.papers.sides_in_balls import SidesInBalls

Float = NDArray[np.float64]
Part = Literal["least", "attained", "exists", "mirror", "scaled"]
A, C, STEPS = 20.0, 1.0, 11700.0
MISFIT = 0.01
"""An alpha whose products are within 1 % of b would pass for one that exists."""


def mirror_misfit(b: Float) -> float:
    """The least, over alpha, of the largest \\|log(alpha_t alpha_(T-(t-1)) / b_t)\\|: half of what b differs by,
    mirrored."""
    logs = np.log(b)
    return float(np.abs(logs - logs[::-1]).max() / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseCost(SidesInBalls):
    """Subject ``lemma-adp-sgd-noise-cost``: a statement about M at one b and one alpha.

    Attributes
    ----------
    part : str
        ``least``: (sum 1 / b)^2 against M(alpha, b); ``attained``: M(sqrt(b), b) against (sum 1 / b)^2; ``scaled``: the
        same at alpha_t^2 = k b_t; ``exists``: the misfit of the best alpha with alpha_t alpha_(T-(t-1)) = b_t against
        `MISFIT`; ``mirror``: M at such an alpha against (sum 1 / b)^2.
    a, c : float
        b_t = sqrt(a + c t) times exp(wave); a > 0, c >= 0. In ``mirror`` b is made to read the same backwards.
    steps : float
        T once rounded; 1 .. 10^5.
    wave, seed : float
        Standard deviation (>= 0) of the wave, and what it is drawn from (rounded).
    skew : float
        Standard deviation (>= 0) of the logarithms of alpha about sqrt(b); in ``mirror`` the two ends of each pair move
        by opposite amounts. In ``scaled``, log k.
    """

    part: Part = "least"
    a: Annotated[float, Between(1e-9, 1e9)] = A
    c: Annotated[float, Between(0, 1e9)] = C
    steps: Annotated[float, Between(1, 1e5)] = STEPS
    wave: Annotated[float, Between(0, 20)] = 0.0
    seed: Annotated[float, Between(0, 1e9)] = 0.0
    skew: Annotated[float, Between(0, 20)] = 0.0

    def sequences(self) -> tuple[Float, Float]:
        """alpha^2 and b, shape (T,) each; alpha^2 so that sqrt(b) needs no rounding."""
        steps = round(self.steps)
        rng = stream(0, "adp-sgd-noise-cost", round(self.seed))
        b = polynomial(self.a, self.c, steps) * np.exp(self.wave * rng.standard_normal(steps))
        moved = self.skew * rng.standard_normal(steps)
        if self.part == "mirror":
            b, moved = np.maximum(b, b[::-1]), np.sign(np.arange(steps)[::-1] - np.arange(steps)) * np.abs(moved)
            moved = (moved - moved[::-1]) / 2
        if self.part == "scaled":
            moved = np.full(steps, self.skew)
        if self.part == "attained":
            moved = np.zeros(steps)
        return b * np.exp(moved), b

    def printed_ball(self) -> flint.arb | None:
        """What the larger side is said to be."""
        squares, b = self.sequences()
        if self.part == "exists":
            return flint.arb(MISFIT)
        return _cost(squares, b) if self.part == "least" else _least(b)

    def true_ball(self) -> flint.arb:
        """The side that is compared with it."""
        squares, b = self.sequences()
        if self.part == "exists":
            far = int(np.argmax(np.abs(np.log(b / b[::-1]))))
            return abs((exact_ball(b[far]) / exact_ball(b[::-1][far])).log()) / 2
        return _least(b) if self.part == "least" else _cost(squares, b)


def _cost(squares: Float, b: Float) -> flint.arb:
    """M as a ball; exact up to the working precision for the doubles alpha^2 and b."""
    pairs = [(exact_ball(one), exact_ball(other)) for one, other in zip(squares.tolist(), b.tolist(), strict=True)]
    return sum((s / v**2 for s, v in pairs), flint.arb(0)) * sum((1 / s for s, _ in pairs), flint.arb(0))


def _least(b: Float) -> flint.arb:
    return sum((1 / exact_ball(each) for each in b.tolist()), flint.arb(0)) ** 2


def shown_exists() -> Shown:
    """The numbers shown beside the remark on AP-ALT.exists."""
    b = polynomial(A, C, round(STEPS))
    numbers = (
        ("b_1", float(b[0])),
        ("b_T", float(b[-1])),
        ("alpha_1 alpha_T is off both by a factor of at least", float(np.exp(mirror_misfit(b)))),
    )
    return Shown(numbers=numbers, holds=numbers[2][1] > 1.01)


def shown_mirror() -> Shown:
    """The numbers shown beside the remark on AP-ALT.mirror."""
    alpha, b = np.array([2.0, 0.5]), np.ones(2)
    numbers = (("M at alpha = 2, 1/2 and b = 1, 1", noise_cost(alpha, b)), ("least M", least_noise_cost(b)))
    return Shown(numbers=numbers, holds=bool((alpha * alpha[::-1] == b).all()) and numbers[0][1] > 4 * numbers[1][1])
