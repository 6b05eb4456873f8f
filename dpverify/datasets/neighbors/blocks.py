"""Vectors in blocks: a few breakpoints and a level for each block, the shape that extreme query vectors have.

The worst pairs known for threshold and selection mechanisms (StatDP's and DP-Sniper's patterns, the X shape, one query
up and the rest down) are constant on at most four blocks, whatever the number of queries. So an optimiser searches a
dozen numbers instead of thousands. This is a search space and no theorem: the supremum over blocks never exceeds the
supremum over all pairs, and may lie below it.
"""

from __future__ import annotations

import numpy as np

from dpverify.core.subjects import Float

MOST_BLOCKS = 4


def block_count(size: int) -> int:
    """How many blocks a vector of `size` entries is cut into: at most four, at most one an entry."""
    return min(MOST_BLOCKS, size)


def starts(fractions: Float, size: int) -> Float:
    """Where the second, third ... block starts.

    `fractions`, shape (k - 1,): breakpoints in [0, 1], in any order. The scale is logarithmic from both ends (0.5 is
    the middle), so that a first or a last block of one entry out of thousands is as easy to hit as a half. `size`:
    length of the vector.

    Returns
    -------
    shape (k - 1,), integers in [0, size] in increasing order; equal ones leave a block empty.
    """
    inside = np.clip(np.asarray(fractions, dtype=np.float64), 0.0, 1.0)
    near = np.minimum(inside, 1.0 - inside)
    offset = np.rint(np.expm1(2.0 * near * np.log1p(size / 2.0)))
    return np.sort(np.where(inside <= 0.5, offset, size - offset)).astype(np.int64)


def in_blocks(values: Float, cuts: Float, size: int) -> Float:
    """The vector of `size` entries with ``values[j]`` on the j-th block."""
    return np.asarray(values, dtype=np.float64)[np.searchsorted(cuts, np.arange(size), side="right")]


def on_levels(point: Float, size: int, *, low: float, high: float) -> Float:
    """The vector of `size` entries that k - 1 breakpoints and k levels, clipped to [low, high], stand for.

    `point`, shape (2 k - 1,) or more: with k = ``block_count(size)``, or one block where there are no entries; what
    follows is not looked at.
    """
    k = max(block_count(size), 1)
    return in_blocks(np.clip(point[k - 1 : 2 * k - 1], low, high), starts(point[: k - 1], size), size)


def stretched(fraction: Float) -> Float:
    """[-1, 1] onto [-1, 1], flat on the outer eighth at either end: extremes get a volume that searches can hit."""
    return np.clip(np.asarray(fraction, dtype=np.float64) * (4.0 / 3.0), -1.0, 1.0)
