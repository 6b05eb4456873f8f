"""UCI Adult (census income) in LIBSVM's binary encoding, as the papers on private optimisation use it: a9a then a9a.t.

48,842 records, 123 columns of 0 and 1 and a column of ones for the intercept: 124, as in BLSGD's Table I (majority
0.761). The order of the rows is that of the two files. Source: R. Kohavi and B. Becker (1996), UCI Machine Learning
Repository; the encoding (from J. Platt) is by the LIBSVM data page.

Not to be confused with the raw ``adult.data``, whose rows with missing values some papers drop (45,222 are left).
"""

from __future__ import annotations

import numpy as np

from dpverify.core.registry import Registry
from dpverify.datasets.dataset import Contents, Float, TableFiles
from dpverify.datasets.files import DataFile
from dpverify.datasets.libsvm import parse_libsvm
from dpverify.datasets.preprocessing import with_intercept

_PAGE = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"
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


def _parse(contents: Contents) -> tuple[Float, Float]:
    parts = [parse_libsvm(each.data, columns=_FEATURES, name=str(each.path)) for each in contents]
    return with_intercept(np.concatenate([part[0] for part in parts])), np.concatenate([part[1] for part in parts])


ADULT = TableFiles(
    name="adult",
    files=(TRAIN, TEST),
    parse=_parse,
    rows=48_842,
    columns=_FEATURES + 1,
    source="UCI Adult (R. Kohavi, B. Becker, 1996), LIBSVM encoding a9a + a9a.t",
    licence="CC BY 4.0",
)
"""Features of shape (48842, 124) in {0, 1}, the last the intercept; labels -1 (at most 50K) and +1."""


def register(registry: Registry) -> None:
    """Register the data set."""
    registry.datasets.add(ADULT.name, ADULT)
