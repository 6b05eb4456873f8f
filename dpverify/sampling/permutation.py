"""Random orders and subsets of a fixed size, exactly uniform, over the register-state generator.

Rests on: the Fisher-Yates shuffle (Durstenfeld 1964) with exact bounded integers: every order has the same probability,
up to the generator's period (orders of more than 57 items outnumber its 256-bit states).

Not to be confused with Poisson subsets, whose size is random (:mod:`dpverify.sampling.poisson_subset`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from dpverify.sampling.streams import State
from dpverify.sampling.xoshiro import integer_below


@njit(cache=True, nogil=True)
def shuffle_start(
    out: npt.NDArray[np.int64], size: int, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64
) -> State:
    """Fill an int64 array of shape (n,) with range(n), its first `size` entries a uniform ordered sample of them.

    The other entries follow in no particular order; ``size = n`` gives a uniform permutation. One bounded integer for
    each entry.
    """
    for i in range(out.size):
        out[i] = i
    for i in range(min(size, out.size - 1)):
        j, s0, s1, s2, s3 = integer_below(out.size - i, s0, s1, s2, s3)
        out[i], out[i + j] = out[i + j], out[i]
    return s0, s1, s2, s3
