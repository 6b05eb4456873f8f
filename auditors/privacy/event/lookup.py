"""Which cell each of many numbers lies in: what ``numpy.searchsorted(edges, values, side="right")`` says, unbranched.

Edges are few and fit the nearest cache, while draws come in no order: of a search's time most goes into branches that
were guessed wrong. Here all numbers take the same d steps through a table padded to 2^d - 1 edges, on vectors.
Limits: finite edges, and no NaN among the numbers (outputs with one are refused before).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.core.protocols import Float

_BLOCK = 1024  # numbers whose places stay in the nearest cache


def cell_numbers(values: NDArray[Any], edges: Float) -> NDArray[np.int64]:
    """How many of the increasing `edges`, shape (c,), lie at or below each of `values`, shape (m,): 0..c."""
    found = np.empty(len(values), dtype=np.int64)
    _number(_plain(values), _padded(edges), edges.size, found)
    return found


def cell_counts(values: NDArray[Any], edges: Float) -> NDArray[np.int64]:
    """How many of `values`, shape (m,), lie in each cell: shape (c + 1,), what counting `cell_numbers` gives."""
    found = np.zeros(edges.size + 1, dtype=np.int64)
    _count(_plain(values), _padded(edges), edges.size, found)
    return found


def add_steps(total: Float, values: NDArray[Any], edges: Float, steps: Float) -> None:
    """Add to `total`, shape (m,), the step of each number's cell; `steps`, shape (c + 1,)."""
    _add(_plain(values), _padded(edges), edges.size, steps, total)


@njit(cache=True, nogil=True)
def look_up(keys: NDArray[np.uint64], known: NDArray[np.uint64], ratios: Float, found: Float) -> None:
    """Write the ratio of each key, shape (m,), where it is among the increasing `known`; others stay as they are."""
    most = 1
    while 2 * most <= known.size:
        most *= 2
    for i in range(keys.size):
        place, step = 0, most
        while step > 0:
            past = place + step
            place += step * int(past <= known.size and known[past - 1] <= keys[i])
            step >>= 1
        if place > 0 and known[place - 1] == keys[i]:
            found[i] = ratios[place - 1]


def _plain(values: NDArray[Any]) -> Float:
    return np.ascontiguousarray(values, dtype=np.float64)


def _padded(edges: Float) -> Float:
    """The edges, and infinities up to the next 2^d - 1: the most that d steps can tell apart."""
    table = np.full(2 ** int(edges.size).bit_length() - 1, np.inf)
    table[: edges.size] = edges
    return table


@njit(cache=True, nogil=True)
def _search(values: Float, table: Float, most: int, place: NDArray[np.int64]) -> None:
    """Halving, one step for all numbers at a time: loops without a branch, which run on vectors."""
    place[:] = 0
    step = (table.size + 1) >> 1
    while step > 0:
        for i in range(values.size):
            place[i] += step * (table[place[i] + step - 1] <= values[i])
        step >>= 1
    for i in range(values.size):
        place[i] = min(place[i], most)  # an infinite number passes the padding too


@njit(cache=True, nogil=True)
def _number(values: Float, table: Float, most: int, found: NDArray[np.int64]) -> None:
    for start in range(0, values.size, _BLOCK):
        _search(values[start : start + _BLOCK], table, most, found[start : start + _BLOCK])


@njit(cache=True, nogil=True)
def _count(values: Float, table: Float, most: int, found: NDArray[np.int64]) -> None:
    place = np.empty(_BLOCK, dtype=np.int64)
    for start in range(0, values.size, _BLOCK):
        block = values[start : start + _BLOCK]
        _search(block, table, most, place[: block.size])
        for i in range(block.size):
            found[place[i]] += 1


@njit(cache=True, nogil=True)
def _add(values: Float, table: Float, most: int, steps: Float, total: Float) -> None:
    place = np.empty(_BLOCK, dtype=np.int64)
    for start in range(0, values.size, _BLOCK):
        block = values[start : start + _BLOCK]
        _search(block, table, most, place[: block.size])
        for i in range(block.size):
            total[start + i] += steps[place[i]]
