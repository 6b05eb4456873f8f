"""Containers of records: how the code names the fields of a record, or the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpverify.proofs.operations import ProofError

FORMS = ("array", "list", "tuple", "tuples", "columns", "dicts")

BY_PLACE: dict[str, list[tuple[Any, str]]] = {
    "array": [("", "")],
    "list": [("", "")],
    "tuple": [(0, "X"), (1, "y")],
}
"""Keys and names of those whose parts have places."""

OF_ARRAYS = ("array", "tuple")
"""Those whose parts are arrays; of columns some may be."""


def names_of(form: str, layout: Sequence[Sequence[Any]]) -> list[str]:
    """The names of fields by their keys in the data; ProofError for what the container does not have.

    Code that takes a record apart goes by the order of its parts, and so do both who read and who run it.
    """
    keys, arrays = [each[0] for each in layout], [each[2] for each in layout]
    if form not in FORMS or any(len(each) != 3 or type(each[2]) is not bool for each in layout):
        raise ProofError(f"the container {form!r}")
    if form != "columns" and set(arrays) != {form in OF_ARRAYS}:
        raise ProofError(f"the container {form!r} whose parts are of another kind")
    if form in ("columns", "dicts"):
        return [str(tuple(key) if isinstance(key, list) else key) for key in keys]
    own = BY_PLACE.get(form, [(place, f"[{place}]") for place in range(len(keys))])
    if [(type(key), key) for key in keys] != [(type(key), key) for key, _ in own]:
        raise ProofError(f"the container {form!r} with {keys!r:.80}")
    return [name for _, name in own]
