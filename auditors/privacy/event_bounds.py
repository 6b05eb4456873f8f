"""Bounds from one event: the bound on the claim's headline measure, and the excess over the claim.

A region of (p, q) gives all bounds at once, so the headline measure, the claim's other measures and its trade-off curve
need no correction for multiple testing. The event's complement for the swapped pair has the mirrored region, which is
used as well.

Side of the error: every bound is a lower bound at the region's confidence. Where the measure and the curve disagree in
the last digits, neither refutes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Float, PrivacyGuarantee
from dpverify.stats.epsilon import binary_renyi, delta_lower, epsilon_lower, mu_lower, renyi_lower
from dpverify.stats.intervals import LARGEST_TRIALS
from dpverify.stats.joint import Cut, JointRegion, Region, excess_lower, refutes
from dpverify.stats.region import Bound
from dpverify.stats.rounding import down, up

KINDS = ("epsilon", "delta", "renyi", "mu")
GRID = np.concatenate([[0.0], np.geomspace(1e-12, 1e-2, 200), np.linspace(0.0101, 0.9899, 200)])
CURVE = np.concatenate([GRID, 1.0 - GRID[::-1]])
SLOPES = np.concatenate([np.linspace(0.0, 4.0, 81), np.geomspace(4.2, 40.0, 60)])
"""Epsilons at which a curve is compared with the region."""

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Shares of regions, among which the best one is chosen."""

CURVE_ONLY = 1.0, 1.5
"""Gains of events that exceed only another measure or the curve; an event that exceeds the headline gains more."""

Scale = Literal["log", "probit"]


FEWEST_TRIALS = 100
"""Fewest draws a side for counting an event."""


