"""The log-ratio of the densities of a run's shown values, and the event on it with the largest expected gain.

A run on a tape is replayed on the other data set, since the tape is its only randomness. A user's callable is first run
unchanged, with plain numbers. Then a replay on *each* data set, with independent coins, computes the likelihood of the
shown values. So the score is the same random function of the shown values on both data sets, and events on it may be
counted even if the recorder misses randomness (`dpverify.recording.release_likelihood`).
"""

from __future__ import annotations

import math

import numpy as np

from auditors.privacy.event_bounds import Goal, tightness, value
from auditors.privacy.replay.runs import Replayer, Runs
from dpverify.core.errors import AuditError
from dpverify.core.subjects import Float, Pair
from dpverify.core.transcript import LAPLACE, OTHER
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper

PLACES = 9
"""Decimals to which a loss is rounded.

Laplace noise gives atoms of equal losses, which floating point would split by the low bits of the shown values. That
leak is not the algorithm's; the `floating_point` auditor tests for it.
"""

HIDDEN = "a hidden coin comes before anything noisy is shown"


def log_likelihood_ratio(replayer: Replayer, pair: Pair, name: str, side: int) -> float:
    """log p(h) / q(h), p on d0 and q on d1, of the history h of a new run on d0 (side 0) or d1 (side 1)."""
    if replayer.recorded:
        found = replayer.weighed(pair, name, side)
    else:
        found = _log_ratio(replayer.runs(pair, name, reverse=bool(side))) * (1.0 if side == 0 else -1.0)
    return round(found, PLACES) if math.isfinite(found) else found


def scores(replayer: Replayer, pair: Pair, name: str, size: int) -> list[Float]:
    """Scores of independent runs on d0 and d1, alternating, so that a drift of the program affects both."""
    found = [[log_likelihood_ratio(replayer, pair, f"{name} {run}", side) for side in (0, 1)] for run in range(size)]
    return [np.array(each) for each in zip(*found, strict=True)]


def _log_ratio(runs: Runs) -> float:
    """Log-ratio of a history's densities, its data set over the other; infinite where the other cannot show it."""
    total = 0.0
    for one, other in runs.comparison.noisy:
        if one.law != other.law or one.law == OTHER:
            return total
        moved = [(one.value - step.clean) / step.scale for step in (one, other)]
        size = [np.abs(z) if one.law == LAPLACE else 0.5 * z * z for z in moved]
        total += float(np.sum(size[1] - size[0] + np.log(other.scale) - np.log(one.scale)))
    if runs.comparison.apart is not None:
        return math.inf
    if not runs.comparison.noisy and runs.comparison.coin is not None:
        raise AuditError(f"{HIDDEN}: {runs.comparison.coin.name} {runs.comparison.coin.where}")
    return total


def best_event(goal: Goal, selection: list[Float], runs: int, alpha: float) -> tuple[float, int]:
    """The threshold and direction of the event with the largest bound at the pilot's rates for a number of runs."""
    size = selection[0].size
    finite = np.concatenate([side[np.isfinite(side)] for side in selection])
    inner = np.unique(np.quantile(finite, np.linspace(0.0, 1.0, 200))) if finite.size else np.zeros(1)
    levels = np.concatenate([[inner[0] - 1.0], inner])
    best = (-math.inf, 0.0, 0)
    for direction in (0, 1):
        sign = 1.0 if direction == 0 else -1.0
        above = [np.count_nonzero(sign * side[:, None] > sign * levels, axis=0) / size for side in selection]
        k1, k2 = (np.rint(runs * above[side]).astype(np.int64) for side in (direction, 1 - direction))
        p = np.asarray(clopper_pearson_lower(k1, runs, alpha=alpha / 2), dtype=np.float64)
        q = np.asarray(clopper_pearson_upper(k2, runs, alpha=alpha / 2), dtype=np.float64)
        beyond = p - goal.allowed(direction)(q)
        gain = np.where(
            beyond > 0, 10.0 + beyond, np.minimum(tightness(goal.headline, value(goal.headline, p, q)), 9.0)
        )
        place = int(np.argmax(gain))
        if gain[place] > best[0]:
            best = float(gain[place]), float(levels[place]), direction
    return best[1], best[2]


def hits(found: Float, threshold: float, direction: int) -> int:
    """Number of scores on the event's side of the threshold."""
    return int(np.count_nonzero(found > threshold if direction == 0 else found < threshold))
