"""The least gradient of ADP-SGD on one loss, enclosed, against its utility bounds: rows AP-THM42, AP-PROP51-UTILITY.

**The bound.** With deterministic b and alpha, L-Lipschitz gradients and the descent lemma,

    sum_t (eta / b_t) E|grad F(theta_{t-1})|^2
        <= D_F + (L eta^2 / 2) sum_t (E|grad f|^2 / b_t^2 + d sigma^2 alpha_t^2 / b_t^2).

Divided by eta sum 1 / b_t, the noise term is **eta L** d (16 G)^2 B M / (2 n^2 epsilon^2). (7) prints it without eta L,
which belongs to it as it does to the term before; (9) and (10) have it. So (7) claims too little as soon as eta L > 1.

**The loss.** All n records alike, f(theta; x) = sum over d coordinates of Huber's function: L u^2 / 2 up to \\|u\\| =
R, straight beyond, R = G / (L sqrt(d)). Its gradient is L-Lipschitz and never longer than G, as Assumptions 2.1 and 2.2
want, F* is 0, and every coordinate runs on its own. As long as it stays in [-R, R] it is the linear recursion

    u_t = (1 - eta L / b_t) u_{t-1} - (eta / b_t) alpha_t sigma z_t,

whose mean and variance are exact. With p a bound on the probability that the *linear* coordinate ever leaves (union
bound, erfc(x) <= e^{-x^2}), E|grad F(theta_t)|^2 lies between d L^2 m_t (1 - sqrt(3 p)) and d (L^2 m_t + (L R)^2 p),
where m_t is the second moment of the linear one (Cauchy-Schwarz; E u^4 <= 3 m^2). The truth is the least over t = 0 ..
T - 1, as tau is (the text's [N] starts at 0); bounds get the upper ends.

The noise is (6)'s, at section 6's n, T, delta and epsilon = 16 * 0.8; eta = 1 is section 6's. It gives no L; d = 7850
are the weights of its logistic regression on MNIST.

Not to be confused with the accuracy of trained models, on which no theorem of the paper speaks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, Literal

import flint
import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.accounting.filters import CONSTANT, AdpSgdBudget
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision, exact_ball
from reference_impls.optimizers.adp_sgd_schedules import polynomial
from reference_impls.papers.enclosures import quotient
from reference_impls.papers.ranges import TINY

Float = NDArray[np.float64]
Bound = Literal["theorem", "theorem-mended", "adp", "dp", "adp-mended"]
BOUNDS: tuple[str, ...] = ("theorem", "theorem-mended", "adp", "dp", "adp-mended")
RECORDS, DELTA, EPSILON, TRAINING, MNIST_WEIGHTS = 50000, 1e-5, 12.8, 11700, 7850
A, C = 20.0, 1.0
_ERROR = 1e-9
"""Relative, of the recursion in doubles: 10^5 steps of a few roundings each, all terms positive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility(Checked):
    """Subject ``lemma-adp-sgd-utility``: a printed bound on min_t E|grad F(theta_t)|^2 and its value on one loss, G =
    1.

    Attributes
    ----------
    bound : str
        ``theorem``: (7); ``theorem-mended``: with eta L; ``adp`` and ``dp``: (9) and (10); ``adp-mended``: (9) with its
        third term doubled.
    alpha : "sqrt-b" or "one"
        ADP-SGD or DP-SGD; (9) and (10) are for one of them.
    smoothness : float
        L > 0.
    eta : float
        > 0.
    dimension, steps : float
        d and T once rounded.
    start : float
        Every coordinate of theta_0 over R, in (0, 1].
    epsilon : float
        Of Theorem 4.1.
    a, c : float
        b_t = sqrt(a + c t).
    """

    bound: Bound = "theorem"
    alpha: Literal["sqrt-b", "one"] = "sqrt-b"
    smoothness: Annotated[float, Between(1e-9, 1e9)] = 0.1
    eta: Annotated[float, Between(1e-9, 1e9)] = 1.0
    dimension: Annotated[float, Between(1, 1e9)] = float(MNIST_WEIGHTS)
    steps: Annotated[float, Between(1, 1e5)] = float(TRAINING)
    start: Annotated[float, Between(TINY, 1)] = 0.09
    epsilon: Annotated[float, Between(1e-6, 1e6)] = EPSILON
    a: Annotated[float, Between(1e-9, 1e9)] = A
    c: Annotated[float, Between(0, 1e9)] = C

    @property
    def whole(self) -> tuple[int, int]:
        """d and T, rounded to whole numbers."""
        return round(self.dimension), round(self.steps)

    @property
    def b_delta(self) -> float:
        """The constant B of (6)."""
        return AdpSgdBudget(epsilon=self.epsilon, delta=DELTA, n=RECORDS, steps=self.whole[1]).b_delta()

    @property
    def covered(self) -> bool:
        """Whether the bound speaks of these numbers."""
        if self.bound.startswith("theorem"):
            return True
        fits = self.alpha == ("one" if self.bound == "dp" else "sqrt-b")
        return fits and self.c > 0 and self.whole[1] >= 5 + 4 * self.a / self.c

    def printed(self) -> Enclosed:
        """The bound; +inf where it says nothing."""
        if not self.covered:
            return Enclosed(value=math.inf)
        value = _sides(self)[0]
        return Enclosed(value=value, error=_ERROR * value)

    def truth(self) -> Enclosed:
        """The lower end of min_t E|grad F(theta_t)|^2 on the loss."""
        value = _sides(self)[1]
        return Enclosed(value=value, error=_ERROR * value)

    def bound_of(self, *, gap: Any, gradients: Any, unit: Any, variance: Any, sums: tuple[Any, Any, Any]) -> Any:
        """The printed right side, in whatever numbers these are: floats or balls."""
        dimension, steps = self.whole
        eta, smooth = (each * (unit * 0 + 1) for each in (self.eta, self.smoothness))
        first, _, noise = sums
        if self.bound.startswith("theorem"):
            factor = eta * smooth if self.bound == "theorem-mended" else 1
            third = factor * dimension * variance * noise / 2
            return (gap / eta + eta * smooth * gradients / 2 + third) / first
        c, ratio = self.c * (unit * 0 + 1), 1 + (steps * (unit * 0 + 1)) * self.c / self.a
        log = ratio.log() if isinstance(ratio, flint.arb) else math.log(ratio)
        root, under = ((x.sqrt() if isinstance(x, flint.arb) else math.sqrt(x)) for x in (c * steps, c / (steps - 1)))
        factor = {"adp": 1, "adp-mended": 2, "dp": 2 * log}[self.bound]
        third = eta * dimension * smooth * unit**2 * (root / c) * factor / 2
        return under * (gap / eta + eta * smooth * log / (2 * c)) + third

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The recursion and the bound in balls."""
        if not self.covered:
            return None
        dimension, steps = self.whole
        eta, smooth, start = exact_ball(self.eta), exact_ball(self.smoothness), exact_ball(self.start)
        one = flint.arb(1)
        unit = 16 * _b_delta_ball(steps).sqrt() / (RECORDS * exact_ball(self.epsilon))
        b = [(exact_ball(self.a) + exact_ball(self.c) * t).sqrt() for t in range(1, steps + 1)]
        squares = [one] * steps if self.alpha == "one" else b
        variance = unit**2 * sum((1 / each for each in squares), flint.arb(0))
        radius = 1 / (smooth * flint.arb(dimension).sqrt())
        mean, spread = start * radius, flint.arb(0)
        least, weighed, leaves = smooth**2 * mean**2, flint.arb(0), flint.arb(0)
        for t in range(steps):
            moment = smooth**2 * (mean**2 + spread)
            least, weighed = least.min(moment), weighed + moment / b[t] ** 2
            if t > 0:
                leaves += (-((radius - abs(mean)) ** 2) / (2 * spread)).exp()
            kept = 1 - eta * smooth / b[t]
            mean, spread = kept * mean, kept**2 * spread + (eta / b[t]) ** 2 * squares[t] * variance
        if not (radius > abs(mean) and 3 * leaves < 1):
            return None
        ones = tuple(
            sum(each, flint.arb(0))
            for each in (
                (1 / x for x in b),
                (1 / x**2 for x in b),
                (s / x**2 for s, x in zip(squares, b, strict=True)),
            )
        )
        printed = self.bound_of(
            gap=dimension * smooth * (start * radius) ** 2 / 2,
            gradients=dimension * (weighed + leaves * (smooth * radius) ** 2 * ones[1]),
            unit=unit,
            variance=variance,
            sums=(ones[0], ones[1], ones[2]),
        )
        return quotient(dimension * least * (1 - (3 * leaves).sqrt()), printed)


@lru_cache(maxsize=4)
def _sides(given: Utility) -> tuple[float, float]:
    """The bound and the lower end of the truth, in doubles."""
    dimension, steps = given.whole
    b = polynomial(given.a, given.c, steps)
    squares = np.ones_like(b) if given.alpha == "one" else b
    radius = 1.0 / (given.smoothness * math.sqrt(dimension))
    unit = CONSTANT * math.sqrt(given.b_delta) / (RECORDS * given.epsilon)  # sigma over sqrt(sum 1 / alpha^2), G = 1
    variance = unit**2 * float(np.sum(1.0 / squares))
    least, weighed, leaves = _followed(b, squares, given.eta, given.smoothness, variance, given.start, radius)
    sums = float(np.sum(1.0 / b)), float(np.sum(1.0 / b**2)), float(np.sum(squares / b**2))
    gradients = dimension * (weighed + leaves * (given.smoothness * radius) ** 2 * sums[1])
    bound = given.bound_of(
        gap=dimension * given.smoothness * (given.start * radius) ** 2 / 2,
        gradients=gradients,
        unit=unit,
        variance=variance,
        sums=sums,
    )
    return bound, dimension * least * max(0.0, 1.0 - math.sqrt(3.0 * leaves))


def _b_delta_ball(steps: int) -> flint.arb:
    delta = exact_ball(DELTA)
    return (16 * steps / (RECORDS * delta)).log() * (flint.arb(5) / 4 / delta).log()


@njit(cache=True, nogil=True)
def _followed(
    b: Float, squares: Float, eta: float, smooth: float, variance: float, start: float, radius: float
) -> tuple[float, float, float]:
    """One coordinate: min_t L^2 m_t, sum_t L^2 m_{t-1} / b_t^2, and the bound on the probability of leaving."""
    mean, spread = start * radius, 0.0
    least, weighed, leaves = smooth**2 * mean**2, 0.0, 0.0
    for t in range(b.size):
        moment = smooth**2 * (mean**2 + spread)
        least = min(least, moment)
        weighed += moment / b[t] ** 2
        if t > 0:
            inside = radius - abs(mean)
            leaves += np.exp(-(inside**2) / (2.0 * spread)) if inside > 0 else 1.0
        kept = 1.0 - eta * smooth / b[t]
        mean, spread = kept * mean, kept**2 * spread + (eta / b[t]) ** 2 * squares[t] * variance
    return least, weighed, min(leaves, 1.0)


def shown() -> Shown:
    """The numbers shown beside the remark on AP-THM42."""
    subject = Utility(smoothness=8.0, dimension=100.0, start=0.2)
    mended = replace(subject, bound="theorem-mended")
    numbers = (
        ("eta L", subject.eta * subject.smoothness),
        ("(7) as printed", subject.printed().value),
        ("min_t E|grad F(theta_t)|^2, at least", subject.truth().value),
        ("(7) with eta L", mended.printed().value),
    )
    return Shown(numbers=numbers, holds=numbers[1][1] < numbers[2][1] <= numbers[3][1])


def shown_proposition() -> Shown:
    """The numbers shown beside the remark on AP-PROP51.utility-adp."""
    subject = Utility(bound="adp")
    mended = replace(subject, bound="adp-mended")
    noisy = Utility(bound="adp", smoothness=0.044, dimension=74000.0, start=0.187)
    slope = noisy.eta * noisy.smoothness / (2 * math.sqrt(noisy.c) * math.sqrt(noisy.whole[1] - 1))  # (9)'s in B_T
    read = math.log(1 + noisy.whole[1] * noisy.c / noisy.a)
    saved = read + (noisy.truth().lower - noisy.printed().value) / slope
    numbers = (
        ("(9) as printed", subject.printed().value),
        ("min_t E|grad F(theta_t)|^2, at least", subject.truth().value),
        ("(9), third term doubled", mended.printed().value),
        ("B_T as read, T = 11700", read),
        ("B_T with which (9) would hold at L = 0.044, d = 74000", saved),
    )
    return Shown(numbers=numbers, holds=numbers[0][1] < numbers[1][1] <= numbers[2][1] and saved > 4 * read)
