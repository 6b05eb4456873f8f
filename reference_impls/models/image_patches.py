"""Kernels of the layers on images: patches as columns (im2col), patches added back, pooling.

Images have the shape (records, channels, height, width).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@njit(cache=True, nogil=True)
def patches_of(images: Float, side: int) -> Float:
    """The patches of `side` x `side`, shape (records, channels * side * side, places): a row a patch number."""
    records, channels, height, width = images.shape
    rows, columns = height - side + 1, width - side + 1
    out = np.empty((records, channels * side * side, rows * columns))
    for i in range(records):
        for c in range(channels):
            for k in range(side * side):
                number = out[i, c * side * side + k]
                for row in range(rows):
                    line = images[i, c, row + k // side]
                    for column in range(columns):
                        number[row * columns + column] = line[column + k % side]
    return out


@njit(cache=True, nogil=True)
def add_patches(images: Float, patches: Float, side: int) -> None:
    """Add every patch number to the pixel that it was read from; shapes as in :func:`patches_of`."""
    records, channels, height, width = images.shape
    rows, columns = height - side + 1, width - side + 1
    for i in range(records):
        for c in range(channels):
            for k in range(side * side):
                number = patches[i, c * side * side + k]
                for row in range(rows):
                    line = images[i, c, row + k // side]
                    for column in range(columns):
                        line[column + k % side] += number[row * columns + column]


@njit(cache=True, nogil=True)
def pool(largest: Float, places: Integer, images: Float, side: int) -> None:
    """Write each square's largest number and its place in the flat record; as numpy's argmax, the first of several.

    A nan is larger than all numbers. `largest` and `places` have the shape (records, channels, height / side, width /
    side).
    """
    records, channels, rows, columns = largest.shape
    _, _, height, width = images.shape
    for i in range(records):
        for c in range(channels):
            for row in range(rows):
                for column in range(columns):
                    up, left = row * side, column * side
                    found, place = images[i, c, up, left], up * width + left
                    for y in range(up, up + side):
                        for x in range(left, left + side):
                            value = images[i, c, y, x]
                            # without a branch: processors cannot predict which number is larger
                            better = (value > found) | ((value != value) & (found == found))
                            place = y * width + x if better else place
                            found = value if better else found
                    largest[i, c, row, column] = found
                    places[i, c, row, column] = c * height * width + place
