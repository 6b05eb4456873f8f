"""The best of 36 against the best of 6 at equal truth: how large the gaps of ADPSGD, Table 2, are by selection alone.

Every pair (beta, C) of ADP-SGD and every beta of DP-SGD has the same true accuracy here; each is the mean of five runs
with the standard deviation x between runs, and the best mean is reported, as the table does.
"""

from __future__ import annotations

import numpy as np

RUNS = 5


def best_of(*, x: float, rng: np.random.Generator, tries: int) -> dict[str, float]:
    """``accuracy``: by how many points the best of `tries` means of five runs lies above the truth.

    Parameters
    ----------
    x : float
        Standard deviation of a run, in points; the table prints 0.1 to 0.65.
    """
    means = rng.normal(scale=x, size=(tries, RUNS)).mean(axis=1)
    return {"accuracy": float(means.max())}
