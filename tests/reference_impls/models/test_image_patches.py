"""Kernels of image layers beside numpy's windows and argmax, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from reference_impls.models.image_patches import add_patches, patches_of, pool

RNG = np.random.default_rng(5)
IMAGES = RNG.normal(size=(3, 2, 6, 8))


@pytest.mark.parametrize("side", [1, 2, 3, 6])
def test_patches_are_windows_that_slide(side: int) -> None:
    windows = sliding_window_view(IMAGES, (6 - side + 1, 8 - side + 1), axis=(2, 3))
    assert (patches_of(IMAGES, side) == windows.reshape(3, 2 * side * side, -1)).all()


@pytest.mark.parametrize("side", [1, 2, 3, 6])
def test_every_patch_number_goes_back_to_its_pixel(side: int) -> None:
    """The adjoint of taking patches: pixel numbers as patches find their own pixel, and products agree."""
    found, pixels = np.zeros_like(IMAGES), np.arange(float(IMAGES.size)).reshape(IMAGES.shape)
    add_patches(found, patches_of(pixels, side), side)
    times = np.zeros_like(IMAGES)
    add_patches(times, np.ones_like(patches_of(pixels, side)), side)
    assert (found == pixels * times).all()
    weights, by_slices = RNG.normal(size=patches_of(IMAGES, side).shape), np.zeros_like(IMAGES)
    offsets = weights.reshape(3, 2, side, side, 6 - side + 1, 8 - side + 1)
    for i, j in np.ndindex(side, side):
        by_slices[:, :, i : i + 6 - side + 1, j : j + 8 - side + 1] += offsets[:, :, i, j]
    back = np.zeros_like(IMAGES)
    add_patches(back, weights, side)
    assert (back == by_slices).all()
    assert (back * IMAGES).sum() == pytest.approx((weights * patches_of(IMAGES, side)).sum(), rel=1e-12)


def test_the_largest_of_each_square_is_numpys_first() -> None:
    images = IMAGES.round(0)  # many equal numbers
    images[0, 0, 1, 1], images[1, 1, 2, 3], images[1, 1, 3, 3] = np.nan, np.nan, np.inf
    images[2, 0, 0, 0], images[2, 0, 1, 1], images[2, 1, 0, 1], images[2, 1, 1, 0] = 4 * [np.nan]
    largest = np.empty((3, 2, 3, 4))
    places = np.empty(largest.shape, dtype=np.int64)
    pool(largest, places, images, 2)
    squares = images.reshape(3, 2, 3, 2, 4, 2).transpose(0, 1, 2, 4, 3, 5).reshape(3, 2, 3, 4, 4)
    numbers = np.arange(96).reshape(2, 3, 2, 4, 2).transpose(0, 1, 3, 2, 4).reshape(2, 3, 4, 4)
    at = squares.argmax(axis=-1)
    assert np.array_equal(largest, squares.max(axis=-1), equal_nan=True)
    assert (places == np.take_along_axis(np.broadcast_to(numbers, squares.shape), at[..., None], axis=-1)[..., 0]).all()
