"""Other people's libraries as subjects: one file (or folder) a library, found by listing this folder.

A module here is a library when it has ``library()``, which returns a `Library` (`offered.py`). Adding a library adds a
file; nothing else is edited. No library is imported before its claims are asked for.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

from dpverify.core.errors import InputError

if TYPE_CHECKING:
    from dpverify.adapters.libraries.offered import Library

_PARTS = ("offered",)
"""Modules of this folder that are no library."""


def library_names() -> list[str]:
    """Names of the libraries that there is a file for, whether or not they are installed."""
    names = (each.name for each in pkgutil.iter_modules(__path__) if not each.name.startswith("_"))
    return sorted(name for name in names if name not in _PARTS)


def find_library(name: str) -> Library:
    """The library of this name.

    Raises
    ------
    InputError
        For a name that has no file here.
    """
    wanted = name.replace("-", "_")
    if wanted not in library_names():
        raise InputError(f"the library {name!r}", allowed=", ".join(library_names()))
    found: Library = import_module(f"{__name__}.{wanted}").library()
    return found
