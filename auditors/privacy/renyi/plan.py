"""Chooses an order, a direction and a test function by the expected bound of the later draws.

Two kinds are tried on one selection sample. One is a test function h on many bins: the estimated log-ratio, cut off
above (rare outputs under Q have the largest error) and shrunk. The other is one event, whose binary divergence has a
sharper, exact region; it is better at large orders. The bound of the chosen test comes from new draws.

What a claim allows: an RDP or zCDP claim states its divergences. Pure epsilon-DP is attained by randomised response,
which dominates every such pair (Kairouz, Oh, Viswanath, arXiv 1311.0776, Theorem 2.1), so D_a is at most its divergence
there: below min(epsilon, a epsilon^2 / 2). mu-GDP is attained by the Gaussian pair: D_a <= a mu^2 / 2 (Dong, Roth, Su
2019, Corollary B.6). They are used in the valid direction only: a larger divergence refutes, and inverted it bounds
epsilon or mu from below. Approximate DP bounds no divergence: an event of probability delta may have any ratio.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.special import expit

from auditors.privacy.histogram.events import SMOOTHING, Bins, RatedPlan
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Float, PrivacyGuarantee
from dpverify.definitions.rdp import RDP
from dpverify.stats.epsilon import binary_renyi, renyi_lower
from dpverify.stats.joint import JointRegion
from dpverify.stats.power import detectable_probability
from dpverify.stats.rounding import down, up
from dpverify.stats.variational import Variational, expected

SHRINKS = (0.4, 0.55, 0.7, 0.85, 1.0)
CUTS = 16
TRIED = 4
"""Number of candidates, the best by a first-order approximation, that are tried at the expected counts."""

SHARES = (0.2, 0.35, 0.5, 0.65, 0.8)
CAUTION = 1.0
"""Standard errors of the selection draws by which an event's shares are moved against it."""

POWER = 0.8416212335729143
"""The 80 % quantile of the normal law: distance of a value detected with that power from the claim, in deviations."""

STEEPEST = 64.0
SMALLEST = 1e-300


ORDERS = (1.25, 1.5, 2.0, 3.0, 4.0, 8.0, 16.0, 32.0)
"""Orders that are tried where the claim names none."""

ULPS = 64
"""Relative amount by which allowed divergences are raised and inverted bounds are lowered."""

BISECTIONS = 200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RenyiPlan:
    """One aim, one direction and one test, all fixed before the draws."""

    aim: Aim
    direction: int
    """0 for D(d0 || d1)."""
    expected: float
    """The expected bound, in nats."""
    test: Variational | None
    """The test function on the bins; None for an event."""
    inside: NDArray[np.bool_]
    """Shape (k,): the event's bins; unused beside a test function."""
    share: float = 0.5
    """Share of the event's region."""

    def lower(self, counts: NDArray[np.int64], *, alpha: float) -> float:
        """Lower confidence bound on the divergence from the bins' counts, shape (2, k): d0, then d1."""
        first, second = counts[self.direction], counts[1 - self.direction]
        if self.test is not None:
            return self.test.lower(first, second, alpha=alpha)
        region = JointRegion(
            k1=int(first[self.inside].sum()),
            n1=int(first.sum()),
            k2=int(second[self.inside].sum()),
            n2=int(second.sum()),
            alpha=alpha,
            share=self.share,
        )
        return max(renyi_lower(region, order=self.aim.order))


def plan(
    aims: tuple[Aim, ...], bins: Bins, counts: NDArray[np.int64], *, trials: int, alpha: float
) -> RatedPlan[RenyiPlan] | None:
    """The plan whose bound is the largest part of the allowed divergence; None when no bound is expected.

    A few candidates are selected by a first-order approximation, and tried at the expected counts.
    """
    sides = smoothed(counts[0]), smoothed(counts[1])
    drafts: list[tuple[float, RenyiPlan]] = []
    for aim in aims:
        for direction in (0, 1):
            ratios = bins.ratios if direction == 0 else -bins.ratios
            p, q = sides[direction], sides[1 - direction]
            base = RenyiPlan(
                aim=aim, direction=direction, expected=0.0, test=None, inside=np.zeros(ratios.size, dtype=np.bool_)
            )
            drafts += _functions(base, ratios, p, q, trials=trials, alpha=alpha)
            drafts += _events(base, ratios, p, q, size=int(counts.sum(axis=1).min()), trials=trials, alpha=alpha)
    likely = np.rint(np.stack(sides) * trials).astype(np.int64)
    best: RatedPlan[RenyiPlan] | None = None
    for gain, draft in sorted(drafts, key=lambda one: -one[0])[:TRIED]:
        if gain > 0.0:
            shares = SHARES if draft.test is None else (draft.share,)
            tried = [replace(draft, share=share) for share in shares]
            bound, index = max((one.lower(likely, alpha=alpha), -place) for place, one in enumerate(tried))
            gain = _gain(draft.aim, bound)
            if bound > 0.0 and (best is None or gain > best.gain):
                best = RatedPlan(gain=gain, plan=replace(tried[-index], expected=bound))
    return best


