"""L2 norms of the rows of a matrix, accurate for rows of any finite size.

A norm computed from squares that underflow would be zero, and a long gradient would then escape clipping.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
SQUARES = (1e-280, 1e300)
"""Sums of squares in this range have neither underflowed nor overflowed."""


def row_lengths(rows: Float) -> Float:
    """L2 norms of the rows, shape (k,), good to a few units in the last place; inf where the norm itself is too large.

    Rows whose squares leave the range of float64 are scaled by their largest number first.
    """
    squares = np.einsum("ij,ij->i", rows, rows)
    lengths = np.sqrt(squares)
    odd = np.flatnonzero((squares < SQUARES[0]) | (squares > SQUARES[1]))
    if odd.size:
        longest = np.abs(rows[odd]).max(axis=1, initial=0.0)
        longest[longest == 0.0] = 1.0
        scaled = rows[odd] / longest[:, None]
        with np.errstate(over="ignore"):
            lengths[odd] = longest * np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
    return np.asarray(lengths)
