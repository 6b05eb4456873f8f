"""Data sets as plain JSON values, so that a witness can be read, kept and handed to a mechanism again."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpverify.core.protocols import Dataset, Pair

MOST_NUMBERS = 20_000
"""Larger arrays are named by shape and checksum: the pair comes back from the claim and the seed."""


def plain_pair(pair: Pair) -> dict[str, Any]:
    """``{"d0": ..., "d1": ..., "pair": label}``."""
    return {"d0": plain_dataset(pair.d0), "d1": plain_dataset(pair.d1), "pair": pair.label}


def plain_dataset(dataset: Dataset) -> Any:
    """Numbers, strings, lists and dicts; a table (or any dataclass) as a dict of its fields."""
    if isinstance(dataset, np.ndarray):
        if dataset.size > MOST_NUMBERS:
            digest = hashlib.sha256(np.ascontiguousarray(dataset).tobytes()).hexdigest()
            return {"shape": list(dataset.shape), "type": str(dataset.dtype), "sha256": digest}
        return dataset.tolist()
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
