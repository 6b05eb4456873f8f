"""Poisson subsets by geometric skips: the cost depends on the records taken, not on those skipped.

What it is: when every one of n records enters with probability q, independently, the number of records passed
over before the next one taken is geometric, P(skip >= k) = (1 - q)^k, and floor(E / -log(1 - q)) has that law
for E exponential of mean 1.

Rests on: Devroye, "Non-Uniform Random Variate Generation" (1986), chapter X.2. Assumes n below 2**62.

Limits: q is used through -1 / log(1 - q) rounded to float64, so inclusion probabilities are good to about 1e-15
relative; q below about 1e-13 is limited by the grid of the exponential draws (see :mod:`dpverify.sampling.ziggurat`).

Not to be confused with subsets of a fixed size (a different law, and different amplification bounds), nor
with the geometric law that counts trials from 1 (``scipy.stats.geom``, one larger).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from numba import njit

from dpverify.core.errors import InputError
from dpverify.sampling.xoshiro import Integer
from dpverify.sampling.ziggurat import exponential

NEVER = 2**62
"""A skip beyond any data set, as for rate zero; adding an index to it does not overflow."""


def skip_scale(rate: float) -> float:
    """Return -1 / log(1 - rate), by which jitted code turns exponential draws into skips.

    Parameters
    ----------
    rate : float
        The sampling rate q, in [0, 1].

    Returns
    -------
    float
        The scale in [0, inf]: 0 takes every record, inf none.

    Raises
    ------
    InputError
        If the rate is not in [0, 1].
    """
    if not 0.0 <= rate <= 1.0:
        raise InputError(
            f"sampling rate {rate!r}", allowed="[0, 1]", remedy="for an expected batch size b of n records pass b / n"
        )
    if rate in (0.0, 1.0):
        return math.inf if rate == 0.0 else 0.0
    return -1.0 / math.log1p(-rate)


@njit(cache=True, nogil=True, forceinline=True)
def geometric(scale: float, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> Integer:
    """Draw an int64 in {0, ..., NEVER}: the failures before the first success.

    P(skip >= k) = exp(-k / scale) = (1 - q)^k.

    `scale` is ``skip_scale(q)``. The next index after `i` that is taken is ``i + 1 + skip``; start with ``i =
    -1``.
    """
    x, s0, s1, s2, s3 = exponential(s0, s1, s2, s3)
    return np.int64(min(x * scale, float(NEVER))), s0, s1, s2, s3


@njit(cache=True, nogil=True)
def poisson_subset(
    out: npt.NDArray[np.int64], scale: float, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64
) -> Integer:
    """Write a Poisson subset of range(n) into an int64 array of shape (n,), rising, and return its size.

    Entries at and beyond the returned size are unchanged. `scale` is ``skip_scale(q)``.
    """
    count = np.int64(0)
    index, s0, s1, s2, s3 = geometric(scale, s0, s1, s2, s3)
    while index < out.size:
        out[count] = index
        count += 1
        skip, s0, s1, s2, s3 = geometric(scale, s0, s1, s2, s3)
        index += skip + 1
    return count, s0, s1, s2, s3
