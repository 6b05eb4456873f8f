"""Refutes claims on code that may have hidden randomness: by counts, and by laws weighted with counts.

A program may use unrecorded randomness (a generator made inside, the operating system's). Then a seemingly certain
value is only likely, so a finding on a recorded callable refutes by new, independent runs alone:

- *differences*: the test "a replay of the shown values on the second data set, with independent coins, must show
  something else" is a random function of the shown values, whatever randomness the program uses. Its rejections are
  counted in new runs of the unchanged program on both data sets, and the claim is tested with the region of the two
  rates.
- *laws*: if k new runs on each side all show the same noise-free values first, these have at least probability u =
  ALPHA^(1/k) on either side. An event with probabilities p and q under the recorded laws then has at least u p on one
  side and at most q + 1 - u on the other.

- *log-ratios*: the log-ratio of the densities of all shown values, including sequences of releases, is a random
  function of the shown values as well (`likelihood_ratio`). An event on it is chosen on separate runs and counted in
  new ones.

All need k to grow with the claimed epsilon. Where no outcome of `MOST` runs could refute, none are made. Every counted
run must agree to the bit with the unchanged program.

Assumption: runs are independent (no state is kept between them), and recorded noise has exactly its declared law.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from scipy import special

from auditors.privacy.event_bounds import Goal
from auditors.privacy.replay.laws import (
    ProvedPoint,
    ReplayBound,
    all_beyond,
    beyond_plane,
    bound_by_point,
    first_call,
    moved_values,
    one_scale,
)
from auditors.privacy.replay.runs import Replayer, Runs, best_event, hits, one_step, scores, until_coin
from dpverify.core.evidence import Enclosed
from dpverify.core.subjects import Float, Pair
from dpverify.core.transcript import GAUSSIAN, LAPLACE, Step, Transcript
from dpverify.stats.joint import JointRegion

ALPHA = 1e-12
"""Error probability of one test; a task has fewer than a thousand, so the total is below 1e-9."""

FEWEST, MOST = 64, 4096
"""New runs a side."""

PILOT = (128, 512)
"""Runs a side for choosing an event on whole histories: the second number where many runs are needed."""

SELECTION_BIAS = 0.5
"""Standard deviations by which the rates of the best-looking event are corrected for selection."""

_EDGE = 1e-9  # relative; far above the rounding error of p and q


def sizes(most: int = MOST) -> Iterator[int]:
    """Possible numbers of runs, in increasing order."""
    size = FEWEST
    while size <= most:
        yield size
        size *= 2


def by_counts(
    replayer: Replayer, goal: Goal, runs: Runs, place: int, event: str, most: int = MOST
) -> ReplayBound | None:
    """Test a certain difference in at most `most` new runs; None where they could not refute, or do not."""
    direction = int(runs.reverse)
    for size in sizes(most):
        best = goal.finding(_region(size, 0, size), direction)
        if best.excess > 0 and (best.measure is goal.headline or 2 * size > most):  # reports show the headline
            break
    else:
        return None
    hits = [0, 0]
    for fresh in range(size):
        for side in (0, 1):  # alternating, so that a drift of the program affects both sides
            hits[side] += replayer.rejects(runs, f"count {place} {fresh}", second=bool(side))
    return _said_by_counts(goal, hits[0], hits[1], size, direction, event)


def by_log_ratio(replayer: Replayer, goal: Goal, pair: Pair) -> tuple[ReplayBound, bool] | None:
    """Test an event on whole histories; None where the runs would not refute, or do not.

    The result says whether the event is more likely on d1. It is chosen on `PILOT` runs a side, and again on more if
    many runs are needed to count it.
    """
    most = max(sizes(), default=0)
    perfect = [_region(most, 0, most)] if most else []
    if not any(goal.refutes(region, reverse) for region in perfect for reverse in (0, 1)):
        return None
    for pilot in PILOT:
        selection = scores(replayer, pair, f"odds {pilot}", pilot)
        needed = _runs_needed(goal, selection)
        if needed is None:
            return None
        size = min(2 * needed, MOST)  # corrects for the pilot's choice of the best-looking event
        if size < MOST:
            break
    threshold, direction = best_event(goal, selection, size, ALPHA)
    found = [hits(side, threshold, direction) for side in scores(replayer, pair, "count odds", size)]
    event = (
        f"the log-ratio of densities of all that is shown is {'above' if direction == 0 else 'below'} {threshold:.6g}"
    )
    said = _said_by_counts(goal, found[direction], found[1 - direction], size, direction, event)
    return None if said is None else (said, bool(direction))


def _region(k1: int, k2: int, size: int) -> JointRegion:
    return JointRegion(k1=k1, n1=size, k2=k2, n2=size, alpha=ALPHA)


def _said_by_counts(goal: Goal, k1: int, k2: int, size: int, direction: int, event: str) -> ReplayBound | None:
    """The result of an event's counts in `size` new runs a side; None where they do not refute."""
    finding = goal.finding(_region(k1, k2, size), direction)
    if not finding.excess > 0:
        return None
    said = bound_by_point(finding, f"{event} ({k1} of {size} fresh runs against {k2} of {size})")
    return replace(said, value=Enclosed(value=finding.bound, proved=False), fresh=size, hits=(k1, k2))


