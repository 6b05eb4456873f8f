"""xoshiro256++ with its state in registers: words, uniforms, bounded integers, coins.

What it is: a 256-bit generator whose state is four uint64 scalars, passed to and returned by every function,
``value, s0, s1, s2, s3 = f(..., s0, s1, s2, s3)``. Inside a jitted loop the compiler then keeps the state in
registers; the same generator with its state in an array was six times slower.

Rests on: Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators" (ACM TOMS 47(4), 2021),
xoshiro256++ 1.0: period 2**256 - 1, four-dimensionally equidistributed, no failure known in BigCrush. Lemire,
"Fast Random Integer Generation in an Interval" (ACM TOMACS 29(1), 2019), Algorithm 5, for bounded integers.

Assumes: the state is not all zero and its words are numpy.uint64 (see
:func:`dpverify.sampling.streams.state_from`); signed words are refused when the code is compiled. Starting
states are drawn at random, so two streams of 2**64 words overlap with probability about 2**-191.

Limits: not cryptographic; for verification, not for release. Callers that were compiled with ``cache=True``
are not recompiled by Numba when a function *here* changes: clear ``__pycache__`` after an edit.

Not to be confused with xoshiro256** and xoshiro256+, the same recurrence under other scramblers (the last has
weak low bits).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import njit

from dpverify.sampling.intrinsics import likely, multiply_high, rotate_left

Real: TypeAlias = tuple[float, np.uint64, np.uint64, np.uint64, np.uint64]
Integer: TypeAlias = tuple[np.int64, np.uint64, np.uint64, np.uint64, np.uint64]
Word: TypeAlias = tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]

_GRID_53 = 2.0**-53
_GRID_52 = 2.0**-52
_ZERO = np.uint64(0)


@njit(cache=True, nogil=True, forceinline=True)
def next_uint64(s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> Word:
    """Draw a uint64 uniform on all 2**64 words (over the period, short of one zero word)."""
    word = rotate_left(s0 + s3, 23) + s0
    shifted = s1 << 17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = rotate_left(s3, 45)
    return word, s0, s1, s2, s3


@njit(cache=True, nogil=True, forceinline=True)
def uniform(s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> Real:
    """Draw a float64 uniform on the multiples of 2**-53 in [0, 1): zero is possible, one is not."""
    word, s0, s1, s2, s3 = next_uint64(s0, s1, s2, s3)
    return np.int64(word >> 11) * _GRID_53, s0, s1, s2, s3


@njit(cache=True, nogil=True, forceinline=True)
def uniform_open(s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> Real:
    """Draw a float64 uniform on the odd multiples of 2**-53 in (0, 1).

    Safe under a logarithm, and symmetric about one half. 52 bits, not 53: the midpoints of a 53-bit grid do
    not all fit a float64, and the topmost would round to one.
    """
    word, s0, s1, s2, s3 = next_uint64(s0, s1, s2, s3)
    return (np.int64(word >> 12) + 0.5) * _GRID_52, s0, s1, s2, s3


@njit(cache=True, nogil=True)
def integer_below(bound: int, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64) -> Integer:
    """Draw an int64 uniform on {0, ..., bound - 1}, exactly: words that would favour some values are redrawn.

    `bound` must lie in [1, 2**63]; it is not checked, and 0 gives 0. One word a draw but for a chance of at
    most bound / 2**64.
    """
    size = np.uint64(bound)
    word, s0, s1, s2, s3 = next_uint64(s0, s1, s2, s3)
    remainder = word * size
    if likely(remainder >= size):
        return np.int64(multiply_high(word, size)), s0, s1, s2, s3
    surplus = (_ZERO - size) % size  # 2**64 mod bound, without leaving 64 bits
    while remainder < surplus:
        word, s0, s1, s2, s3 = next_uint64(s0, s1, s2, s3)
        remainder = word * size
    return np.int64(multiply_high(word, size)), s0, s1, s2, s3
