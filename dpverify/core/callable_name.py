"""What a callable is called: a function by its own name, where arguments are bound to it; an object by its class."""

from __future__ import annotations

import functools
from typing import Any


def unbound(thing: Any) -> Any:
    """Return what `functools.partial` binds arguments to; anything else is itself."""
    while isinstance(thing, functools.partial):
        thing = thing.func
    return thing


def callable_name(thing: Any) -> str:
    """The name that messages and results use."""
    own = getattr(thing, "__qualname__", None) or getattr(unbound(thing), "__qualname__", None)
    return str(own or type(unbound(thing)).__qualname__)
