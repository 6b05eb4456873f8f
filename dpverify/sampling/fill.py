"""Array-filling loops over the scalar samplers: a vector of noise inside a kernel, or a large sample for
Python.

What it is: ``state = fill_x(out, *parameters, *state)`` overwrites the one-dimensional array `out` and
returns the advanced state, four words. Inside jitted code the words can go straight on; in Python wrap them,
``state = as_state(fill_x(out, *state))``, because Numba gives them back as plain ints (see
:func:`dpverify.sampling.streams.as_state`).

Rests on and is limited by the samplers' own modules. One draw of the sampler per entry, in order of the
entries: filling two halves one after the other equals filling the whole.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

from dpverify.sampling.gumbel import gumbel
from dpverify.sampling.streams import State
from dpverify.sampling.xoshiro import uniform
from dpverify.sampling.ziggurat import exponential, laplace, normal

FloatArray: TypeAlias = npt.NDArray[np.float64]


@njit(cache=True, nogil=True)
def fill_uniform(out: FloatArray, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> State:
    """Fill a float64 array of shape (n,) with uniforms on [0, 1)."""
    for i in range(out.size):
        out[i], s0, s1, s2, s3 = uniform(s0, s1, s2, s3)
    return s0, s1, s2, s3


@njit(cache=True, nogil=True)
def fill_normal(out: FloatArray, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> State:
    """Fill a float64 array of shape (n,) with standard normals."""
    for i in range(out.size):
        out[i], s0, s1, s2, s3 = normal(s0, s1, s2, s3)
    return s0, s1, s2, s3


@njit(cache=True, nogil=True)
def fill_exponential(out: FloatArray, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> State:
    """Fill a float64 array of shape (n,) with exponentials of mean 1."""
    for i in range(out.size):
        out[i], s0, s1, s2, s3 = exponential(s0, s1, s2, s3)
    return s0, s1, s2, s3


@njit(cache=True, nogil=True)
def fill_laplace(out: FloatArray, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> State:
    """Fill a float64 array of shape (n,) with Laplace draws of scale 1."""
    for i in range(out.size):
        out[i], s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
    return s0, s1, s2, s3


@njit(cache=True, nogil=True)
def fill_gumbel(out: FloatArray, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> State:
    """Fill a float64 array of shape (n,) with standard Gumbels."""
    for i in range(out.size):
        out[i], s0, s1, s2, s3 = gumbel(s0, s1, s2, s3)
    return s0, s1, s2, s3
