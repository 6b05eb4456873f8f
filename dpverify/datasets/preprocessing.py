"""How the papers prepare their tables: every column in [0, 1], an intercept, labels -1 and +1.

Scaling is RSGD's (section 5): each column by its own least and largest value. Limits: it looks at the data, which a
private pipeline must not do for nothing; here the scaled table *is* the data. Rows are not in the unit ball: see
:meth:`~dpverify.datasets.table.Table.normalised`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError

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
