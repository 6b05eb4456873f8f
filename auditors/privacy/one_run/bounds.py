"""Bounds from the number of correct guesses, for any kind of claim.

Two theorems are used: the binomial one for (epsilon, delta) (`dpverify.stats.one_run`) and the one for curves
(`dpverify.stats.one_run`). Where both apply, the smaller critical count is used: a test that refutes from v*
correct guesses on is valid if either theorem allows v*, so using both costs no error probability.

The reported number is the parameter of a family around the claim: epsilon at its delta, mu, or one factor for all
claimed numbers (so for several Rényi orders the bound holds within that family). A claim without such a family is
tested at one point of its profile, which depends only on the claim and the number of guesses.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from auditors.privacy.one_run.guesses import Rule, chance_of_right, rate_to_mu
from dpverify.core.evidence import Measure
from dpverify.core.subjects import PrivacyGuarantee, Scalable
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.stats.intervals import clopper_pearson_upper
from dpverify.stats.one_run import (
    Inverse,
    curve_excess,
    gaussian_inverse,
    largest_refuted,
    one_run_epsilon_lower,
    one_run_mu_lower,
    one_run_p_value,
)

NODES = 500
"""Points on either side of 1/2 where a curve without a closed inverse is tabulated; the lower neighbour is used.
"""

PROFILE = np.concatenate([np.linspace(0.0, 3.0, 31), np.geomspace(3.2, 12.0, 20)])
"""Epsilons for choosing the point of a claim without a family."""

LARGEST = 60.0
POWER = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Numbers fixed before a training: canaries, the rule, values of a canary, and the rule's error probability."""

    canaries: int
    rule: Rule
    values: int
    alpha: float

    @property
    def guesses(self) -> int:
        """Number of guesses of the rule."""
        return self.rule.guesses


