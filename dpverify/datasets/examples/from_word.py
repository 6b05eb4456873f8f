"""A data set made again from plain JSON values and the word for its container (`Container.word`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset

_OUTER: dict[str, Callable[[Any], Any]] = {"list": list, "tuple": tuple}
_INNER: dict[str, Callable[[Any], Any]] = {"lists": list, "tuples": tuple, "dicts": dict, "ndarrays": np.array}
_ARRAY = re.compile(r"array of ([^,]+)(?:, \d+ columns)?")


def from_word(value: Any, word: str) -> Dataset:
    """The data set; an empty word takes the value as it is.

    Raises
    ------
    InputError
        For a container that needs more than its word: a table, columns, ``(X, y)``; and for values that do not fit it.
    """
    if not word:
        return value
    array = _ARRAY.fullmatch(word)
    outer, _, inner = word.partition(" of ")
    try:
        if array is not None:
            return np.array(value, dtype=array[1])
        if outer in _OUTER and (not inner or inner in _INNER):
            return _OUTER[outer](_INNER[inner](record) if inner else record for record in value)
    except (TypeError, ValueError) as problem:
        raise InputError(f"values that make no {word} ({problem})", allowed="those of the container") from None
    raise InputError(
        f"a data set of kind {word!r} cannot be made again from a file alone",
        allowed="lists, tuples and arrays",
        remedy="declare the audit with its data in dpverify.toml",
    )
