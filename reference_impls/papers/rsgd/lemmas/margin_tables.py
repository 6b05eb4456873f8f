"""Data sets of one feature, given as margins: records whose labels and features are multiplied.

Under a loss of z = y x w alone, a record (x, y) is its margin z = y x, so a table of one column is a vector of margins.
"""

from __future__ import annotations

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table


def margin_table(dataset: Dataset, *, turned: bool = False) -> Table:
    """The margins as records with label 1, read from the end where `turned`.

    Raises
    ------
    InputError
        For anything else than numbers in [-1, 1], shape (n,), n >= 1.
    """
    margins = np.asarray(dataset, dtype=np.float64)
    if margins.ndim != 1 or not margins.size or not (np.abs(margins) <= 1.0).all():
        raise InputError("a data set that is no vector of margins", allowed="numbers in [-1, 1], shape (n,), n >= 1")
    return Table(features=(margins[::-1] if turned else margins)[:, None], labels=np.ones(margins.size))
