"""Multiple testing with one error budget: Bonferroni, Holm and e-BH. None of them needs independence.

Results: Bonferroni's union bound; Holm, Scandinavian Journal of Statistics 1979 (family-wise error, step down); e-BH of
Wang and Ramdas, arXiv 2009.02824 (false discovery rate from e-values under any dependence). Šidák's correction is left
out on purpose: the dependence between audits of one mechanism is not known.

Assumptions: the number of tests, or the list of shares, is fixed before the data. Limits: with the same alpha Holm
controls the chance of any false refutation, e-BH only the expected part of them among those reported. The largest
e-value of a family is not an e-value; their average is one (`dpverify.stats.betting.average_e_values`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.core.errors import InputError
from dpverify.stats.intervals import check_level
from dpverify.stats.rounding import FloatArray


class Rejections(NamedTuple):
    """Which hypotheses are rejected, and their adjusted p-values."""

    rejected: NDArray[np.bool_]
    adjusted: FloatArray


def bonferroni_share(alpha: float, *, tests: int) -> float:
    """The error probability of each of `tests` tests; never above alpha / tests.

    Raises
    ------
    InputError
        For alpha outside [1e-300, 1) or less than one test.
    """
    check_level(alpha)
    if tests < 1:
        raise InputError(f"{tests!r} tests", allowed="at least 1", remedy="count every look that could refute")
    share = alpha / tests
    return float(np.nextafter(share, 0.0)) if tests > 1 else share


def holm(p_values: ArrayLike, *, alpha: float) -> Rejections:
    """Holm's step-down procedure at family-wise error alpha, whatever the dependence.

    Parameters
    ----------
    p_values : array_like of float
        Shape (m,), in [0, 1].
    alpha : float
        Family-wise error probability.

    Returns
    -------
    Rejections
        ``rejected`` and ``adjusted`` of shape (m,), in the order given. Any false rejection has probability at most
        alpha.

    Raises
    ------
    InputError
        For an empty list or values outside [0, 1].
    """
    check_level(alpha)
    values = np.asarray(p_values, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.all((values >= 0.0) & (values <= 1.0)):
        raise InputError(f"p-values {p_values!r}", allowed="a list of numbers in [0, 1]", remedy="")
    # statsmodels' multipletests runs the garbage collector at each call (40 ms); the test compares with it
    order = np.argsort(values)
    steps = np.maximum.accumulate(values[order] * np.arange(values.size, 0, -1))
    adjusted = np.empty(values.shape)
    adjusted[order] = np.minimum(steps, 1.0)
    return Rejections(rejected=adjusted <= alpha, adjusted=adjusted)


def e_bh(e_values: ArrayLike, *, alpha: float) -> NDArray[np.bool_]:
    """e-BH: reject the k largest e-values, k the largest with e_(k) >= m / (alpha k).

    Parameters
    ----------
    e_values : array_like of float
        Shape (m,), at least 0; each of expectation at most 1 under its own hypothesis, in any dependence.
    alpha : float
        False discovery rate.

    Returns
    -------
    ndarray of bool
        Shape (m,). The expected part of false rejections among all is at most alpha.

    Raises
    ------
    InputError
        For an empty list or negative values.
    """
    check_level(alpha)
    values = np.asarray(e_values, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.all(values >= 0.0):
        raise InputError(f"e-values {e_values!r}", allowed="a list of numbers >= 0", remedy="")
    descending = np.sort(values)[::-1]
    ranks = np.arange(1, values.size + 1)
    enough = np.flatnonzero(descending * ranks * alpha >= values.size)
    if enough.size == 0:
        return np.zeros(values.size, dtype=np.bool_)
    return np.asarray(values >= descending[enough[-1]])
