"""Data sets as plain JSON values, so that a witness can be read, kept and handed to a mechanism again."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpverify.core.subjects import Dataset, Pair
from dpverify.datasets.neighbors.record_columns import columns_of

MOST_NUMBERS = 20_000
"""Larger arrays are named by shape and checksum: the pair comes back from the claim and the seed."""


def plain_pair(pair: Pair) -> dict[str, Any]:
    """``{"d0": ..., "d1": ..., "pair": label}``."""
    return {"d0": plain_dataset(pair.d0), "d1": plain_dataset(pair.d1), "pair": pair.label}


def plain_dataset(dataset: Dataset) -> Any:
    """Numbers, strings, lists and dicts; tables as dicts of their columns, dataclasses of their fields, sets sorted."""
    if isinstance(dataset, np.ndarray):
        if dataset.size > MOST_NUMBERS:
            content = (
                repr(dataset.tolist()).encode() if dataset.dtype.hasobject else np.ascontiguousarray(dataset).tobytes()
            )
            digest = hashlib.sha256(content).hexdigest()
            return {"shape": list(dataset.shape), "type": str(dataset.dtype), "sha256": digest}
        return dataset.tolist()
    columns = None if isinstance(dataset, Mapping | tuple) else columns_of(dataset)
    if columns is not None:
        return {name: plain_dataset(np.array(column) if _long(column) else column) for name, column in columns.items()}
    if isinstance(dataset, set | frozenset):
        return [plain_dataset(item) for item in sorted(dataset, key=repr)]
    if not isinstance(dataset, np.generic) and hasattr(dataset, "to_numpy"):  # a column of a table
        return plain_dataset(np.asarray(dataset.to_numpy()))
    if isinstance(dataset, np.generic):
        return dataset.item()
    if dataclasses.is_dataclass(dataset) and not isinstance(dataset, type):
        return {field.name: plain_dataset(getattr(dataset, field.name)) for field in dataclasses.fields(dataset)}
    if isinstance(dataset, Mapping):
        return {str(key): plain_dataset(item) for key, item in dataset.items()}
    if isinstance(dataset, (list, tuple)):
        return [plain_dataset(item) for item in dataset]
    if dataset is None or isinstance(dataset, (bool, int, float, str)):
        return dataset
    return repr(dataset)


def _long(column: Any) -> bool:
    return len(column) > MOST_NUMBERS
