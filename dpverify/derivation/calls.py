"""All paths of a callable in every way in which it is called: with a generator, and without where it has a default.

Many functions have a generator of their own for a call without one. With a seed it draws the same noise in every call,
so that a proof of the call with a generator would say nothing of that one.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from dpverify.derivation.domain import Domain
from dpverify.derivation.paths import Path, paths_with, unwrapped
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.written import path_written


def all_paths(mechanism: Callable[..., Any], domain: Domain, relation: str) -> tuple[Path, ...]:
    """The paths; NotDerivedError as for `paths_with`, and where a call without size or rng would do something else."""
    defaults = _defaults(mechanism)
    size = defaults.get("size")
    if not (size is None or (type(size) is int and size == 1)):
        raise NotDerivedError("a size of its own: a call without one draws so many", "size=1, or another name")
    found = paths_with(mechanism, domain, relation, ("rng", "size"))
    if "rng" in defaults:
        try:
            alone = paths_with(mechanism, domain, relation, ("size",))
        except NotDerivedError as stop:
            raise NotDerivedError(f"what it does without rng: {stop}") from None
        if [path_written(each) for each in alone] != [path_written(each) for each in found]:
            raise NotDerivedError("something else than with rng where it is called without one")
    return found


def _defaults(mechanism: Callable[..., Any]) -> dict[str, Any]:
    """The values of parameters that a call leaves out."""
    function, _, bound = unwrapped(mechanism)
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        return {}
    names, values = code.co_varnames[: code.co_argcount], function.__defaults__ or ()
    found = {**dict(zip(names[len(names) - len(values) :], values, strict=True)), **(function.__kwdefaults__ or {})}
    return {name: value for name, value in found.items() if name not in bound}
