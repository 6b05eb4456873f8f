"""Plain tables of numbers: lines of one length, blanks between, the label last.

The form in which the authors of DP-AGD (Lee and Kifer 2018) and RSGD keep their data: no header, labels 0 and 1.

Limits: numbers only, finite. Not to be confused with the LIBSVM format, whose entries have an index.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.datasets.dataset import Contents
from dpverify.datasets.preprocessing import scaled, signed, with_intercept

Float = NDArray[np.float64]


def parse_blank_separated(text: bytes, *, columns: int, name: str = "the text") -> Float:
    """The numbers, float64, shape (n, columns).

    Parameters
    ----------
    text : bytes
        Blanks before a line's end are passed over, and empty lines.
    columns : int
        Of every line, the label included.
    name : str
        Names the text in error messages.

    Raises
    ------
    InputError
        When there is no line, a line of another length, or something that is no finite number.
    """
    lengths = {len(line.split()) for line in text.splitlines()} - {0}
    if lengths != {columns}:
        found = ", ".join(str(length) for length in sorted(lengths)[:4]) or "no"
        raise InputError(f"{name} with lines of {found} columns", allowed=f"lines of {columns}")
    try:
        numbers = np.array(text.split()).astype(np.float64).reshape(-1, columns)
    except ValueError as problem:
        raise InputError(f"{name} with something that is no number", allowed="numbers and blanks") from problem
    if not np.isfinite(numbers).all():
        raise InputError(f"{name} with numbers that are not finite", allowed="finite numbers")
    return numbers


def parse_prepared(contents: Contents, *, columns: int) -> tuple[Float, Float]:
    """Features, shape (n, columns + 1), and labels -1 and +1 of one file: scaled, with an intercept, the label last.

    Raises
    ------
    InputError
        As :func:`parse_blank_separated` does, and for a label that is neither 0 nor 1.
    """
    (content,) = contents
    numbers = parse_blank_separated(content.data, columns=columns + 1, name=str(content.path))
    return with_intercept(scaled(numbers[:, :-1])), signed(numbers[:, -1], name=str(content.path))
