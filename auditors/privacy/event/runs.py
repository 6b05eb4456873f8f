"""Runs: intervals of numbers in which one side has more draws than its share, with their ends where the draws end.

Quantiles cut every part of the range at the same grain, so a narrow interval that one side prefers vanishes in a cell.
For a slope w the interval with the largest excess k0 - w k1 is the best of all intervals between draws (Kadane's
largest partial sum: Bentley, CACM 1984, here over the sorted draws of both sides); for growing slopes it is narrower
and more telling. Its ends become edges of cells (`tables`), on draws that build the cells. Thresholds are tried on
other draws, and the chosen event is counted in new ones, so that looking at all intervals costs no error probability.

Limits: one interval for each slope and direction; others in the same column are left to the quantiles, and so are ends
finer than a part in `MOST_ENDS` of the draws.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Float

SLOPES = np.exp(0.05 * 2.0 ** (np.arange(14) / 2.0))
"""Ratios that an interval's counts must exceed: e^0.05 to e^4.5."""

CLEARLY = 3.0
"""Standard errors by which they must do so."""

MOST_ENDS = 2**14
"""Places where an interval may end; of more draws than that, every second or third, say."""

OUTSIDE = 1 / 128
"""Share of the draws that must lie on either side of an interval: others are half-lines, which need no cells."""


def run_edges(first: NDArray[np.generic], second: NDArray[np.generic]) -> Float:
    """Ends of the intervals that one side clearly prefers, increasing, as edges of cells [edge, next edge).

    Parameters
    ----------
    first, second : arrays, shapes (m,), (n,)
        Draws of d0 and of d1.
    """
    values = np.concatenate([first, second]).astype(np.float64, copy=False)
    order = np.argsort(values)
    ordered = values[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] > ordered[:-1]]))
    places = np.append(starts[:: -(-starts.size // MOST_ENDS)], values.size)
    before = np.concatenate([[0], np.cumsum(order < first.size)])[places].astype(np.float64)
    sides = before, places - before
    found = []
    for more, less in (sides, sides[::-1]):
        for slope in SLOPES:
            excess = more - slope * less
            gain = excess - np.minimum.accumulate(excess)
            stop = int(np.argmax(gain))
            start = int(np.argmin(excess[: stop + 1]))
            inside = min(places[start], values.size - places[stop]) > OUTSIDE * values.size
            k1, k2 = more[stop] - more[start], less[stop] - less[start]
            if inside and gain[stop] > CLEARLY * np.sqrt(k1 + slope * slope * max(k2, 1.0)):
                found += [places[start], places[stop]]
    return np.unique(ordered[np.array(found, dtype=np.int64)])