def _gain(aim: Aim, bound: float) -> float:
    """The bound as a part of the allowed divergence; where that is 0, any bound is infinitely more."""
    if aim.allowed > SMALLEST:
        return bound / aim.allowed
    return 1.0 + bound if bound > 0.0 else 0.0


def smoothed(counts: NDArray[np.int64]) -> Float:
    """Shares of the bins, with half a draw added to each, so that no bin counts as impossible."""
    added = counts + SMOOTHING
    return np.asarray(added / added.sum(), dtype=np.float64)


def scaled_ratios(ratios: Float) -> Float:
    """Candidates for h: the log-ratios, cut off above at several heights and shrunk; one for each row, shape (m, k)."""
    levels = np.unique(ratios)
    cuts = np.unique(levels[np.linspace(levels.size // 3, levels.size - 1, CUTS).astype(int)])
    low = np.minimum(ratios, cuts[:, None])
    return np.concatenate([shrink * low for shrink in SHRINKS])


def _functions(
    base: RenyiPlan, ratios: Float, p: Float, q: Float, *, trials: int, alpha: float
) -> list[tuple[float, RenyiPlan]]:
    """The two best test functions by the bound's first-order approximation."""
    order = base.aim.order
    candidates = scaled_ratios(ratios)
    bounds = expected(candidates, p, q, order=order, trials=trials, alpha=alpha).bound
    found = []
    for row in np.argsort(-bounds, kind="stable")[:2]:
        test = Variational.planned(candidates[row], p, q, order=order, trials=trials, alpha=alpha)
        found.append((_gain(base.aim, float(bounds[row])), replace(base, test=test)))
    return found


def _events(
    base: RenyiPlan, ratios: Float, p: Float, q: Float, *, size: int, trials: int, alpha: float
) -> list[tuple[float, RenyiPlan]]:
    """The best event {ratio > t}, by cautious shares; it is used for both D(P || Q) and D(Q || P)."""
    order = np.argsort(-ratios, kind="stable")
    last = np.flatnonzero(np.diff(ratios[order]) < 0.0)
    if last.size == 0:
        return []
    over_p, over_q = np.cumsum(p[order])[last], np.cumsum(q[order])[last]
    spreads = [rate * (1.0 - rate) for rate in (over_p, over_q)]
    # the region's two errors, and the error of the selection draws
    z = np.sqrt((-special.ndtri(alpha)) ** 2 / (2.0 * trials) + CAUTION**2 / size)
    low = np.clip(over_p - z * np.sqrt(spreads[0]) - 1.0 / trials, 0.0, 1.0)
    high = np.clip(over_q + z * np.sqrt(spreads[1]) + 3.0 / trials, 0.0, 1.0)
    apart = low > high
    low, high = np.where(apart, low, 0.5), np.where(apart, high, 0.5)
    value = np.maximum(binary_renyi(low, high, base.aim.order), binary_renyi(high, low, base.aim.order))
    best = int(np.argmax(np.where(np.isfinite(value), value, 0.0)))
    inside = base.inside.copy()
    inside[order[: last[best] + 1]] = True
    return [(_gain(base.aim, float(value[best])), replace(base, inside=inside))]


def detectable(found: RenyiPlan, ratios: Float, p: Float, q: Float, *, trials: int, alpha: float) -> float:
    """Smallest divergence *that the plan's bins show* which is detected with 80 % power; inf if there is none.

    The subject's divergence is larger, at large orders by far, since bins merge outputs and rare outputs are not drawn
    (`part_shown`). For an event it is computed at its probability under Q. For a test function it is computed for pairs
    of the measured shape, by a first-order approximation: laws on the same bins whose log-ratio is s times the measured
    one (shares p and q), with the best function from s times the `ratios` of the defining sample. Errors of those
    ratios are thus included.
    """
    order, allowed = found.aim.order, found.aim.allowed
    if found.test is None:
        curve = RDP(order=order, epsilon=allowed)
        rate = float(q[found.inside].sum())
        least = detectable_probability(
            rate, trials, trials, allowed=lambda q: 1.0 - curve.tradeoff(q), alpha=alpha, share=found.share
        )
        if not math.isfinite(least):
            return math.inf
        pair = np.array(least), np.array(rate)
        return max(float(binary_renyi(*pair, order)), float(binary_renyi(*pair[::-1], order)))
    shape = np.log(p) - np.log(q)

    def tilted(s: float) -> Float:
        logs = np.log(q) + s * shape
        mass = np.exp(logs - logs.max())
        return np.asarray(mass / mass.sum(), dtype=np.float64)

    def caught(s: float) -> bool:
        plans = expected(scaled_ratios(s * ratios), tilted(s), q, order=order, trials=trials, alpha=alpha)
        return bool(np.max(plans.bound - POWER * plans.deviation) > allowed)

    high = 1.0
    while not caught(high):
        high *= 2.0
        if high > STEEPEST:
            return math.inf
    low = 0.0
    for _ in range(12):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if caught(middle) else (middle, high)
    logs = order * np.log(tilted(high)) + (1.0 - order) * np.log(q)
    return float((logs.max() + math.log(float(np.exp(logs - logs.max()).sum()))) / (order - 1.0))


def part_shown(found: RenyiPlan, counts: NDArray[np.int64]) -> float:
    """The part of the allowed divergence that the test shows in new counts, shape (2, k), less a standard error.

    It assumes a mechanism with exactly the claimed divergence, and that the bins show the same part of larger ones.
    """
    order, allowed = found.aim.order, found.aim.allowed
    p, q = smoothed(counts[found.direction]), smoothed(counts[1 - found.direction])
    n = int(counts.sum(axis=1).min())
    if found.test is not None:
        seen = expected(found.test.scores, p, q, order=order, trials=n, alpha=0.5)
        least = float(seen.value - seen.deviation)
    else:
        rates = np.array([p[found.inside].sum(), q[found.inside].sum()])
        low, high = rates + CAUTION * np.sqrt(0.5 * rates * (1.0 - rates) / n) * [-1.0, 1.0]
        if low <= high:
            return 0.0
        least = max(float(binary_renyi(low, high, order)), float(binary_renyi(high, low, order)))
    return min(1.0, max(0.0, least / allowed)) if allowed > SMALLEST else 1.0


def ceiling(aim: Aim, trials: int, *, alpha: float) -> float:
    """The largest divergence that `trials` draws a side can show.

    The event occurs always on one side and never on the other, at the best share of a plan.
    """
    regions = (JointRegion(k1=trials, n1=trials, k2=0, n2=trials, alpha=alpha, share=share) for share in SHARES)
    return max(max(renyi_lower(region, order=aim.order)) for region in regions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """One order with the largest divergence that the claim allows there."""

    order: float
    allowed: float
    measure: Measure
    """The claim's measure, in whose units the bound is reported."""
    via: Literal["renyi", "epsilon", "mu"]
    """How a divergence is converted to that measure."""

    def value(self, divergence: float) -> float:
        """The smallest value of the measure that allows this divergence; rounded down."""
        if self.via == "renyi" or not 0.0 < divergence < math.inf:
            return divergence
        if self.via == "mu":
            return float(down(math.sqrt(2.0 * divergence / self.order), ULPS))
        low, high = 0.0, max(1.0, 2.0 * divergence)
        while pure_divergence(high, self.order) < divergence:
            high *= 2.0
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            if pure_divergence(middle, self.order) < divergence:
                low = middle
            else:
                high = middle
        return float(down(low, ULPS))


def pure_divergence(epsilon: float, order: float) -> float:
    """The largest Renyi divergence between two epsilon-indistinguishable laws: that of randomised response."""
    return float(binary_renyi(np.array(expit(epsilon)), np.array(expit(-epsilon)), order))


def aims(guarantee: PrivacyGuarantee) -> tuple[Aim, ...]:
    """All divergences of finite order that the claim bounds; empty when it bounds none."""
    found: list[Aim] = []
    for measure in guarantee.measures():
        if measure.kind == "renyi" and math.isfinite(measure.argument):
            found.append(Aim(order=measure.argument, allowed=measure.claimed, measure=measure, via="renyi"))
        elif measure.kind == "mu":
            found += [
                Aim(order=order, allowed=float(up(order * measure.claimed**2 / 2.0, ULPS)), measure=measure, via="mu")
                for order in ORDERS
            ]
        elif measure.kind == "renyi" or (measure.kind == "epsilon" and measure.argument == 0.0):  # order inf is pure DP
            found += [
                Aim(
                    order=order,
                    allowed=float(up(pure_divergence(measure.claimed, order), ULPS)),
                    measure=measure,
                    via="epsilon",
                )
                for order in ORDERS
            ]
    return tuple(found)
