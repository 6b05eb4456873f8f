"""Parts of a double: its sign, exponent, last set bit, and the bits of its significand.

A double that is not 0 is an odd integer times 2^l; `last_bit` gives l. Doubles of one binade are the multiples of one
power of two, so q + noise, rounded, is a multiple of the coarser of the two steps of the noise's and the sum's binade.
The possible last bits at an output therefore depend on its distance from the answer (Mironov, "On Significance of the
Least Significant Bits for Differential Privacy", CCS 2012, section 4).

All functions are exact. Zeros (of either sign) get the lowest exponent and the highest last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.core.subjects import Float

Codes = NDArray[np.int64]

LOWEST, HIGHEST = -1100, 1100
"""Beyond the exponents of all doubles, subnormal ones included."""

SIGNIFICAND = 52
"""Stored bits of a double's significand."""

_SPAN = HIGHEST - LOWEST + 1


def last_bit(values: ArrayLike) -> Codes:
    """The exponent l of the last set bit: the value is an odd integer times 2^l. Shape as given."""
    fraction, exponent = np.frexp(np.asarray(values, dtype=np.float64))
    whole = np.ldexp(fraction, SIGNIFICAND + 1).astype(np.int64)
    zeros = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return np.where(whole == 0, HIGHEST, exponent.astype(np.int64) - (SIGNIFICAND + 1) + zeros)


def binade(values: ArrayLike) -> Codes:
    """The e with 2^e <= abs(value) < 2^(e + 1), and the sign, as one code: 2 e, one more where the sign bit is set."""
    given = np.asarray(values, dtype=np.float64)
    fraction, exponent = np.frexp(given)
    power = np.where(fraction == 0, LOWEST, exponent.astype(np.int64) - 1)
    return 2 * power + np.signbit(given)


def packed(*codes: Codes) -> Codes:
    """Combine several codes of one value into one, which is equal only where all are. Up to five codes fit."""
    total = np.zeros_like(codes[0])
    for code in codes:
        total = total * (2 * _SPAN) + (code - 2 * LOWEST)
    return total


def bits(values: ArrayLike) -> NDArray[Any]:
    """The 52 stored bits of the significand, lowest first: uint8, shape (..., 52)."""
    words = np.ascontiguousarray(np.asarray(values, dtype=np.float64)).view(np.uint64)
    places = np.arange(SIGNIFICAND, dtype=np.uint64)
    return ((words[..., None] >> places) & np.uint64(1)).astype(np.uint8)


def binade_text(code: int) -> str:
    """``+[2^-3, 2^-2)``."""
    power, negative = code >> 1, code & 1
    sign = "-" if negative else "+"
    return f"{sign}0" if power == LOWEST else f"{sign}[2^{power}, 2^{power + 1})"


def floats(values: NDArray[Any], column: int) -> Float:
    """One coordinate of outputs of shape (m,) or (m, k)."""
    return np.asarray(values if values.ndim == 1 else values[:, column], dtype=np.float64)
