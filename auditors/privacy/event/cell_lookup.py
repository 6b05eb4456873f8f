"""Finds the cell of each of many numbers like ``numpy.searchsorted(edges, values, side="right")``, without branches.

Edges fit into the first-level cache, and draws are unordered, so a search spends most time on mispredicted branches.
Very few edges are therefore all compared with every number. The range of more edges is cut into equal pieces: a
multiplication gives a number's piece, a table the number of edges before it, and every number is compared with as many
edges as the fullest piece has. If a piece has too many edges, all numbers take the same d steps through a table padded
to 2^d - 1 edges. Limits: edges are finite, and no number is NaN (such outputs are refused before).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.lazy_njit import exact_njit as njit
from dpverify.core.subjects import Float

_BLOCK = 1024  # numbers whose cell indices stay in the first-level cache
_FEW, _FEW_COUNTED = 8, 16  # up to so many edges are all compared with every number, for its cell, and to count cells
_FEWEST, _CROWDED = 64, 4  # fewest pieces; most edges in a piece that are compared one by one
_FINER = 64  # with so many numbers for each edge, four times as many pieces pay off


def cell_numbers(values: NDArray[Any], edges: Float) -> NDArray[np.int64]:
    """How many of the increasing `edges`, shape (c,), lie at or below each of `values`, shape (m,): 0..c."""
    found = np.empty(len(values), dtype=np.int64)
    _number(_plain(values), _plain(edges), found)
    return found


def cell_counts(values: NDArray[Any], edges: Float) -> NDArray[np.int64]:
    """Number of `values`, shape (m,), in each cell, shape (c + 1,); equals counting `cell_numbers`."""
    found = np.zeros(edges.size + 1, dtype=np.int64)
    _count(_plain(values), _plain(edges), found)
    return found


def add_steps(total: Float, values: NDArray[Any], edges: Float, steps: Float) -> None:
    """Add to `total`, shape (m,), the step of each number's cell; `steps`, shape (c + 1,)."""
    _add(_plain(values), _plain(edges), steps, total)


@njit(cache=True, nogil=True)
def look_up(keys: NDArray[np.uint64], known: NDArray[np.uint64], ratios: Float, found: Float) -> None:
    """Write the ratio of each key, shape (m,), that is among the increasing `known`; other entries are unchanged."""
    depth = int(np.ceil(np.log2(known.size + 1.0)))
    padded = np.full(2**depth - 1, known[-1])
    padded[: known.size] = known
    for i in range(keys.size):
        place = np.uint64(0)
        for power in range(depth - 1, -1, -1):  # a shift, as in `_search`
            last = np.uint64((1 << power) - 1)
            place += np.uint64(padded[place + last] <= keys[i]) << np.uint64(power)
        place = min(place, np.uint64(known.size))
        if place > 0 and known[place - np.uint64(1)] == keys[i]:
            found[i] = ratios[place - np.uint64(1)]


def _plain(values: NDArray[Any]) -> Float:
    return np.ascontiguousarray(values, dtype=np.float64)


@njit(cache=True, nogil=True)
def _buckets(edges: Float, size: int) -> tuple[float, float, NDArray[np.uint32], Float, int]:
    """Equal pieces of the edges' span: its start, pieces a unit, edges before each, the edges padded, most in one.

    There are more pieces for more numbers (`size`), and none for few edges, which are all compared.

    The piece is monotone in the number even with rounding, so edges in earlier pieces are below the number, and those
    in later ones above.
    """
    if edges.size <= _FEW:
        return 0.0, 0.0, np.zeros(1, dtype=np.uint32), edges, 0
    pieces, wanted = _FEWEST, (16 if size > _FINER * edges.size else 4) * edges.size
    while pieces < wanted:
        pieces *= 2
    before = np.zeros(pieces + 1, dtype=np.uint32)
    low = edges[0]
    rate = pieces / (edges[-1] - low) if edges[-1] > low else 0.0
    if not np.isfinite(rate):
        rate = 0.0
    for i in range(edges.size):
        before[int(_piece(edges[i], low, rate, pieces)) + 1] += 1
    most = before.max()
    for i in range(pieces):
        before[i + 1] += before[i]
    most = most if most <= _CROWDED else 0
    full = 2 ** int(np.ceil(np.log2(edges.size + 1.0))) - 1
    padded = np.full(max(edges.size + most, full), np.nan)  # which is below no number
    for i in range(edges.size):
        padded[i] = edges[i]
    return low, rate, before, padded, most


