"""UCI Adult (census income) in LIBSVM's binary encoding, as the papers on private optimisation use it: a9a then a9a.t.

48,842 records, 123 columns of 0 and 1 and a column of ones for the intercept: 124, as in BLSGD's Table I (majority
0.761). The order of the rows is that of the two files. Source: R. Kohavi and B. Becker (1996), UCI Machine Learning
Repository; the encoding (from J. Platt) is by the LIBSVM data page.

Not to be confused with the raw ``adult.data``, whose rows with missing values some papers drop (45,222 are left).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from dpverify.datasets.dataset import Dataset
from dpverify.datasets.files import DataFile, are_here, locate, read
from dpverify.datasets.libsvm import parse_libsvm
from dpverify.datasets.table import Table

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

_PAGE = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"
_SOURCE = "UCI Adult (R. Kohavi, B. Becker, 1996), LIBSVM encoding a9a + a9a.t"
_FEATURES = 123

TRAIN = DataFile(
    folder="adult",
    name="a9a",
    packing=".xz",
    sha256="f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906",
    packed_sha256="c29ba1712cda2d99364ae1e252b73b609cf411473b79ebcfa1532ecf4d5e2cae",
    url=_PAGE + "a9a",
)
TEST = DataFile(
    folder="adult",
    name="a9a.t",
    packing=".xz",
    sha256="1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9",
    packed_sha256="b0450f2cdb813e648f3f86f981981ba2fb612e3f3b317c32d68717381cb6a72f",
    url=_PAGE + "a9a.t",
)


def load_adult(*, download: bool = False) -> Table:
    """Load Adult: features of shape (48842, 124) in {0, 1}, the last the intercept, labels -1 (at most 50K) and +1.

    Parameters
    ----------
    download : bool
        Fetch missing files into the user's cache; otherwise nothing is downloaded.

    Raises
    ------
    InputError
        When a file is missing, truncated or altered: one line that names it, both checksums and the remedy.
    """
    paths = [locate(file, download=download) for file in (TRAIN, TEST)]
    marks = [mark for status in (path.stat() for path in paths) for mark in (status.st_mtime_ns, status.st_size)]
    return _parse(tuple(map(str, paths)), tuple(marks))


@lru_cache(maxsize=1)
def _parse(_paths: tuple[str, ...], _marks: tuple[int, ...]) -> Table:
    """Parse once a process, and again when the files have moved or changed: the arguments are there to notice that."""
    features, labels = [], []
    for file in (TRAIN, TEST):
        path, content = read(file)
        values, marks = parse_libsvm(content, columns=_FEATURES, name=str(path))
        features.append(values)
        labels.append(marks)
    rows = sum(len(marks) for marks in labels)
    table = np.ones((rows, _FEATURES + 1))
    np.concatenate(features, out=table[:, :_FEATURES])
    return Table(
        features=table,
        labels=np.concatenate(labels),
        name="adult",
        source=_SOURCE,
        sha256=f"{TRAIN.sha256}+{TEST.sha256}",
    )


def adult_available() -> bool:
    """Whether both files lie in one of the data folders (their checksums are looked at by the loader only)."""
    return are_here(TRAIN, TEST)


def register(registry: Registry) -> None:
    """Register the data set."""
    registry.datasets.add(
        "adult",
        Dataset(
            name="adult",
            load=load_adult,
            available=adult_available,
            rows=48_842,
            columns=_FEATURES + 1,
            source=_SOURCE,
            licence="CC BY 4.0",
        ),
    )
