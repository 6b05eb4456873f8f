"""How a callable wants to be called, read off its parameters' names."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal

from dpverify.core.errors import InputError

Call = Literal["scalar", "batch", "plain"]
CALLS: tuple[Call, ...] = ("scalar", "batch", "plain")

GENERATORS = ("generator", "gen", "random_generator", "prng", "rs")
SEEDS = ("seed", "random_seed", "random_state")
"""Names of parameters that must not be bound: each draw would be the same, or none could be made again."""


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
    if required[:1] == ["self"]:
        owner, _, method = name.rpartition(".")
        raise InputError(
            f"{name} is a method without its object",
            allowed="f(dataset, rng), f(dataset, size, rng) or f(dataset)",
            remedy=f"name the method of an instance: {owner or 'Class'}(...).{method}",
        )
    positional = any(item.kind is item.VAR_POSITIONAL for item in parameters)
    if len(required) > 1:
        raise InputError(
            f"{name} needs {', '.join(required[1:])} beside the data set",
            allowed="f(dataset, rng), f(dataset, size, rng) or f(dataset)",
            remedy=_binding(required, name),
        )
    if not required and not positional and not any(item.name not in keywords for item in parameters):
        raise InputError(f"{name} takes no data set", allowed="f(dataset, rng), f(dataset, size, rng) or f(dataset)")
    return keywords, "batch" if "size" in keywords else ("scalar" if "rng" in keywords else "plain")


def _binding(required: list[str], name: str) -> str:
    """How the parameters beside the data set get their values; noise must be new in every call."""
    data, *others = required
    for each in others:
        if each in GENERATORS:
            return f"draw from the rng of the audit: lambda {data}, rng: {name}({data}, {each}=rng)"
        if each in SEEDS:
            return f"a seed a call: lambda {data}, rng: {name}({data}, {each}=int(rng.integers(2**32)))"
    return (
        f"bind them: functools.partial({name}, {others[0]}=...), or parameters={{'{others[0]}': ...}} "
        f"(on the command line --parameters '{others[0]}=...')"
    )
