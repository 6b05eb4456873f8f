"""How the papers keep and prepare their tables: every column in [0, 1], an intercept, labels -1 and +1.

The files of the authors of DP-AGD (Lee and Kifer 2018) and RSGD are lines of one length, blanks between finite numbers,
the label (0 or 1) last, no header. Not to be confused with the LIBSVM format, whose entries have an index.

Scaling is RSGD's (section 5): each column by its own least and largest value. Limits: it looks at the data, which a
private pipeline must not do for nothing; here the scaled table *is* the data. Rows are not in the unit ball: see
:meth:`~dpverify.datasets.table.Table.normalised`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.datasets.dataset import Contents

Float = NDArray[np.float64]


def scaled(columns: Float) -> Float:
    """Each column from its own least and largest value to [0, 1]; shape (n, d). A column of one value becomes zeros."""
    low, high = columns.min(axis=0), columns.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    return np.asarray((columns - low) / width)


def with_intercept(columns: Float) -> Float:
    """The columns and one of ones, shape (n, d + 1)."""
    features = np.ones((columns.shape[0], columns.shape[1] + 1))
    features[:, :-1] = columns
    return features


def signed(marks: Float, *, name: str) -> Float:
    """Labels -1 and +1 for 0 and 1, shape (n,); InputError, which calls the data `name`, for another label."""
    known = np.isin(marks, (0.0, 1.0))
    if not known.all():
        raise InputError(f"{name} with label {marks[~known][0]:g}", allowed="labels 0 and 1")
    return 2.0 * marks - 1.0


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

    InputError as :func:`parse_blank_separated` does, and for a label that is neither 0 nor 1.
    """
    (content,) = contents
    numbers = parse_blank_separated(content.data, columns=columns + 1, name=str(content.path))
    return with_intercept(scaled(numbers[:, :-1])), signed(numbers[:, -1], name=str(content.path))