@dataclass(frozen=True, kw_only=True)
class OneRunGoal:
    """A privacy guarantee that is tested by counts of correct guesses."""

    guarantee: PrivacyGuarantee
    run: Run

    @cached_property
    def measure(self) -> Measure:
        """The bounded measure: a claimed epsilon, else the headline, or one point of the profile."""
        headline = self._claimed
        return headline if headline.kind in ("epsilon", "mu") or self._scales else self._point()

    @property
    def family(self) -> str:
        """Description of the bound's family."""
        if self.measure.kind == "epsilon":
            return "epsilon at this delta"
        return "mu of Gaussian differential privacy" if self.measure.kind == "mu" else "all claimed numbers, one factor"

    @property
    def _claimed(self) -> Measure:
        measures = self.guarantee.measures()
        return next((measure for measure in measures if measure.kind == "epsilon"), measures[0])

    @property
    def _scales(self) -> bool:
        return isinstance(self.guarantee, Scalable) and self._claimed.claimed > 0 and _symmetric(self.guarantee)

    def refuted(self, correct: int) -> bool:
        """Whether `correct` correct guesses refute the claim."""
        return self.critical is not None and correct >= self.critical

    @cached_property
    def critical(self) -> int | None:
        """The smallest number of correct guesses that refutes the claim; None when even all of them do not."""
        found = [count for test in self._tests(self.measure.claimed) if (count := self._least(test)) is not None]
        return min(found, default=None)

    def bound(self, correct: int) -> float:
        """Lower confidence bound on the measure."""
        run, measure = self.run, self.measure
        if measure.kind == "mu":
            return one_run_mu_lower(correct, run.guesses, run.canaries, alpha=run.alpha, values=run.values)
        if measure.kind != "epsilon":
            return measure.claimed * largest_refuted(
                lambda factor: factor == 0 or any(test(correct) for test in self._tests(measure.claimed * factor)),
                start=1.0,
                end=2.0**20,
                steps=10,
            )
        delta, found = measure.argument, 0.0
        if delta == 0 or run.values == 2:
            found = one_run_epsilon_lower(
                correct, run.guesses, run.canaries, alpha=run.alpha, delta=delta, values=run.values
            )

        def by_curve(epsilon: float) -> bool:
            return self._curve(approx_inverse(epsilon, delta), correct)

        if not by_curve(found):  # nor any larger number: a weaker claim allows more
            return found
        return max(found, largest_refuted(by_curve, start=1.0, end=LARGEST))

    def estimate(self, correct: int) -> float | None:
        """The number of a training whose guesses are correct at this rate; None where there is none."""
        rate = min(max(correct, 0.5), self.run.guesses - 0.5) / self.run.guesses
        return self._at_rate(rate)

    @cached_property
    def detectable(self) -> float | None:
        """Smallest number that is refuted with 80 % power by the best guesses that it allows; inf if there is none.

        The power includes the canaries' coins: the number of included canaries rarely equals that of the guesses.
        """
        run, critical = self.run, self.critical
        if critical is None:
            return math.inf
        if run.values > 2:
            return self._at_rate(float(clopper_pearson_upper(critical - 1, run.guesses, alpha=1.0 - POWER)))

        def power(rate: float) -> float:
            return chance_of_right(critical, rate, run.canaries, run.rule)

        if power(1.0) < POWER:
            return math.inf
        low, high = 0.5, 1.0
        for _ in range(50):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if power(middle) < POWER else (low, middle)
        return self._at_rate(high)

    def p_value(self, correct: int) -> float | None:
        """P-value by the binomial theorem, where it applies."""
        measure, run = self.measure, self.run
        if measure.kind != "epsilon" or (measure.argument > 0 and run.values > 2):
            return None
        return one_run_p_value(
            correct, run.guesses, run.canaries, epsilon=measure.claimed, delta=measure.argument, values=run.values
        )

    def _at_rate(self, rate: float) -> float | None:
        if self.measure.kind == "mu" and self.run.values == 2:
            return rate_to_mu(rate, self.run.guesses / self.run.canaries)
        if self.measure.kind != "epsilon":
            return None
        return max(0.0, float(special.logit(rate)) + math.log(self.run.values - 1.0))

    def _tests(self, claimed: float) -> Iterator[Callable[[int], bool]]:
        """The tests of the family's member with this number, as functions of the count."""
        run, measure = self.run, self.measure
        if measure.kind == "epsilon":
            delta = measure.argument
            if delta == 0 or run.values == 2:
                yield (
                    lambda correct: (
                        one_run_p_value(
                            correct, run.guesses, run.canaries, epsilon=claimed, delta=delta, values=run.values
                        )
                        <= run.alpha
                    )
                )
            inverse = approx_inverse(claimed, delta)
        elif measure.kind == "mu":
            inverse = gaussian_inverse(claimed)
        else:
            assert isinstance(self.guarantee, Scalable)
            member = self.guarantee.scaled(claimed / measure.claimed) if claimed != measure.claimed else self.guarantee
            assert isinstance(member, PrivacyGuarantee)
            inverse = tabulated(member, least=run.alpha / run.canaries)
        yield lambda correct: self._curve(inverse, correct)

    def _curve(self, inverse: Inverse, correct: int) -> bool:
        run = self.run
        return curve_excess(correct, run.guesses, run.canaries, alpha=run.alpha, inverse=inverse, values=run.values) > 0

    def _least(self, test: Callable[[int], bool]) -> int | None:
        """The smallest passing count found by bisection; only that it passes matters for validity."""
        low, high = 1, self.run.guesses
        if not test(high):
            return None
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if test(middle) else (middle + 1, high)
        return high

    def _point(self) -> Measure:
        """The (epsilon, delta) of the claimed profile that the smallest rate of correct guesses refutes."""
        deltas = np.maximum(self.guarantee.delta(PROFILE), self.guarantee.delta(PROFILE, reverse=True))
        best: tuple[float, Measure] | None = None
        for epsilon, delta in zip(PROFILE.tolist(), np.minimum(deltas, 1.0 - 1e-12).tolist(), strict=True):
            measure = Measure(kind="epsilon", argument=max(delta, 0.0), claimed=epsilon)
            goal = OneRunGoal(guarantee=ApproxDP(epsilon=epsilon, delta=max(delta, 0.0)), run=self.run)
            needed = math.inf if goal.critical is None else goal.critical
            if best is None or needed < best[0]:
                best = needed, measure
        assert best is not None
        return best[1]


def approx_inverse(epsilon: float, delta: float) -> Inverse:
    """`Inverse` of (epsilon, delta): f is its own inverse."""
    slope = math.exp(min(epsilon, 700.0))

    def inverse(x: float) -> float:
        return max(0.0, (1.0 - delta) - slope * (1.0 - x), (x - delta) / slope)

    return inverse


def tabulated(guarantee: PrivacyGuarantee, *, least: float) -> Inverse:
    """`Inverse` of any curve in the weaker direction, rounded down; 0 for rates below `least`."""
    half = np.geomspace(least, 0.5, NODES)
    rates = 1.0 - np.concatenate([half, 1.0 - half[-2::-1], [1.0]])
    nodes = 1.0 - rates  # the rate at which the curve is evaluated
    table = np.minimum(guarantee.tradeoff(rates), guarantee.tradeoff(rates, reverse=True)) * (1.0 - 1e-9)
    steps = [0.0, *np.maximum.accumulate(np.maximum(table, 0.0)).tolist()]
    places = nodes.tolist()

    def inverse(x: float) -> float:
        return float(steps[bisect_right(places, min(x, 1.0))])

    return inverse


def _symmetric(guarantee: PrivacyGuarantee) -> bool:
    """Whether the curve is symmetric on a grid (averaging over inclusion needs one concave curve)."""
    grid = np.linspace(0.0, 1.0, 101)
    return bool(np.array_equal(guarantee.tradeoff(grid), guarantee.tradeoff(grid, reverse=True)))
