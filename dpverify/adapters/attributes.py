"""Attributes that stand beside a value: of a subclass of a known type, or set on a table.

They leave with the value, and no reader of its numbers sees them. Containers read them as parts; all others refuse.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dpverify.adapters.unpacked_value import CannotReadError

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
