"""Bounds from noisy values shown on one data set and replayed on the other: laws, proved events, losses.

Three statements, each of which refutes on its own:

- *first values*: the values shown first depend on no earlier ones, so their whole law is known: independent noise
  around two vectors. Any measure of any claim is computed and proved from it (further releases cannot reduce it).
- *one coordinate of it with two scales*: an event (a half-line, or an interval) with proved probabilities.
- *the loss of a history*, for pure claims only: the density ratio of a sequence of releases is the product of the
  ratios of each value given the earlier ones. A pure claim bounds the ratio at almost every history, so with
  probability one at the drawn history. Gaussian noise around different values, or with two scales, has no such bound.

Rounding: noise-free values are doubles, computed from the data by sums of as many terms as there are numbers; sixteen
times the classical error bound is subtracted from each shift (`allowance`), and so is the rounding after the noise (the
steps' `slack`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np
from scipy import special

from auditors.privacy.event_bounds import Finding, Goal
from auditors.privacy.exact.points import ROUNDING, measured
from dpverify.core.errors import UnsupportedError
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.subjects import Float, LawPair, Pair
from dpverify.core.transcript import GAUSSIAN, LAPLACE, Step
from dpverify.laws.balls import working_precision
from dpverify.laws.density import GaussianLaw, LaplaceLaw
from dpverify.laws.product import ProductLaw
from dpverify.recording.flatten_output import leaves
from dpverify.stats.region import Bound, evaluated
from dpverify.stats.rounding import FloatArray

SAFETY = 16.0
UNIT = 2.0**-53
SCALES_AGREE = 1e-9
"""Relative difference below which two noise scales are equal up to rounding."""

_THRESHOLDS = np.concatenate([np.linspace(0.02, 4.0, 100), np.geomspace(4.2, 30.0, 40)])
_MOST_FACTORS = 60
_KNOWN = {LAPLACE: LaplaceLaw, GAUSSIAN: GaussianLaw}


LISTED = 4
"""Most values that a text names; others are only counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvedPoint:
    """Proved probabilities of one event, at least `p` on one data set and at most `q` on the other: a region."""

    p: float
    q: float
    alpha: float = 0.0

    def corners(self) -> tuple[FloatArray, FloatArray]:
        """The point."""
        return np.array([self.p]), np.array([self.q])

    def minimum(self, bound: Bound) -> float:
        """The bound at the point."""
        return float(evaluated(bound, *self.corners())[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayBound:
    """A measure, its lower bound, the excess over the claim, and the reason."""

    measure: Measure
    value: Enclosed
    excess: float
    event: str
    fresh: int = 0
    """New runs a side in which the event was counted; 0 without counts."""
    hits: tuple[int, int] | None = None
    """Counts of the event, on the side where it is more likely and on the other."""
    laws: tuple[float, float] | None = None
    """Probabilities of the event by the recorded laws, where all `fresh` runs showed the same noise-free values."""


def allowance(pair: Pair, one: Step, other: Step) -> Float:
    """Possible rounding error of each shift, shape (k,)."""
    data = [abs(float(x)) for side in (pair.d0, pair.d1) for x in _numbers(side)]
    count, total = len(data), math.fsum(data)
    sums = SAFETY * (count + SAFETY) * UNIT * (total + np.abs(one.clean) + np.abs(other.clean))
    return np.asarray(sums + one.slack + other.slack, dtype=np.float64)


def _numbers(dataset: Any) -> list[float]:
    """The finite numbers in a data set, as far as they can be read."""
    import dataclasses

    if dataclasses.is_dataclass(dataset) and not isinstance(dataset, type):
        parts = [getattr(dataset, field.name) for field in dataclasses.fields(dataset)]
        return [x for part in parts for x in _numbers(part)]
    return [x for x in leaves(dataset) if isinstance(x, int | float) and math.isfinite(x)]


def shifted(pair: Pair, one: Step, other: Step) -> Float:
    """The other side's noise-free values, with shifts reduced by the rounding error, shape (k,)."""
    move = other.clean - one.clean
    kept = np.maximum(np.abs(move) - allowance(pair, one, other), 0.0)
    return np.asarray(one.clean + np.sign(move) * kept, dtype=np.float64)


def one_scale(one: Step, other: Step) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Where both sides have noise of one law and scale, shape (k,)."""
    if one.law != other.law or one.law not in _KNOWN:
        return np.zeros(one.clean.shape, dtype=np.bool_)
    return np.abs(one.scale - other.scale) <= SCALES_AGREE * np.maximum(one.scale, other.scale)


def first_values(pair: Pair, noisy: Sequence[tuple[Step, Step]]) -> LawPair | None:
    """The laws of the values shown first, on either side, where scales agree; None without such a coordinate."""
    laws = []
    for one, other in first_call(noisy):
        kept = one_scale(one, other)
        if kept.any():
            scales = np.maximum(one.scale, other.scale)[kept]
            law = _KNOWN[one.law]
            sides = one.clean[kept], shifted(pair, one, other)[kept]
            laws.append([law(locations=side, scales=scales) for side in sides])
    if not laws:
        return None
    if len(laws) == 1:
        return laws[0][0].against(laws[0][1])
    return ProductLaw(laws=tuple(law for law, _ in laws)).against(ProductLaw(laws=tuple(law for _, law in laws)))


def bound_by_laws(goal: Goal, laws: LawPair) -> ReplayBound:
    """The measure with the largest ratio to its claim, proved where it exceeds."""
    best: tuple[float, ReplayBound] | None = None
    for measure in goal.measures:
        try:
            value = measured(laws, measure)
        except UnsupportedError:
            continue
        limit = measure.claimed * (1.0 + ROUNDING)
        ratio = value.lower / measure.claimed if measure.claimed > 0 else (math.inf if value.lower > 0 else 0.0)
        if value.lower > limit:
            proof = laws.prove(measure)
            value = proof if proof is not None and proof.lower > limit else value
        if best is None or ratio > best[0]:
            event = "the noisy values that are shown first"
            best = ratio, ReplayBound(measure=measure, value=value, excess=value.lower - limit, event=event)
    if best is None:
        raise UnsupportedError("no measure of the claim is known for this noise")
    return best[1]


def bound_by_scales(goal: Goal, noisy: Sequence[tuple[Step, Step]], direction: int) -> ReplayBound | None:
    """The best proved event on one coordinate whose noise has two scales; None where there is none."""
    best: ReplayBound | None = None
    for one, other in first_call(noisy):
        if one.law != other.law or one.law not in _KNOWN:
            continue
        for place in np.flatnonzero(~one_scale(one, other))[:8]:
            sides = [(float(step.clean[place]), float(step.scale[place])) for step in (one, other)]
            said = _event(goal, one.law, sides, direction, f"{one.name}[{place}]")
            if said is not None and (best is None or said.excess > best.excess):
                best = said
    return best


def bound_by_orthant(goal: Goal, pair: Pair, noisy: Sequence[tuple[Step, Step]], direction: int) -> ReplayBound | None:
    """An event on Laplace coordinates shown first: the j with the largest shifts are all on the far side.

    Its probabilities are 2^-j and 2^-j e^-(sum of shifts), for the best j. It is used for delta > 0, where no closed
    form is known.
    """
    moves = sorted(moved_values(pair, noisy, LAPLACE), key=lambda each: -each.ratio)[:_MOST_FACTORS]
    if not moves:
        return None
    sums = np.cumsum([each.ratio for each in moves])
    p = 0.5 ** np.arange(1, len(moves) + 1)
    q = p * np.exp(-sums)
    best = int(np.argmax(p - goal.allowed(direction)(q)))
    with working_precision():
        shifts = (flint.arb(abs(each.here - each.there)) / flint.arb(each.scale) for each in moves[: best + 1])
        total = sum(shifts, flint.arb(0))
        q_high = math.nextafter(float((flint.arb(float(p[best])) * (-total).exp()).upper()), math.inf)
    finding = goal.finding(ProvedPoint(p=float(p[best]), q=q_high), direction)
    return bound_by_point(finding, all_beyond(moves[: best + 1], "Laplace"))


def moved_values(pair: Pair, noisy: Sequence[tuple[Step, Step]], law: str) -> list[Moved]:
    """The values of this law that are shown first, with one scale, and whose noise-free values certainly differ."""
    found = []
    for one, other in first_call(noisy):
        if one.law == other.law == law:
            there, scales = shifted(pair, one, other), np.maximum(one.scale, other.scale)
            for place in np.flatnonzero(one_scale(one, other) & (one.clean != there)).tolist():
                here, beyond, scale = float(one.clean[place]), float(there[place]), float(scales[place])
                found.append(Moved(name=f"{one.name}[{place}]", here=here, there=beyond, scale=scale))
    return found


def _event(goal: Goal, law: str, sides: Sequence[tuple[float, float]], direction: int, name: str) -> ReplayBound | None:
    """Outside or inside of an interval around the first side's value, whichever exceeds the claim more."""
    (place, scale), (other, width) = sides
    radius = _THRESHOLDS * max(scale, width)
    p = _tail(law, radius / scale) * 2.0
    q = _tail(law, (radius - (other - place)) / width) + _tail(law, (radius + (other - place)) / width)
    best: tuple[float, int, bool] | None = None
    for inside in (False, True):
        a, b = (1.0 - p, 1.0 - q) if inside else (p, q)
        beyond = a - goal.allowed(direction)(np.clip(b, 0.0, 1.0))
        at = int(np.argmax(beyond))
        if best is None or beyond[at] > best[0]:
            best = float(beyond[at]), at, inside
    assert best is not None
    _, at, inside = best
    with working_precision():
        r, c, d = flint.arb(float(radius[at])), flint.arb(place), flint.arb(other)
        p_ball = 2 * _proved_tail(law, r / flint.arb(scale))
        q_ball = _proved_tail(law, (r - (d - c)) / flint.arb(width)) + _proved_tail(
            law, (r + (d - c)) / flint.arb(width)
        )
        if inside:
            p_ball, q_ball = 1 - p_ball, 1 - q_ball
        p_low = math.nextafter(float(p_ball.lower()), -math.inf)
        q_high = math.nextafter(float(q_ball.upper()), math.inf)
    finding = goal.finding(ProvedPoint(p=min(max(p_low, 0.0), 1.0), q=min(max(q_high, 0.0), 1.0)), direction)
    words = f"{name} {'within' if inside else 'beyond'} {radius[at]:.6g} of {place:.6g}"
    return bound_by_point(finding, words)


def bound_by_point(finding: Finding, event: str) -> ReplayBound:
    """A proved event's finding."""
    value = Enclosed(value=finding.bound, proved=True)
    return ReplayBound(measure=finding.measure, value=value, excess=finding.excess, event=event)


def bound_by_difference(goal: Goal, p: float, direction: int, event: str) -> ReplayBound:
    """An event of probability at least `p` on one data set and 0 on the other."""
    allowed = max(0.0, 1.0 - float(goal.guarantee.tradeoff(np.zeros(1), reverse=bool(direction))[0]))
    bound = (p if goal.headline.kind == "delta" else math.inf) if p > allowed else 0.0
    excess = math.inf if math.isinf(bound) else p - allowed
    return ReplayBound(measure=goal.headline, value=Enclosed(value=bound, proved=True), excess=excess, event=event)


def _tail(law: str, x: Float) -> Float:
    if law == GAUSSIAN:
        return np.asarray(special.ndtr(-x), dtype=np.float64)
    return np.asarray(np.where(x >= 0, 0.5 * np.exp(-np.abs(x)), 1.0 - 0.5 * np.exp(-np.abs(x))), dtype=np.float64)


def _proved_tail(law: str, x: flint.arb) -> flint.arb:
    if law == GAUSSIAN:
        return (x / flint.arb(2).sqrt()).erfc() / 2
    return (-x).exp() / 2 if x >= 0 else 1 - x.exp() / 2


def loss(pair: Pair, noisy: Sequence[tuple[Step, Step]]) -> Enclosed:
    """The log-ratio of the densities of a history, given all earlier values: a proved lower bound on epsilon.

    Values with an unspecified law are left out together with all later values.
    """
    with working_precision():
        total = flint.arb(0)
        for one, other in noisy:
            if one.law != other.law or one.law not in _KNOWN:
                break
            agree = one_scale(one, other)
            there = shifted(pair, one, other)
            if not agree.all() or (one.law == GAUSSIAN and bool((there != one.clean).any())):
                return Enclosed(value=math.inf, proved=True)
            if one.law == GAUSSIAN:
                continue
            for h, c, d, s in zip(
                one.value.tolist(), one.clean.tolist(), there.tolist(), one.scale.tolist(), strict=True
            ):
                if c != d:
                    total += (abs(flint.arb(h) - flint.arb(d)) - abs(flint.arb(h) - flint.arb(c))) / flint.arb(s)
        low = math.nextafter(float(total.lower()), -math.inf)
    return Enclosed(value=max(low, 0.0), proved=True)  # epsilon is at least 0


def first_call(noisy: Sequence[tuple[Step, Step]]) -> list[tuple[Step, Step]]:
    """The noisy values of the first call with any."""
    return [each for each in noisy if each[0].call == noisy[0][0].call]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One noisy value whose noise-free value differs between the data sets."""

    name: str
    """Of the step, with the coordinate."""
    here: float
    there: float
    """`here`, `there`: the noise-free values on the data set where the event is more likely, and on the other."""
    scale: float
    """Of the noise."""

    @property
    def ratio(self) -> float:
        """The shift in units of the scale."""
        return abs(self.here - self.there) / self.scale


def all_beyond(moved: Sequence[Moved], law: str) -> str:
    """Each value lies beyond its noise-free value, seen from where the other data set has it."""
    listed = " and ".join(f"{each.name} {_side(each)} {each.here:.9g}" for each in moved[:LISTED])
    left = len(moved) - LISTED
    more = f", and {left} more {law} values lie beyond their own noise-free values, too" if left > 0 else ""
    return f"{listed}{more}"


def beyond_plane(moved: Sequence[Moved], edge: float) -> str:
    """The most telling half-space of Gaussian values: `edge` standard deviations beyond the first noise-free values."""
    if len(moved) == 1:
        (one,) = moved
        toward = 1.0 if one.here >= one.there else -1.0
        return f"{one.name} {_side(one)} {one.here + toward * edge * one.scale:.9g}"
    length = math.hypot(*(each.ratio for each in moved))
    weights = [(each.here - each.there) / each.scale**2 / length for each in moved]
    threshold = math.fsum(weight * each.here for weight, each in zip(weights, moved, strict=True)) + edge
    largest = sorted(zip(weights, moved, strict=True), key=lambda each: -each[1].ratio)
    listed = [f"{weight:.6g} {each.name}" for weight, each in largest]
    left = len(moved) - LISTED
    more = f" + {left} more terms (weights: shift over variance)" if left > 0 else ""
    return f"{' + '.join(listed[:LISTED])}{more} > {threshold:.9g}".replace("+ -", "- ")


def _side(moved: Moved) -> str:
    return ">" if moved.here >= moved.there else "<"
