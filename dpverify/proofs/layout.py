"""Containers of records: how the code names the fields of a record, or the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpverify.proofs.operations import PYTHON_INT, TEXT, ProofError

FORMS = ("array", "list", "tuple", "tuples", "columns", "dicts")

BY_PLACE: dict[str, list[tuple[Any, str]]] = {
    "array": [("", "")],
    "list": [("", "")],
    "tuple": [(0, "X"), (1, "y")],
}
"""Keys and names of those whose parts have places."""

OF_ARRAYS = ("array", "tuple")
"""Those whose parts are arrays; of columns some may be."""

TYPES_OF_ARRAYS = (
    "bool",
    "float16",
    "float32",
    "float64",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
)
"""Types of arrays; those of 64 bits and conditions are computed with, the others must be converted to doubles first."""

TYPES_OF_LISTS = ("bool", PYTHON_INT, "float64", TEXT)
"""Types of what lists and rows hold, which are Python's own: numpy's integers wrap round, and these do not."""


def check_types(layout: Sequence[Sequence[Any]], fields: Mapping[str, Mapping[str, Any]]) -> None:
    """ProofError for a field of a type or shape that its container does not hold."""
    for _, name, array in layout:
        kind, shape = fields[name]["type"], fields[name]["shape"]
        if kind not in (TYPES_OF_ARRAYS if array else TYPES_OF_LISTS) or len(shape) > int(array) or 0 in shape:
            where = "an array" if array else "a list or row"
            raise ProofError(f"no data set has {where} of {kind} whose records have the shape {shape}")


def names_of(form: str, layout: Sequence[Sequence[Any]]) -> list[str]:
    """The names of fields by their keys in the data; ProofError for what the container does not have.

    Code that takes a record apart goes by the order of its parts, and so do both who read and who run it.
    """
    keys, arrays = [each[0] for each in layout], [each[2] for each in layout]
    if form not in FORMS or any(len(each) != 3 or type(each[2]) is not bool for each in layout):
        raise ProofError(f"the container {form!r}")
    if form != "columns" and set(arrays) != {form in OF_ARRAYS}:
        raise ProofError(f"the container {form!r} whose parts are of another kind")
    if form in ("columns", "dicts") and all(type(key) in (str, int) for key in keys):
        return [str(key) for key in keys]
    own = BY_PLACE.get(form, [(place, f"[{place}]") for place in range(len(keys))])
    if [(type(key), key) for key in keys] != [(type(key), key) for key, _ in own]:
        raise ProofError(f"the container {form!r} with {keys!r:.80}")
    return [name for _, name in own]
