"""Plain tables of numbers: lines of one length, blanks between, the label last; and how the papers scale them.

The form in which the authors of DP-AGD (Lee and Kifer 2018) and RSGD keep their data: no header, labels 0 and 1.
Scaling is theirs (RSGD, section 5): every column to [0, 1] by its own least and largest value; a column of ones for the
intercept is added.

Limits: numbers only, finite. Not to be confused with the LIBSVM format, whose entries have an index.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table

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


def labelled(numbers: Float, *, name: str, source: str, sha256: str) -> Table:
    """A table of all columns but the last, scaled to [0, 1], then ones; the last, 0 or 1, are its labels -1 or +1.

    A column of one value becomes zeros.

    Raises
    ------
    InputError
        For another label.
    """
    marks = numbers[:, -1]
    if not np.isin(marks, (0.0, 1.0)).all():
        raise InputError(f"{name} with label {marks[~np.isin(marks, (0.0, 1.0))][0]:g}", allowed="labels 0 and 1")
    features = np.ones(numbers.shape)
    features[:, :-1] = scaled(numbers[:, :-1])
    return Table(features=features, labels=2.0 * marks - 1.0, name=name, source=source, sha256=sha256)


def scaled(columns: Float) -> Float:
    """Each column from its own least and largest value to [0, 1]; shape (n, d). A column of one value becomes zeros."""
    low, high = columns.min(axis=0), columns.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    return np.asarray((columns - low) / width)