def _runs_needed(goal: Goal, selection: list[Float]) -> int | None:
    """The smallest number of runs that refutes at the pilot's rates, corrected for selection; None above `MOST`."""
    pilot = selection[0].size
    for size in sizes():
        threshold, direction = best_event(goal, selection, size, ALPHA)
        p, q = (
            hits(selection[side], threshold, direction) / selection[side].size for side in (direction, 1 - direction)
        )
        bias = [SELECTION_BIAS * math.sqrt(max(rate * (1.0 - rate), 1.0 / pilot) / pilot) for rate in (p, q)]
        k1, k2 = max(math.floor(size * (p - bias[0])), 0), min(math.ceil(size * (q + bias[1])), size)
        if goal.refutes(_region(k1, k2, size), direction):
            return size
    return None


def by_laws(replayer: Replayer, goal: Goal, runs: Runs, place: int, most: int = MOST) -> ReplayBound | None:
    """Test the noisy values shown first, given the probability of their noise-free values; None as for `by_counts`."""
    for size in sizes(most):
        said = weighed(goal, runs, ALPHA ** (1.0 / size))
        if said is not None and said.excess > 0 and (said.measure is goal.headline or 2 * size > most):
            break
    else:
        return None
    for second, seen in ((False, runs.first), (True, runs.second)):
        wanted = _first_call(seen)
        for fresh in range(size):
            run = replayer.fresh(runs, f"law {place} {fresh}", second=second)
            found = [] if run is None else _first_call(run)
            if len(found) != len(wanted) or not all(map(one_step, wanted, found)):
                return None
    return replace(said, event=f"{said.event} ({size} fresh runs a side with the same noise-free values)", fresh=size)


def weighed(goal: Goal, runs: Runs, sure: float) -> ReplayBound | None:
    """The best event on the values shown first, whose noise-free values have at least probability `sure`."""
    direction, best = int(runs.reverse), None
    for p, q, told in _events(runs):
        low, high = allowed_rates(p, q, sure)
        beyond = low - goal.allowed(direction)(high)
        at = int(np.argmax(beyond))
        if best is None or beyond[at] > best[0]:
            best = float(beyond[at]), float(p[at]), float(q[at]), told(at)
    if best is None:
        return None
    _, p_here, q_here, words = best
    low_p, high_q = allowed_rates(np.array(p_here), np.array(q_here), sure)
    finding = goal.finding(ProvedPoint(p=float(low_p), q=float(high_q)), direction)
    return replace(
        bound_by_point(finding, words),
        value=Enclosed(value=finding.bound, proved=False),
        laws=(p_here, q_here),
    )


def allowed_rates(p: Float, q: Float, sure: float) -> tuple[Float, Float]:
    """The least and the largest probability of an event, p and q by the laws, that stands in at least `sure` runs."""
    low = np.clip(p * sure * (1.0 - _EDGE) - _EDGE, 0.0, 1.0)
    return low, np.clip(q * (1.0 + _EDGE) + _EDGE + 1.0 - sure, 0.0, 1.0)


Events = tuple[np.ndarray, np.ndarray, Callable[[int], str]]
"""Probabilities of some events on both sides, and the words for each."""


def _events(runs: Runs) -> Iterator[Events]:
    """Probabilities of events on both sides under the recorded laws, as arrays of equal shapes."""
    noisy = runs.comparison.noisy
    for one, other in first_call(noisy):
        if one.law == other.law and one.law in (LAPLACE, GAUSSIAN):
            for at in np.flatnonzero(~one_scale(one, other))[:8]:
                yield from _two_scales(one, other, int(at))
    moves = sorted(moved_values(runs.pair, noisy, LAPLACE), key=lambda each: -each.ratio)[:60]
    if moves:
        p = 0.5 ** np.arange(1, len(moves) + 1)
        sums = np.cumsum([each.ratio for each in moves])
        yield p, p * np.exp(-sums), lambda at: all_beyond(moves[: at + 1], "Laplace")
    normal = moved_values(runs.pair, noisy, GAUSSIAN)
    if normal:
        edge = np.linspace(-6.0, 6.0, 241)
        length = math.hypot(*(each.ratio for each in normal))
        yield special.ndtr(-edge), special.ndtr(-edge - length), lambda at: beyond_plane(normal, float(edge[at]))


def _two_scales(one: Step, other: Step, at: int) -> Iterator[Events]:
    """Events inside and outside intervals around the first side's location."""
    scale, width, gap = float(one.scale[at]), float(other.scale[at]), float(other.clean[at] - one.clean[at])
    slack = one.slack + other.slack

    def beyond(x: np.ndarray) -> np.ndarray:
        if one.law == GAUSSIAN:
            return np.asarray(special.ndtr(-x))
        return np.asarray(np.where(x >= 0, 0.5 * np.exp(-np.abs(x)), 1.0 - 0.5 * np.exp(-np.abs(x))))

    radius = np.geomspace(0.02, 30.0, 200) * max(scale, width)
    least = [2.0 * beyond((radius + slack) / scale), 2.0 * beyond((radius - slack) / scale)]
    ends = [
        [beyond((radius + sign * slack - gap) / width) + beyond((radius + sign * slack + gap) / width)]
        for sign in (-1.0, 1.0)
    ]
    place = f"{one.name}[{at}]"
    yield least[0], ends[0][0], lambda which: f"{place} beyond {radius[which]:.6g} of {one.clean[at]:.6g}"
    yield (
        1.0 - least[1],
        1.0 - ends[1][0],
        lambda which: f"{place} within {radius[which]:.6g} of {one.clean[at]:.6g}",
    )


def _first_call(run: Transcript) -> list[Step]:
    """Values shown up to and including the first call with noise, without numbers that follow from earlier noise."""
    kept: list[Step] = []
    call = None
    for step in until_coin(run):
        if step.kind == "noisy":
            call = step.call if call is None else call
            if step.call != call:
                break
        elif call is not None:
            break
        if step.slack == 0 or step.kind == "noisy":
            kept.append(step)
    return kept