SIDES = ("d0", "d1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirrored:
    """The region of the event's complement with the two sides swapped: (p, q) becomes (1 - q, 1 - p)."""

    region: Region

    @property
    def alpha(self) -> float:
        """Error probability of the region."""
        return self.region.alpha

    def corners(self) -> tuple[Float, Float]:
        """The region's corners, mirrored."""
        p, q = self.region.corners()
        return down(1.0 - q, 1), up(1.0 - p, 1)

    def minimum(self, bound: Bound) -> float:
        """Least value over the mirrored region."""
        return self.region.minimum(
            lambda p, q: bound(np.clip(down(1.0 - q, 1), 0.0, 1.0), np.clip(up(1.0 - p, 1), 0.0, 1.0))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A measure, the lower bound on it, and the violation: `excess` > 0 exactly when `bound` > the claimed value."""

    measure: Measure
    bound: float
    excess: float


@dataclass(frozen=True, kw_only=True)
class Goal:
    """A privacy guarantee that is tested by events.

    `direction` is 0 when the event is more likely under d0 (P = M(d0), Q = M(d1)), and 1 otherwise.
    """

    guarantee: PrivacyGuarantee

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The claim's measures, the headline first."""
        return self.guarantee.measures()

    @property
    def headline(self) -> Measure:
        """The measure that reports show."""
        return self.measures[0]

    @cached_property
    def _curves(self) -> tuple[Float, Float]:
        return self.allowed(0)(CURVE), self.allowed(1)(CURVE)

    def allowed(self, direction: int) -> Callable[[Float], Float]:
        """The largest p that the claim allows to an event of probability q, rounded up."""

        def largest(q: Float) -> Float:
            beta = self.guarantee.tradeoff(q, reverse=bool(direction))
            return np.minimum(np.asarray(up(1.0 - np.asarray(beta, dtype=np.float64), 2)), 1.0)

        return largest

    @property
    def scale(self) -> Scale:
        """The scale on which errors of p and q have the same effect on the headline."""
        return "log" if self.headline.kind in ("epsilon", "delta") else "probit"

    def gain(self, p: Float, q: Float, *, corner: tuple[Float, Float]) -> Float:
        """The gain of events with these probabilities, shape (4, t); above 1 the claim is exceeded.

        The first two rows are events that are counted under d0 for p (direction 0), the last two under d1.

        The curve is compared with `corner`, where p and q both have their extreme values: different errors matter on
        its steep and flat parts.

        Below 1 it is the headline's tightness. An event that exceeds another measure or the curve, but not the
        headline, gains less than one that exceeds the headline.
        """
        head = tightness(self.headline, value(self.headline, p, q, mirrored=False))
        limits = [
            np.interp(part, CURVE, curve) for part, curve in zip(np.split(corner[1], 2), self._curves, strict=True)
        ]
        beyond = corner[0] - np.concatenate(limits)
        others = np.where(beyond > 0, 1.0 + 0.5 * beyond, 0.0)
        for measure in self.measures[1:]:
            ratio = tightness(measure, value(measure, p, q, mirrored=False))
            others = np.maximum(others, np.where(ratio > 1, 1.5 - 0.5 / np.maximum(ratio, 1.0), 0.0))
        return np.where(p > q, np.where(head > 1, head + 0.5, np.maximum(head, others)), 0.0)

    def finding(self, region: Region, direction: int) -> Finding:
        """The finding of a region: the bound on the headline, unless only another measure (or the curve) is exceeded.

        A measure's claimed value is that of the laxer direction, so exceeding it refutes in whichever direction.
        """
        excess = excess_lower(region, self.allowed(direction))
        found = [(measure, measure_lower(region, measure)) for measure in self.measures]
        exceeded = [(measure, bound) for measure, bound in found if bound > measure.claimed]
        if exceeded:
            measure, bound = exceeded[0]
            return Finding(measure=measure, bound=bound, excess=excess if excess > 0 else bound - measure.claimed)
        if excess > 0:  # a point of the curve between the claim's measures
            measure, bound = self._tangent(region, direction)
            if bound > measure.claimed:
                return Finding(measure=measure, bound=bound, excess=excess)
        return Finding(measure=self.headline, bound=found[0][1], excess=min(excess, 0.0))

    def refutes(self, region: JointRegion, direction: int) -> bool:
        """Whether the finding's excess is above 0, in a fraction of its time."""
        for measure in self.measures:
            claimed = measure.claimed
            if measure_lower(Cut(region=region, unless=(claimed, claimed)), measure) > claimed:
                return True
        if not refutes(region, self.allowed(direction)):
            return False
        measure, bound = self._tangent(region, direction)
        return bound > measure.claimed

    def _tangent(self, region: Region, direction: int) -> tuple[Measure, float]:
        """The point delta(epsilon) of the claimed profile with the largest excess over the region."""
        best: tuple[float, Measure, Region] | None = None
        for mirrored in (False, True):
            seen: Region = Mirrored(region=region) if mirrored else region
            p, q = seen.corners()
            claimed = self.guarantee.delta(SLOPES, reverse=bool(direction) != mirrored)
            margin = np.min(p - np.exp(SLOPES)[:, None] * q, axis=1) - claimed
            place = int(np.argmax(margin))
            point = Measure(kind="delta", argument=float(SLOPES[place]), claimed=float(max(claimed[place], 0.0)))
            if best is None or margin[place] > best[0]:
                best = float(margin[place]), point, seen
        assert best is not None
        return best[1], delta_lower(best[2], epsilon=best[1].argument)

    def estimate(self, k1: int, n1: int, k2: int, n2: int) -> float:
        """Plug-in estimate of the headline; half a draw is added where the event never occurred under Q."""
        p, q = np.array(k1 / n1), np.array(max(k2, 0.5) / n2)
        return float(value(self.headline, p, q))

    def ceiling(self, trials: int, *, alpha: float, share: float) -> float:
        """The largest possible headline bound: the event occurs in all `trials` under P and in none under Q."""
        return measure_lower(_perfect(trials, alpha, share), self.headline)

    def best_share(self, k1: int, k2: int, trials: int, *, alpha: float, direction: int, gain: float) -> float:
        """The share of the region that is best for an event at the expected counts.

        It maximises the bound on the headline, unless by the `gain` only the curve is exceeded.
        """

        best = -math.inf, -math.inf
        for share in sorted(SHARES, key=lambda each: abs(each - 0.5)):  # the best one is most often an even one
            whole = JointRegion(k1=k1, n1=trials, k2=k2, n2=trials, alpha=alpha, share=share)
            region = Cut(region=whole, unless=(best[0], math.inf))
            if CURVE_ONLY[0] < gain <= CURVE_ONLY[1]:
                bound = excess_lower(region, self.allowed(direction))
            else:
                bound = measure_lower(region, self.headline)
            best = max(best, (bound, -share))  # of equal ones the smallest share
        return -best[1]

    def require(self, trials: int, *, alpha: float, least: int) -> None:
        """Raise InputError for too many trials, or when even a perfect event could not refute the claim."""
        if trials > LARGEST_TRIALS:
            raise InputError(
                f"{trials} trials a side",
                allowed=f"at most {LARGEST_TRIALS}",
                remedy="fewer, or an exact method instead of sampling",
            )

        if self.suffices(trials, alpha=alpha, least=least):
            return
        fewest = self.fewest(alpha=alpha, least=least)
        raise too_few_trials(trials, fewest, claim=self.guarantee.text(), alpha=alpha)

    def suffices(self, trials: int, *, alpha: float, least: int) -> bool:
        """Whether `trials` a side, at least `least`, could refute the claim with a perfect event."""
        return trials >= least and self._refutable(trials, alpha)

    def fewest(self, *, alpha: float, least: int) -> int:
        """The fewest trials a side, at least `least`, that refute the claim by a perfect event; InputError if none."""
        return fewest_trials(lambda trials: self._refutable(trials, alpha), least=least, claim=self.guarantee.text())

    def _refutable(self, trials: int, alpha: float) -> bool:
        """Whether a perfect event (always under P, never under Q) refutes the claim."""
        return any(self.refutes(_perfect(trials, alpha, share), 0) for share in (0.1, 0.5))


def value(measure: Measure, p: Float, q: Float, *, mirrored: bool = True) -> Float:
    """The measure of two Bernoulli laws (p, q), vectorised; 0 where p <= q, may be inf.

    Epsilon and delta are also read off the complement with the sides swapped, unless `mirrored` is False.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if measure.kind == "epsilon":
            found = np.log(np.maximum(p - measure.argument, 0.0)) - np.log(q)
        elif measure.kind == "delta":
            found = p - np.exp(measure.argument) * q
        elif measure.kind == "renyi":
            found = np.maximum(binary_renyi(p, q, measure.argument), binary_renyi(q, p, measure.argument))
        else:
            found = special.ndtri(p) - special.ndtri(q)
    found = np.where(p > q, np.fmax(found, 0.0), 0.0)
    if mirrored and measure.kind in ("epsilon", "delta"):
        found = np.maximum(found, value(measure, 1.0 - q, 1.0 - p, mirrored=False))
    return np.asarray(found)


def measure_lower(region: Region, measure: Measure) -> float:
    """Lower bound on the measure, the larger one of both directions, which hold at once over one region."""
    if measure.kind == "epsilon":
        return max(epsilon_lower(side, delta=measure.argument) for side in (region, Mirrored(region=region)))
    if measure.kind == "delta":
        return max(delta_lower(side, epsilon=measure.argument) for side in (region, Mirrored(region=region)))
    if measure.kind == "renyi":
        return max(renyi_lower(region, order=measure.argument))
    return mu_lower(region)


def tightness(measure: Measure, values: ArrayLike) -> Float:
    """Values over the claimed one; where that is 0, any positive value counts as above 1."""
    values = np.asarray(values, dtype=np.float64)
    if measure.claimed > 0:
        with np.errstate(over="ignore"):  # the claim is almost 0, and inf is correct
            return values / measure.claimed
    return np.where(values > 0, 1.0 + values, 0.0)


def _perfect(trials: int, alpha: float, share: float) -> JointRegion:
    return JointRegion(k1=trials, n1=trials, k2=0, n2=trials, alpha=alpha, share=share)


def fewest_trials(refutable: Callable[[int], bool], *, least: int, claim: str) -> int:
    """The fewest trials a side, at least `least`, with which a perfect attack refutes; InputError if there are none.

    `refutable`: whether a number of trials a side suffices; monotone. `claim`: the guarantee's text, for the error.
    """
    low, high = least - 1, least
    while not refutable(high):
        if high == LARGEST_TRIALS:
            raise InputError(
                f"sampling for {claim}",
                allowed=f"nothing: even {LARGEST_TRIALS} trials could not refute it",
                remedy="use an exact method instead of sampling",
            )
        low, high = high, min(2 * high, LARGEST_TRIALS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if refutable(middle) else (middle, high)
    return high


def too_few_trials(trials: int, fewest: int, *, claim: str, alpha: float, by: str = "") -> InputError:
    """The error of an audit that could refute nothing; `by` names the kind of bound, if it is not any event."""
    return InputError(
        f"{trials} trials a side cannot refute {claim} at confidence {1 - alpha:.6g}{by}, whatever the mechanism does",
        allowed=f"at least {fewest} trials (more for a violation that is not total)",
        remedy=f"pass trials={fewest} or more, or a lower confidence",
    )


def direction_text(direction: int, sides: tuple[str, str] = SIDES) -> str:
    """``d0 against d1``, or ``d1 against d0``: the side with the larger event probability is first."""
    return f"{sides[direction]} against {sides[1 - direction]}"
