"""The kernel of `dpverify.stats.betting` in plain Python, the same to the bit, for audits too short to load numba."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpverify.stats.betting import STOP_WEALTH
from dpverify.stats.rounding import FloatArray


def _bet(
    kinds: NDArray[np.int8],
    payoffs: FloatArray,
    limits: FloatArray,
    counts: NDArray[np.int64],
    wealth: FloatArray,
    peak: FloatArray,
) -> None:
    """Bet on each pair in turn, in place; the operations and their order are those of the kernel."""
    seen = [float(count) for count in counts]
    if wealth.size == 1:  # one claim: Python's numbers are faster than arrays of one
        z00, z01, z10, z11 = of = [float(row[0]) for row in payoffs]
        limit, now, highest = float(limits[0]), float(wealth[0]), float(peak[0])
        for kind in kinds.tolist():
            n00, n01, n10, n11 = seen
            total = n00 * z00 + n01 * z01 + n10 * z10 + n11 * z11
            square = 1.0 + n00 * z00 * z00 + n01 * z01 * z01 + n10 * z10 * z10 + n11 * z11 * z11
            bet = min(max(total / square, 0.0), limit)
            if now > STOP_WEALTH or now < 1.0 / STOP_WEALTH:
                bet = 0.0
            now *= 1.0 + bet * of[kind]
            highest = max(highest, now)
            seen[kind] += 1.0
        wealth[0], peak[0] = now, highest
    else:
        z00, z01, z10, z11 = payoffs
        for kind in kinds.tolist():
            n00, n01, n10, n11 = seen
            total = n00 * z00 + n01 * z01 + n10 * z10 + n11 * z11
            square = 1.0 + n00 * z00 * z00 + n01 * z01 * z01 + n10 * z10 * z10 + n11 * z11 * z11
            bet = np.minimum(np.maximum(total / square, 0.0), limits)
            bet[(wealth > STOP_WEALTH) | (wealth < 1.0 / STOP_WEALTH)] = 0.0
            wealth *= 1.0 + bet * payoffs[kind]
            np.maximum(peak, wealth, out=peak)
            seen[kind] += 1.0
    counts[:] = np.asarray(seen, dtype=np.int64)
