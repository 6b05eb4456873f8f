"""Convolution and pooling: SciPy's correlation, adjoints, ties, images that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import correlate

from dpverify.core.errors import InputError
from reference_impls.models.network_image import Convolution, MaxPool

RNG = np.random.default_rng(4)


@pytest.mark.parametrize("padding", [0, 2])
def test_convolution_is_scipys_correlation(padding: int) -> None:
    layer = Convolution(shape=(3, 7, 6), kernels=4, side=3, padding=padding)
    weights, images = RNG.normal(size=layer.size), RNG.normal(size=(2, 3, 7, 6))
    found, _ = layer.forward(weights, images.reshape(2, -1))
    padded = np.pad(images, ((0, 0), (0, 0), (padding,) * 2, (padding,) * 2))
    kernels = weights[:108].reshape(4, 3, 3, 3)
    for image in range(2):
        for k in range(4):
            wanted = correlate(padded[image], kernels[k], mode="valid")[0] + weights[108 + k]
            assert found[image, k] == pytest.approx(wanted, rel=1e-12)


def test_backward_is_the_adjoint_of_forward() -> None:
    """<deltas, A x> = <A' deltas, x> for the linear part A, padded and overlapping."""
    layer = Convolution(shape=(2, 5, 6), kernels=3, side=4, padding=1)
    weights = RNG.normal(size=layer.size)
    weights[-3:] = 0.0
    images, deltas = RNG.normal(size=(1, 2, 5, 6)), RNG.normal(size=(1, *layer.outputs))
    outputs, kept = layer.forward(weights, images)
    back, _ = layer.backward(weights, kept, deltas, first=False)
    assert (back * images).sum() == pytest.approx((deltas * outputs).sum(), rel=1e-12)


def test_pooling_takes_the_first_of_equals() -> None:
    layer = MaxPool(shape=(1, 2, 4), side=2)
    images = np.array([[[[1.0, 1.0, 0.0, 3.0], [1.0, 1.0, 5.0, 2.0]]]])
    outputs, kept = layer.forward(np.empty(0), images)
    assert outputs.tolist() == [[[[1.0, 5.0]]]]
    back, _ = layer.backward(np.empty(0), kept, np.array([[10.0, 20.0]]), first=False)
    assert back is not None
    assert back.tolist() == [[[[10.0, 0.0, 0.0, 0.0], [0.0, 0.0, 20.0, 0.0]]]]


def test_images_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="side 5 on an image of 4 x 9"):
        Convolution(shape=(1, 4, 9), kernels=1, side=5)
    with pytest.raises(InputError, match="side 0 on an image of 4 x 9"):
        Convolution(shape=(1, 4, 9), kernels=1, side=0)
    with pytest.raises(InputError, match="side 1 on an image of 4 x 9"):
        Convolution(shape=(1, 4, 9), kernels=1, side=1, padding=-1)
    with pytest.raises(InputError, match="side -1 on an image of 4 x 9"):
        Convolution(shape=(1, 4, 9), kernels=1, side=-1)
    with pytest.raises(InputError, match="a side that divides both"):
        MaxPool(shape=(1, 4, 9), side=2)
