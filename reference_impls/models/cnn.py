"""Convolutional networks by text: ``cnn:1x28x28:6@5-max2-16@5-max2-256-128-10``, softmax cross-entropy.

The text starts with the image, channels x height x width; a record's columns are its pixels, channel by channel, row by
row. Then come the layers: ``6@5`` is a convolution with 6 kernels of 5 x 5 (``6@3p1``: with a border of zeros of width
1), ``max2`` is max-pooling of squares of 2 x 2, a number is a dense layer of that width. The last number is the number
of classes. An activation (ReLU, or what ``:tanh`` or ``:sigmoid`` at the end says) follows each convolution and dense
layer but the last. All of them have biases.

:data:`BLSGD_MNIST` is the network of BLSGD, section V-G (DISS, section 5.6.7), on MNIST and Fashion-MNIST. The print
leaves kernels, padding and pooling open; here kernels are 5 x 5 without padding, as LeNet's, and pooling is by 2.
:data:`BLSGD_CIFAR` is the network on CIFAR-10, with kernels of 3 x 3 and padding 1. The fully connected layers "with
width 256 and 128" (4096, 1024 and 512) are read as hidden widths. But 256 and 4096 are also the numbers of inputs that
the convolutions leave, so the authors may have listed inputs: leave the first width out for that reading.

:data:`ADADP_CIFAR` is the network of ADADP ("Datasets and test architectures"): two convolutions of 64 channels, 1600
numbers out of them, two hidden layers of 500. As printed, with kernels of 3 x 3, pooling by 2 cannot leave 1600 (it
does not divide, and without the rest leaves 64 x 6 x 6 = 2304); kernels of 5 x 5 do.

Not to be confused with convolutions in the signal's sense: kernels are not flipped.
"""

from __future__ import annotations

import math
import re

from dpverify.core.errors import InputError
from reference_impls.models.mlp import dense_layers
from reference_impls.models.network import Network
from reference_impls.models.network_image import Convolution, MaxPool, Shape
from reference_impls.models.network_layers import ACTIVATIONS, Activation, Layer

TEXTS = "cnn:1x28x28:6@5-max2-256-10[:tanh|:sigmoid]"
BLSGD_MNIST = "cnn:1x28x28:6@5-max2-16@5-max2-256-128-10"
BLSGD_CIFAR = "cnn:3x32x32:32@3p1-64@3p1-max2-128@3p1-128@3p1-max2-256@3p1-256@3p1-max2-4096-1024-512-10"
ADADP_CIFAR = "cnn:3x32x32:64@5-max2-64@5-max2-500-500-10"
_LAYER = r"(?:\d+@\d+(?:p\d+)?|max\d+)"
_TEXT = re.compile(
    rf"cnn:(\d+)x(\d+)x(\d+):((?:{_LAYER}-)*)(\d+(?:-\d+)*)(?::({'|'.join(ACTIVATIONS)}))?", flags=re.ASCII
)


def build(text: str) -> Network | None:
    """The network that ``cnn:...`` names; None for other texts.

    Raises
    ------
    InputError
        For a text ``cnn:...`` that cannot be read, or whose layers do not fit the image.
    """
    if text.partition(":")[0] != "cnn":
        return None
    found = _TEXT.fullmatch(text)
    if found is None or 0 in map(int, re.findall(r"(?<!p)\d+", text, flags=re.ASCII)):
        raise InputError(f"model {text!r}", allowed=TEXTS, remedy="write the image, image layers, widths and classes")
    channels, height, width, image_layers, widths, activation = found.groups(default=ACTIVATIONS[0])
    shape: Shape = (int(channels), int(height), int(width))
    columns = math.prod(shape)
    layers: list[Layer] = []
    for word in filter(None, image_layers.split("-")):
        added, shape = _image_layers(word, shape, activation)
        layers += added
    sizes = [int(size) for size in widths.split("-")]
    return Network(
        name=text.removesuffix(f":{ACTIVATIONS[0]}"),
        columns=columns,
        classes=sizes[-1],
        activation=activation,
        layers=(*layers, *dense_layers([math.prod(shape), *sizes], activation)),
    )


def _image_layers(word: str, shape: Shape, activation: str) -> tuple[list[Layer], Shape]:
    """The layers that one word of the text stands for, on images of `shape`, and the shape of their outputs."""
    if word.startswith("max"):
        pool = MaxPool(shape=shape, side=int(word[3:]))
        return [pool], pool.outputs
    kernels, side, padding = re.fullmatch(r"(\d+)@(\d+)(?:p(\d+))?", word).groups(default="0")  # type: ignore[union-attr]  # the text matched
    convolution = Convolution(shape=shape, kernels=int(kernels), side=int(side), padding=int(padding))
    return [convolution, Activation(kind=activation, held=2 * math.prod(convolution.outputs))], convolution.outputs