@njit(cache=True, nogil=True, forceinline=True)
def _piece(x: float, low: float, rate: float, pieces: int) -> np.uint64:
    place = (x - low) * rate
    place = place if place > 0.0 else 0.0  # NaN for an infinite number
    return np.uint64(place if place < pieces - 1.0 else pieces - 1.0)


@njit(cache=True, nogil=True)
def _search(
    values: Float,
    low: float,
    rate: float,
    before: NDArray[np.uint32],
    padded: Float,
    most: int,
    place: NDArray[np.uint64],
) -> None:
    pieces = before.size - 1
    if pieces == 0:
        place[:] = 0
        for edge in padded:
            for i in range(values.size):
                place[i] += np.uint64(edge <= values[i])
    elif most == 1:
        for i in range(values.size):
            found = np.uint64(before[_piece(values[i], low, rate, pieces)])
            place[i] = found + np.uint64(padded[found] <= values[i])
    elif most == 2:
        for i in range(values.size):
            found = np.uint64(before[_piece(values[i], low, rate, pieces)])
            found += np.uint64(padded[found] <= values[i])
            place[i] = found + np.uint64(padded[found] <= values[i])
    elif most > 0:
        for i in range(values.size):
            found = np.uint64(before[_piece(values[i], low, rate, pieces)])
            for _ in range(most):
                found += np.uint64(padded[found] <= values[i])
            place[i] = found
    else:  # bisection, one step for all numbers at a time
        place[:] = 0
        for power in range(int(np.log2(padded.size + 1.0)) - 1, -1, -1):
            last = np.uint64((1 << power) - 1)
            for i in range(values.size):  # a shift: of a product with a truth value the compiler makes a branch
                place[i] += np.uint64(padded[place[i] + last] <= values[i]) << np.uint64(power)


@njit(cache=True, nogil=True)
def _number(values: Float, edges: Float, found: NDArray[np.int64]) -> None:
    low, rate, before, padded, most = _buckets(edges, values.size)
    for start in range(0, values.size, _BLOCK):
        block = values[start : start + _BLOCK]
        _search(block, low, rate, before, padded, most, found[start : start + _BLOCK].view(np.uint64))


@njit(cache=True, nogil=True)
def _count(values: Float, edges: Float, found: NDArray[np.int64]) -> None:
    if edges.size <= _FEW_COUNTED:
        _count_few(values, edges, found)
        return
    low, rate, before, padded, most = _buckets(edges, values.size)
    place = np.empty(_BLOCK, dtype=np.uint64)
    for start in range(0, values.size, _BLOCK):
        block = values[start : start + _BLOCK]
        _search(block, low, rate, before, padded, most, place[: block.size])
        for i in range(block.size):
            found[place[i]] += 1


@njit(cache=True, nogil=True)
def _count_few(values: Float, edges: Float, found: NDArray[np.int64]) -> None:
    """The same by comparing every number with every edge, on vectors."""
    for start in range(0, values.size, _BLOCK):
        block = values[start : start + _BLOCK]
        before = 0
        for i in range(edges.size):
            edge, below = edges[i], 0
            for j in range(block.size):
                below += int(block[j] < edge)
            found[i] += below - before
            before = below
        found[edges.size] += block.size - before


@njit(cache=True, nogil=True)
def _add(values: Float, edges: Float, steps: Float, total: Float) -> None:
    low, rate, before, padded, most = _buckets(edges, values.size)
    place = np.empty(_BLOCK, dtype=np.uint64)
    for start in range(0, values.size, _BLOCK):
        block = values[start : start + _BLOCK]
        _search(block, low, rate, before, padded, most, place[: block.size])
        for i in range(block.size):
            total[start + i] += steps[place[i]]
