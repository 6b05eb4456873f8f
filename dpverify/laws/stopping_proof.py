"""Proved bounds on divergences between two stopping laws, from few integrals.

A coarser outcome never has a larger divergence (data processing), so a few well chosen ranges of outcomes give a lower
bound: for pure epsilon the one outcome with the largest ratio, for delta, epsilon(delta) and mu the ranges of
{P > e^epsilon Q}, for Renyi divergence at most 48 ranges, merged where least is lost. The float laws choose; a bad
choice makes the bound smaller, never wrong. Up to 50 levels the measure itself can be enclosed, from every outcome.

Often confused: `lower_bound` returns an enclosure too, but of the *coarse* measure. Its lower end refutes a claim; its
upper end certifies nothing.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import flint
import numpy as np
from scipy.special import ndtri

from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.subjects import Float
from dpverify.laws.balls import enclosed_ball, working_precision
from dpverify.laws.discrete_pair import DiscretePair
from dpverify.laws.stopping_ball import Range, range_probability

if TYPE_CHECKING:
    from dpverify.laws.stopping import StoppingLaw

PRECISION = 128  # bits
_MOST_RANGES = 48
_MOST_LEVELS_ENCLOSED = 50
_LEAST = 1e-300
_FREE_LOSS = 1e-9  # share of the Renyi sum given up for fewer integrals, even below that many ranges


def lower_bound(p: StoppingLaw, q: StoppingLaw, pair: DiscretePair, measure: Measure) -> Enclosed | None:
    """A proved enclosure of a lower bound of the measure; None for ``sensitivity`` and orders outside (1, inf].

    `pair` holds the float laws of `p` and `q`; only the choice of events rests on them.
    """
    if measure.kind == "sensitivity" or (measure.kind == "renyi" and not measure.argument > 1):
        return None
    with working_precision(PRECISION):
        return enclosed_ball(_coarse(p, q, pair, measure))


def enclosure(p: StoppingLaw, q: StoppingLaw, pair: DiscretePair, measure: Measure) -> Enclosed | None:
    """A proved enclosure of the measure itself, from every outcome of both laws; None above 50 levels."""
    if p.size > _MOST_LEVELS_ENCLOSED:
        return None

    def balls() -> tuple[Sequence[flint.arb], Sequence[flint.arb]]:
        return probabilities(p), probabilities(q)

    return DiscretePair(log_p=pair.log_p, log_q=pair.log_q, error=pair.error, enclose=balls).enclosure(measure)


def probabilities(law: StoppingLaw) -> list[flint.arb]:
    """Balls that contain the m + 1 probabilities of `law`."""
    with working_precision(PRECISION):
        return [range_probability(law, (outcome, outcome)) for outcome in range(law.size + 1)]


def _coarse(p: StoppingLaw, q: StoppingLaw, pair: DiscretePair, measure: Measure) -> flint.arb:
    zero = flint.arb(0)
    infinite = measure.kind == "renyi" and math.isinf(measure.argument)
    if infinite or (measure.kind == "epsilon" and measure.argument == 0):
        best = int(np.argmax(pair.log_p - pair.log_q))
        return (range_probability(p, (best, best)) / range_probability(q, (best, best))).log().max(zero)
    if measure.kind == "renyi":
        alpha, total = flint.arb(measure.argument), zero
        for each in _merged(pair, measure.argument):
            log_p, log_q = range_probability(p, each).log(), range_probability(q, each).log()
            total += (alpha * log_p - (alpha - 1) * log_q).exp()
        return (total.log() / (alpha - 1)).max(zero)
    ranges = _chosen(pair, _threshold(pair, measure))
    if not ranges or ranges == [(0, p.size)]:
        return zero  # the empty and the sure event tell nothing apart
    mass_p = sum((range_probability(p, each) for each in ranges), zero)
    mass_q = sum((range_probability(q, each) for each in ranges), zero)
    if measure.kind == "delta":
        return (mass_p - flint.arb(measure.argument).exp() * mass_q).max(zero)
    if measure.kind == "mu":
        return (_probit(mass_p) - _probit(mass_q)).max(zero)
    excess = mass_p - flint.arb(measure.argument)
    return (excess / mass_q).log().max(zero) if excess > 0 else zero


def _probit(mass: flint.arb) -> flint.arb:
    """The standard normal quantile."""
    return -flint.arb(2).sqrt() * (2 * mass).erfcinv()


def _threshold(pair: DiscretePair, measure: Measure) -> float:
    """The log-ratio above which outcomes belong to the event."""
    if measure.kind == "delta":
        return measure.argument
    if measure.kind == "epsilon":
        return pair.epsilon(measure.argument).value
    ratio = pair.log_p - pair.log_q
    order = np.argsort(-ratio, kind="stable")
    shift = _quantiles(np.exp(pair.log_p[order])) - _quantiles(np.exp(pair.log_q[order]))
    return float(np.nextafter(ratio[order[int(np.argmax(shift))]], -np.inf)) if shift.size else math.inf


def _quantiles(masses: Float) -> Float:
    """Normal quantiles of the cumulative sums but the last, right in both tails."""
    below, above = np.cumsum(masses)[:-1], np.cumsum(masses[::-1])[-2::-1]
    return np.where(below < 0.5, ndtri(np.maximum(below, _LEAST)), -ndtri(np.clip(above, _LEAST, 1.0)))


def _chosen(pair: DiscretePair, threshold: float) -> list[Range]:
    """The outcomes with log-ratio above `threshold` as ranges; of more than 48, those that matter most."""
    inside = np.concatenate([[False], pair.log_p - pair.log_q > threshold, [False]])
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    ranges = [(int(first), int(last) - 1) for first, last in zip(edges[::2], edges[1::2], strict=True)]

    def gain(each: Range) -> float:
        part = slice(each[0], each[1] + 1)
        ratios = pair.log_p[part] - pair.log_q[part] - threshold
        return float(np.sum(np.exp(pair.log_p[part]) * -np.expm1(-ratios)))

    return sorted(sorted(ranges, key=gain, reverse=True)[:_MOST_RANGES])


def _merged(pair: DiscretePair, order: float) -> list[Range]:
    """The outcomes in at most 48 contiguous ranges, merged where the Renyi sum loses least (greedily, with a heap)."""
    log_p, log_q = pair.log_p.tolist(), pair.log_q.tolist()
    size = len(log_p)
    top = float(np.max(order * pair.log_p - (order - 1) * pair.log_q))
    values = np.exp(order * pair.log_p - (order - 1) * pair.log_q - top).tolist()
    before, after = list(range(-1, size - 1)), list(range(1, size + 1))
    version = [0] * size  # -1: merged into its left neighbour

    def offer(left: int) -> tuple[float, int, int, int]:
        right = after[left]
        joint_p, joint_q = np.logaddexp(log_p[left], log_p[right]), np.logaddexp(log_q[left], log_q[right])
        joint = math.exp(order * joint_p - (order - 1) * joint_q - top)  # never above the sum of the two
        return values[left] + values[right] - joint, left, version[left], version[right]

    offers = [offer(left) for left in range(size - 1)]
    heapq.heapify(offers)
    ranges, spare = size, _FREE_LOSS * sum(values)
    while offers and (ranges > _MOST_RANGES or offers[0][0] <= spare):
        lost, left, mine, others = heapq.heappop(offers)
        right = after[left]
        if version[left] != mine or right == size or version[right] != others:
            continue  # one of the two has been merged since
        log_p[left] = float(np.logaddexp(log_p[left], log_p[right]))
        log_q[left] = float(np.logaddexp(log_q[left], log_q[right]))
        values[left] = math.exp(order * log_p[left] - (order - 1) * log_q[left] - top)
        version[left], version[right], after[left] = mine + 1, -1, after[right]
        ranges, spare = ranges - 1, spare - lost
        if after[left] < size:
            before[after[left]] = left
            heapq.heappush(offers, offer(left))
        if before[left] >= 0:
            heapq.heappush(offers, offer(before[left]))
    return [(left, after[left] - 1) for left in range(size) if version[left] >= 0]
