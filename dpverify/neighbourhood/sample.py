"""A sample of an example that is too large to be audited in seconds: neighbours are made from so many records at most.

A claim about one record more or less holds for data sets of every size, so a part of an example is an example, too.
Under other relations the size is public, and a mechanism may know it: there no part is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.datasets.neighbors.relation import keeps_size
from dpverify.sampling.streams import stream

MOST = 100_000
"""Records."""


def sample_of(data: Any, *, relation: str | None, seed: int) -> tuple[Any, str]:
    """The example, or `MOST` of its records in their order, drawn by the seed; and a line where it is not the whole.

    Raises
    ------
    InputError
        For more records under a relation of neighbours of one size.
    """
    size = _size(data)
    if size <= MOST:
        return data, ""
    if relation is not None and keeps_size(relation):
        raise InputError(
            f"data: {size} records under {relation}, whose neighbours have the example's size",
            allowed=f"at most {MOST}",
            remedy="pass a part of them, and the mechanism's parameters for that size",
        )
    places = np.sort(stream(seed, "records of the example").choice(size, MOST, replace=False))
    return _taken(data, places), f"of {size} records {MOST} were taken, drawn by the seed: an example needs no more"


def _size(data: Any) -> int:
    """Records; 0 where the data are of no known kind, and refused later."""
    parts = data.values() if isinstance(data, Mapping) else data if _is_arrays(data) else [data]
    sizes = [len(part) if hasattr(part, "__len__") else 0 for part in parts]
    return sizes[0] if len(set(sizes)) == 1 else 0


def _taken(data: Any, places: NDArray[np.int64]) -> Any:
    if isinstance(data, Mapping):
        return {name: _taken(column, places) for name, column in data.items()}
    if _is_arrays(data):
        return tuple(_taken(part, places) for part in data)
    if isinstance(data, list | tuple):
        return type(data)([data[place] for place in places.tolist()])
    if hasattr(data, "iloc"):  # of pandas
        return data.iloc[places]
    if isinstance(data, np.ndarray):
        return data[places]
    return data.take(places) if hasattr(data, "take") else data[places.tolist()]  # of Arrow, of polars


def _is_arrays(data: Any) -> bool:
    return isinstance(data, tuple) and len(data) == 2 and all(isinstance(part, np.ndarray) for part in data)
