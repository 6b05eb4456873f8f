"""A data set by name: how to load it, whether it is here, where it is from; and `load_table`, the door to tables.

Limits: sizes are what the loader promises; the loader checks the file itself, so nothing here reads it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A named data set in the registry.

    Attributes
    ----------
    name : str
        Registry name.
    load : callable
        ``load() -> Table`` (or Sessions ...); raises InputError, one line, when a file is missing or damaged.
    available : callable
        ``available() -> bool``: whether `load` would find its files without a download. Never raises, reads no file.
    rows, columns : int or None
        Of what `load` returns (records or documents, features), intercept included; None where that depends on what is
        here.
    source, licence : str
        Where it comes from, and the licence as known.
    """

    name: str
    load: Callable[[], Any]
    available: Callable[[], bool]
    rows: int | None
    columns: int | None
    source: str
    licence: str


def load_table(name: str) -> Table:
    """Load a registered data set by its name.

    Parameters
    ----------
    name : str
        Such as ``adult``, ``breast-cancer`` or ``auto``.

    Raises
    ------
    InputError
        For an unknown name (with the nearest known ones), for a data set of another kind, or when its files are missing
        or damaged.
    """
    from dpverify.core.plugins import registry

    found: Dataset = registry().datasets.get(name)
    loaded = found.load()
    if not isinstance(loaded, Table):
        raise InputError(f"data set {name!r} is a {type(loaded).__name__}", allowed="a data set of labelled records")
    return loaded
