"""Whole tables as experiments prepare them: rows in the unit ball, pixels from -1 to 1, a part of the records."""

from __future__ import annotations

import numpy as np

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table


def unit_rows(table: Table) -> Table:
    """Every row of L2 norm above 1 scaled down to 1."""
    return table.normalised()


def centred_pixels(table: Table) -> Table:
    """Features from [0, 1] to [-1, 1]."""
    return Table(
        features=2.0 * table.features - 1.0, labels=table.labels, name=f"{table.name}, -1 to 1", source=table.source
    )


def first_rows(table: Table, *, count: int) -> Table:
    """The first `count` records; InputError where there are fewer."""
    if count > table.rows:
        raise InputError(f"the first {count} of {table.rows} records", allowed=f"at most {table.rows}")
    return table.take(np.arange(count), name=f"{table.name}, the first {count}")
