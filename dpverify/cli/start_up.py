"""Start-up that costs less: nothing imported is looked at as garbage, and what nobody uses is not loaded."""

from __future__ import annotations

import gc
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

UNUSED = ("numpy.f2py", "numpy.testing", "numpy.ma", "numpy.polynomial")
"""Packages that scipy's array layer imports with all of numpy's names; each is loaded when somebody first uses it."""

DOCSTRINGS = "scipy._lib._docscrape"
"""Where scipy takes the class that adds a table to the docstrings of a hundred of its functions."""


@contextmanager
def importing() -> Iterator[None]:
    """Inside, nothing is collected, and what is there at the end is never looked at again.

    `UNUSED` are put off, and scipy's functions keep the docstrings that they have. All together are a fifth of a small
    audit.
    """
    gc.disable()
    docstrings = None
    try:
        for name in UNUSED:
            _put_off(name)
        if (docstrings := _put_off(DOCSTRINGS)) is not None:
            vars(docstrings)["FunctionDoc"] = _docstring
        yield
    finally:
        if docstrings is not None and sys.modules.get(DOCSTRINGS) is docstrings:
            del sys.modules[DOCSTRINGS]
        gc.freeze()
        gc.enable()


def _put_off(name: str) -> ModuleType | None:
    """Put a module in its place that is loaded at its first use; none where it is loaded already, or unknown."""
    spec = None
    with suppress(ModuleNotFoundError):  # of the package above it
        spec = None if name in sys.modules else find_spec(name)
    if spec is None:
        return None
    later = sys.modules[name] = _Later(name)
    if spec.submodule_search_locations is not None:
        later.__path__ = spec.submodule_search_locations
    package, _, own = name.rpartition(".")
    setattr(sys.modules[package], own, later)
    return later


class _Later(ModuleType):
    """Stands for a module until a name of it is asked for that is not there yet; then it has all names of that module.

    What `importlib.util.LazyLoader` puts off is loaded by the statement ``import`` alone.
    """

    def __getattr__(self, name: str) -> Any:
        if name == "__path__":  # every import asks for it; it is set where this is a package
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        found = import_module(self.__name__)
        self.__dict__.update(vars(found))
        return getattr(found, name)


def _docstring(function: object) -> Any:
    """What scipy asks for a function's docstring: while our modules are imported, one that is not read."""
    if isinstance(sys.modules.get(DOCSTRINGS), _Later):
        return _Unread(function)
    return import_module(DOCSTRINGS).FunctionDoc(function)


class _Unread(defaultdict[str, list[Any]]):
    """A docstring to whose parts anything may be added; its text is the function's own."""

    def __init__(self, function: object) -> None:
        super().__init__(list)
        self._text = function.__doc__ or ""

    def __str__(self) -> str:
        return f"signature\n{self._text}"
