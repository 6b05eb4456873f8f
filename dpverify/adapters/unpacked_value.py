"""One value that a mechanism returned, unpacked: its kind, its numbers and labels, and the values inside it.

Readers of scalars, containers, arrays and tables all return this class; `output_structure` traverses it. Attributes
beside a value (of a subclass of a known type, or set on a table) leave with it, and no reader of its numbers sees them:
containers read them as parts; all others refuse.

A mechanism whose output type depends on the data leaks by the type alone. Types of Python and numpy for the same
numbers are one kind here: ``np.float64`` is ``float``, every numpy integer is ``int``, ``np.bool_`` is ``bool``. A
``float32`` is not a ``float``, since it has fewer values.
"""

from __future__ import annotations

import hashlib
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_NUMBERS = 10**6
"""In one output: an audit keeps hundreds of them."""

Atoms = Sequence[Any] | NDArray[np.float64]
"""Floats, which stand for themselves, and labels, of which only equality counts."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """An unpacked value."""

    kind: str
    """Its type, and everything about its form that is not in the numbers: lengths, keys, dtypes."""
    atoms: Atoms = ()
    """Its direct numbers and labels."""
    inside: Sequence[tuple[str, Any]] = ()
    """Contained values, each with its place."""
    wraps: Any = None
    """The single value that it wraps, at the same place; None otherwise."""


class CannotReadError(Exception):
    """A value cannot be encoded completely; says why, and what the author may do."""

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(why)
        self.why, self.remedy = why, remedy


class TooManyError(CannotReadError):
    """An output of more than `MOST_NUMBERS` numbers or parts."""

    def __init__(self, count: int) -> None:
        super().__init__(f"of which the {count} parts are more than {MOST_NUMBERS}", "return fewer, or a summary")


def stable_hash(parts: Iterable[Any]) -> int:
    """48 bits of a hash of the parts, the same in every process: 0 <= hash < 2^48."""
    digest = hashlib.blake2b(digest_size=6)
    for part in parts:
        digest.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return int.from_bytes(digest.digest(), "big")


_OWN = {
    "decimal": "_exp _int _is_special _sign",
    "fractions": "_denominator _numerator",
    "numpy": "_baseclass _basedict _fill_value _getitem _hardmask _isfield _mask _optinfo _sharedmask",
    "pandas": "__module__ _attrs _cache _codes _data _flags _freq _id _is_copy _item_cache _levels _mgr _name _names "
    "_range _references sortorder",
    "polars": "_accessors _df _s",
    "scipy": "_dict _has_canonical_format _has_sorted_indices _shape col coords data dtype has_canonical_format "
    "indices indptr maxprint offsets row rows",
}
"""What values of a library hold by themselves; their readers read it."""


def attributes(value: Any) -> dict[str, Any]:
    """Those in its ``__dict__`` and in slots of its classes, by name."""
    found = dict(getattr(value, "__dict__", ()))
    for kind in type(value).__mro__:
        names = kind.__dict__.get("__slots__", ())
        for name in (names,) if isinstance(names, str) else names:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                found.setdefault(name, getattr(value, name))
    return found


def refuse_attributes(value: Any, usual: Iterable[str] = ()) -> None:
    """CannotReadError where somebody set attributes, beside usual ones and those of the library of the type."""
    libraries = {base.__module__.partition(".")[0] for base in type(value).__mro__}
    own = {*usual} | {name for library in libraries for name in _OWN.get(library, "").split()}
    beside = [name for name in attributes(value) if name not in own]
    if beside:
        raise CannotReadError(
            f"which carries {', '.join(map(repr, beside))} beside its value",
            "return a plain value, such as np.array(...), and what it carries as a part of its own, in a dict",
        )


_OF_ARRAYS = {"b": "bool", "i": "int", "u": "int", "U": "label", "S": "bytes label"}


def number_kind(value: Any) -> str | None:
    """``bool``, ``int``, ``float``, ``float32`` ... of a real number; None for anything else."""
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, float):  # np.float64 is a float
        return "float"
    if isinstance(value, int | np.integer):
        return "int"
    if isinstance(value, np.complexfloating) or not isinstance(value, numbers.Real | np.number):
        return None
    return value.dtype.name if isinstance(value, np.floating) else type(value).__name__


def array_kind(array: NDArray[Any]) -> str:
    """The kind of an array's numbers or labels; byte order is ignored, and so is width except for floats."""
    if array.dtype.kind == "f":
        return "float" if array.dtype.itemsize == 8 else array.dtype.name
    return _OF_ARRAYS[array.dtype.kind]
