"""UCI Adult (census income) in LIBSVM's binary encoding, as the papers on private optimisation use it: a9a then a9a.t.

48,842 records, 123 columns of 0 and 1 and a column of ones for the intercept: 124, as in BLSGD's Table I (majority
0.761). The order of the rows is that of the two files. Source: R. Kohavi and B. Becker (1996), UCI Machine Learning
Repository; the encoding (from J. Platt) is by the LIBSVM data page. Not to be confused with the raw ``adult.data``,
whose rows with missing values some papers drop (45,222 are left).

In LIBSVM's format each line is ``label index:value index:value ...``, indices from 1. The whole text is turned into
numbers in one pass; which of them are labels, indices and values follows from where the colons and line ends stand.
Limits: numbers only, no comments and no ``qid``; a malformed text is an InputError, never a partly filled table.
"""

from __future__ import annotations

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.datasets.dataset import Contents, Float, TableFiles
from dpverify.datasets.files import DataFile
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


def parse_libsvm(text: bytes, *, columns: int, name: str = "the text") -> tuple[Float, Float]:
    """Parse a LIBSVM text.

    Parameters
    ----------
    text : bytes
        Lines as above; blank space after the last one is passed over, empty lines between are not.
    columns : int
        Number of features, d; larger indices are refused.
    name : str
        Names the text in error messages.

    Returns
    -------
    (features, labels)
        float64, shapes (n, d) and (n,).

    Raises
    ------
    InputError
        When the text is not in that format, or an index lies outside 1..d.
    """
    if not text.strip():
        raise InputError(f"{name} is empty", allowed="lines of the form 'label index:value ...'")
    characters = np.frombuffer(text.strip() + b"\n", dtype=np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    pairs = np.diff(np.searchsorted(np.flatnonzero(characters == ord(":")), ends), prepend=0)
    try:
        numbers = np.array(text.replace(b":", b" ").split()).astype(np.float64)
    except ValueError as problem:
        raise _malformed(name) from problem
    lengths = 1 + 2 * pairs
    if numbers.size != lengths.sum():
        raise _malformed(name)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    body = np.delete(numbers, starts).reshape(-1, 2)
    indices = body[:, 0].astype(np.int64)
    if (indices != body[:, 0]).any() or indices.min(initial=1) < 1 or indices.max(initial=1) > columns:
        raise InputError(f"{name} has indices outside 1..{columns}", allowed=f"whole numbers in 1..{columns}")
    features = np.zeros((len(pairs), columns))
    features[np.repeat(np.arange(len(pairs)), pairs), indices - 1] = body[:, 1]
    return features, numbers[starts]


def _malformed(name: str) -> InputError:
    return InputError(
        f"{name} is not in LIBSVM format", allowed="lines of the form 'label index:value index:value ...'"
    )


def register(registry: Registry) -> None:
    """Register the data set."""
    registry.datasets.add(ADULT.name, ADULT)
