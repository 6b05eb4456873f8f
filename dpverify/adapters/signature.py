"""How a callable wants to be called, read off its parameters' names."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal

from dpverify.core.errors import InputError

Call = Literal["scalar", "batch", "plain"]
CALLS: tuple[Call, ...] = ("scalar", "batch", "plain")


def signature(function: Callable[..., Any], name: str) -> tuple[set[str], Call]:
    """The keywords among rng and size that the callable accepts; they determine its kind."""
    if inspect.iscoroutinefunction(function):
        raise InputError(
            f"{name} is an async function",
            allowed="f(dataset, rng), f(dataset, size, rng) or f(dataset)",
            remedy=f"run it to its end: lambda dataset, rng: asyncio.run({name}(dataset, rng))",
        )
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return set(), "plain"
    keywords = {item.name for item in parameters if item.name in ("rng", "size")}
    required = [
        item.name
        for item in parameters
        if item.default is item.empty
        and item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD, item.KEYWORD_ONLY)
        and item.name not in keywords
    ]
    positional = any(item.kind is item.VAR_POSITIONAL for item in parameters)
    if len(required) > 1:
        raise InputError(
            f"{name} needs {', '.join(required[1:])} beside the data set",
            allowed="f(dataset, rng), f(dataset, size, rng) or f(dataset)",
            remedy=f"bind them: functools.partial({name}, {required[1]}=...)",
        )
    if not required and not positional and not any(item.name not in keywords for item in parameters):
        raise InputError(f"{name} takes no data set", allowed="f(dataset, rng), f(dataset, size, rng) or f(dataset)")
    return keywords, "batch" if "size" in keywords else ("scalar" if "rng" in keywords else "plain")
