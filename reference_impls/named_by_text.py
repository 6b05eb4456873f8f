"""Finds what a text names among the files of a package, each of which has a ``build(text)``: no list to edit."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from dpverify.core.errors import InputError


def find_in(package: str, text: str, *, kind: str) -> Any:
    """The first thing that a file of `package` builds from `text`.

    Raises
    ------
    InputError
        When no file reads it; the message lists the ``TEXTS`` of all that could.
    """
    folder = importlib.import_module(package).__path__
    known: list[str] = []
    for info in sorted(pkgutil.iter_modules(folder), key=lambda info: info.name):
        module = importlib.import_module(f"{package}.{info.name}")
        build = getattr(module, "build", None)
        if build is None:
            continue
        found = build(text)
        if found is not None:
            return found
        known.append(module.TEXTS)
    raise InputError(f"no {kind} called {text!r}", allowed=", ".join(known))
