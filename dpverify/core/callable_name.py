"""What a callable is called: a function by its own name, where arguments are bound to it; an object by its class."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

from dpverify.core.errors import InputError, one_line


def unbound(thing: Any) -> Any:
    """Return what `functools.partial` binds arguments to; anything else is itself."""
    while isinstance(thing, functools.partial):
        thing = thing.func
    return thing


def callable_name(thing: Any) -> str:
    """The name that messages and results use."""
    own = getattr(thing, "__qualname__", None) or getattr(unbound(thing), "__qualname__", None)
    return str(own or type(unbound(thing)).__qualname__)


def place_of(thing: Any) -> str:
    """``module:name`` of what is called: of a function, or of an object's class."""
    thing = unbound(thing)
    return f"{getattr(thing, '__module__', '')}:{callable_name(thing)}"


def function_at(path: str) -> Callable[..., Any]:
    """The function, or another callable, at a dotted path.

    InputError where there is none.
    """
    module, _, name = path.rpartition(".")
    try:
        found = getattr(import_module(module), name)
    except Exception as problem:  # whatever a module raises while it is imported
        raise InputError(
            f"no function at {path!r} ({one_line(str(problem))})", allowed="package.module.function"
        ) from problem
    if not callable(found):
        raise InputError(f"{path!r} is a {type(found).__name__}", allowed="a function")
    return found  # type: ignore[no-any-return]  # getattr
