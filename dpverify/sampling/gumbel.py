"""Standard Gumbel draws, the noise of report-noisy-max versions of the exponential mechanism.

What it is: minus the logarithm of an exponential draw. Rests on the definition of the law: P(G <= g) =
exp(-exp(-g)) is P(E >= exp(-g)). Adding independent Gumbel noise to scores and taking the largest samples the
softmax of the scores (the Gumbel-max trick).

Limits: those of :mod:`dpverify.sampling.ziggurat`; values above about 35 (probability 1e-15) are not
resolved. Not to be confused with the minimum-type Gumbel law, which is its mirror image
(``scipy.stats.gumbel_l``).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from dpverify.sampling.xoshiro import Real
from dpverify.sampling.ziggurat import exponential


@njit(cache=True, nogil=True)
def gumbel(s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> Real:
    """Draw a float64 from the standard Gumbel law (location 0, scale 1, mean Euler's constant, variance pi^2 / 6)."""
    x, s0, s1, s2, s3 = exponential(s0, s1, s2, s3)
    return -math.log(x), s0, s1, s2, s3
