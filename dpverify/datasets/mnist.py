"""MNIST and Fashion-MNIST: 28 x 28 grey images in ten classes; training and test sets under names of their own.

60,000 and 10,000 records of 784 pixels, row by row, divided by 255, so in [0, 1]; labels 0 .. 9; no intercept (networks
have biases). BLSGD (section V-B) scales pixels to [-1, 1] instead: take ``2 * features - 1``.

Sources: Y. LeCun, C. Cortes, C. Burges (1998); H. Xiao, K. Rasul, R. Vollgraf, arXiv:1708.07747 (2017). The files have
the same names in both, and lie below ``mnist/`` and ``fashion_mnist/``. Their format, IDX, is two zero bytes, the type
(8: unsigned byte, the only one read here), the number of dimensions, each dimension as a big-endian 32-bit number, and
then the bytes, the last dimension fastest. A malformed content is an InputError, never a partly filled array.

Limits: a training set is 376 MB in memory, and what was loaded is kept (`dpverify.datasets.files.forget` drops it).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.datasets.dataset import Contents, Float, TableFiles
from dpverify.datasets.files import DataFile

_PIXELS = 784
_SUMS = {
    "mnist": (
        (
            "train-images-idx3-ubyte",
            "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
            "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        ),
        (
            "train-labels-idx1-ubyte",
            "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
            "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        ),
    ),
    "mnist-test": (
        (
            "t10k-images-idx3-ubyte",
            "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
            "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        ),
        (
            "t10k-labels-idx1-ubyte",
            "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
            "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        ),
    ),
    "fashion-mnist": (
        (
            "train-images-idx3-ubyte",
            "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
            "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        ),
        (
            "train-labels-idx1-ubyte",
            "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
            "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        ),
    ),
    "fashion-mnist-test": (
        (
            "t10k-images-idx3-ubyte",
            "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
            "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        ),
        (
            "t10k-labels-idx1-ubyte",
            "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
            "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
        ),
    ),
}
"""Images and labels of each set: name, sha256, and that of the packed file."""


def _parse(contents: Contents) -> tuple[Float, Float]:
    images, labels = contents
    pixels = parse_idx(images.data, dimensions=3, name=str(images.path))
    marks = parse_idx(labels.data, dimensions=1, name=str(labels.path))
    return pixels.reshape(len(pixels), -1) / 255.0, marks.astype(np.float64)


def _images(name: str) -> TableFiles:
    fashion = name.startswith("fashion")
    return TableFiles(
        name=name,
        files=tuple(
            DataFile(
                folder="fashion_mnist" if fashion else "mnist",
                name=file,
                packing=".gz",
                sha256=sha256,
                packed_sha256=packed,
            )
            for file, sha256, packed in _SUMS[name]
        ),
        parse=_parse,
        rows=10_000 if name.endswith("-test") else 60_000,
        columns=_PIXELS,
        source="Fashion-MNIST (H. Xiao, K. Rasul, R. Vollgraf, 2017)"
        if fashion
        else "MNIST (Y. LeCun, C. Cortes, C. Burges, 1998)",
        licence="MIT" if fashion else "CC BY-SA 3.0, as often given; its page states none",
    )


IMAGE_SETS = {name: _images(name) for name in _SUMS}
"""``mnist``, ``mnist-test``, ``fashion-mnist`` and ``fashion-mnist-test``."""


UNSIGNED_BYTES = 8


def parse_idx(content: bytes, *, dimensions: int, name: str = "the content") -> NDArray[np.uint8]:
    """Parse an IDX content.

    Parameters
    ----------
    content : bytes
        The whole file, unpacked.
    dimensions : int
        How many the array must have: 3 for images, 1 for labels.
    name : str
        Names the content in error messages.

    Returns
    -------
    array
        uint8, read-only.

    Raises
    ------
    InputError
        When the content is not in that format, of that many dimensions, and exactly as long as it says.
    """
    start = 4 + 4 * dimensions
    if len(content) < start or content[:4] != bytes((0, 0, UNSIGNED_BYTES, dimensions)):
        raise InputError(f"{name} is no IDX file", allowed=f"unsigned bytes in {dimensions} dimensions")
    shape = tuple(int(size) for size in np.frombuffer(content, dtype=">u4", count=dimensions, offset=4))
    if len(content) != start + math.prod(shape):
        raise InputError(f"{name} has {len(content):,} bytes", allowed=f"{start + math.prod(shape):,} for {shape}")
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(shape)


def register(registry: Registry) -> None:
    """Register the four sets."""
    for name, images in IMAGE_SETS.items():
        registry.datasets.add(name, images)
