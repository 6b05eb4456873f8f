"""The LIBSVM text format, read fast into a dense table.

Each line is ``label index:value index:value ...``, indices from 1. The whole text is turned into numbers in one pass;
which of them are labels, indices and values follows from where the colons and line ends stand.

Limits: numbers only, no comments and no ``qid``; a malformed text is an InputError, never a partly filled table.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError

Float = NDArray[np.float64]


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
