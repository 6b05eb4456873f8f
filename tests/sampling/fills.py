"""Loops over samplers that only tests fill arrays with."""

import numpy as np
import numpy.typing as npt
from numba import njit

from dpverify.sampling.poisson_subset import geometric
from dpverify.sampling.streams import State
from dpverify.sampling.xoshiro import next_uint64


@njit(cache=True, nogil=True)
def fill_uint64(out: npt.NDArray[np.uint64], s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> State:
    """Fill a uint64 array of shape (n,) with the generator's words."""
    for i in range(out.size):
        out[i], s0, s1, s2, s3 = next_uint64(s0, s1, s2, s3)
    return s0, s1, s2, s3


@njit(cache=True, nogil=True)
def fill_geometric(
    out: npt.NDArray[np.int64], scale: float, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64
) -> State:
    """Fill an int64 array of shape (n,) with skips, for ``scale = skip_scale(rate)``."""
    for i in range(out.size):
        out[i], s0, s1, s2, s3 = geometric(scale, s0, s1, s2, s3)
    return s0, s1, s2, s3
