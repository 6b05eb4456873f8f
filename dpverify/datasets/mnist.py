"""MNIST and Fashion-MNIST: 28 x 28 grey images in ten classes; training and test sets under names of their own.

60,000 and 10,000 records of 784 pixels, row by row, divided by 255, so in [0, 1]; labels 0 .. 9; no intercept (networks
have biases). BLSGD (section V-B) scales pixels to [-1, 1] instead: take ``2 * features - 1``.

Sources: Y. LeCun, C. Cortes, C. Burges (1998); H. Xiao, K. Rasul, R. Vollgraf, arXiv:1708.07747 (2017). The files have
the same names in both, and lie below ``mnist/`` and ``fashion_mnist/``.

Limits: a training set is 376 MB in memory; the last two tables that were loaded are kept.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from dpverify.core.errors import InputError
from dpverify.datasets.dataset import Dataset
from dpverify.datasets.files import DataFile, are_here, locate, read
from dpverify.datasets.idx import parse_idx
from dpverify.datasets.table import Table

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

_MNIST = "MNIST (Y. LeCun, C. Cortes, C. Burges, 1998)"
_FASHION = "Fashion-MNIST (H. Xiao, K. Rasul, R. Vollgraf, 2017)"
_PIXELS = 784


def _file(folder: str, name: str, sha256: str, packed: str) -> DataFile:
    return DataFile(folder=folder, name=name, sha256=sha256, packing=".gz", packed_sha256=packed)


FILES = {
    "mnist": (
        _file(
            "mnist",
            "train-images-idx3-ubyte",
            "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
            "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        ),
        _file(
            "mnist",
            "train-labels-idx1-ubyte",
            "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
            "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        ),
    ),
    "mnist-test": (
        _file(
            "mnist",
            "t10k-images-idx3-ubyte",
            "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
            "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        ),
        _file(
            "mnist",
            "t10k-labels-idx1-ubyte",
            "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
            "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        ),
    ),
    "fashion-mnist": (
        _file(
            "fashion_mnist",
            "train-images-idx3-ubyte",
            "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
            "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        ),
        _file(
            "fashion_mnist",
            "train-labels-idx1-ubyte",
            "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
            "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        ),
    ),
    "fashion-mnist-test": (
        _file(
            "fashion_mnist",
            "t10k-images-idx3-ubyte",
            "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
            "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        ),
        _file(
            "fashion_mnist",
            "t10k-labels-idx1-ubyte",
            "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
            "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
        ),
    ),
}
"""Images and labels of each set."""


def load_images(name: str) -> Table:
    """Load a set: ``mnist``, ``mnist-test``, ``fashion-mnist`` or ``fashion-mnist-test``.

    Raises
    ------
    InputError
        For another name, or when a file is missing, truncated or altered: one line that names it and the remedy.
    """
    if name not in FILES:
        raise InputError(f"image set {name!r}", allowed=", ".join(FILES))
    paths = [locate(file) for file in FILES[name]]
    marks = [mark for status in (path.stat() for path in paths) for mark in (status.st_mtime_ns, status.st_size)]
    return _parse(name, tuple(map(str, paths)), tuple(marks))


@lru_cache(maxsize=2)
def _parse(name: str, _paths: tuple[str, ...], _marks: tuple[int, ...]) -> Table:
    """Parse once, and again when the files have moved or changed: the last two arguments are there to notice that."""
    (path, images), (label_path, labels) = (read(file) for file in FILES[name])
    pixels = parse_idx(images, dimensions=3, name=str(path))
    return Table(
        features=pixels.reshape(len(pixels), -1) / 255.0,
        labels=parse_idx(labels, dimensions=1, name=str(label_path)).astype(np.float64),
        name=name,
        source=_source(name),
        sha256="+".join(file.sha256 for file in FILES[name]),
    )


def images_available(name: str) -> bool:
    """Whether both files lie in one of the data folders (their checksums are looked at by the loader only)."""
    return are_here(*FILES[name])


def _source(name: str) -> str:
    return _FASHION if name.startswith("fashion") else _MNIST


def register(registry: Registry) -> None:
    """Register the four sets."""
    for name in FILES:
        registry.datasets.add(
            name,
            Dataset(
                name=name,
                load=partial(load_images, name),
                available=partial(images_available, name),
                rows=10_000 if name.endswith("-test") else 60_000,
                columns=_PIXELS,
                source=_source(name),
                licence="MIT" if name.startswith("fashion") else "CC BY-SA 3.0, as often given; its page states none",
            ),
        )
