"""All paths of a callable in every way in which it is called: with a size and a generator, and without.

Many functions have a generator of their own for a call without one. With a seed it draws the same noise in every call,
so that a proof of the call with a generator would say nothing of that one. Without a size draws are numbers and not
arrays of one, which the code can tell apart: that call must cost no more. The code is run beside the proof of each.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

from dpverify.core.callable_name import place_of
from dpverify.derivation.domain import Domain
from dpverify.derivation.paths import Path, paths_with, unwrapped
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.written import path_written
from dpverify.proofs.cost import Cost, cost_of
from dpverify.proofs.operations import ProofError

Way = tuple[tuple[str, ...], tuple[Path, ...]]
"""What a call gives beside the data, and its paths."""


def all_ways(mechanism: Callable[..., Any], domain: Domain, relation: str) -> list[Way]:
    """Each way of a call, that with rng and size first.

    NotDerivedError as for `paths_with`, and where a call without size or rng would do something else.
    """
    defaults = _defaults(mechanism)
    size = defaults.get("size")
    if not (size is None or (type(size) is int and size == 1)):
        raise NotDerivedError("a size of its own: a call without one draws so many", "size=1, or another name")
    found = paths_with(mechanism, domain, relation, ("rng", "size"))
    ways: list[Way] = [(("rng", "size"), found)]
    if "rng" in defaults:
        try:
            alone = paths_with(mechanism, domain, relation, ("size",))
        except NotDerivedError as stop:
            raise NotDerivedError(f"what it does without rng: {stop}") from None
        if [path_written(each) for each in alone] != [path_written(each) for each in found]:
            raise NotDerivedError("something else than with rng where it is called without one")
        ways.append((("size",), alone))
    if "size" in defaults:
        for given in [("rng",), *([()] if "rng" in defaults else [])]:
            ways.append((given, paths_with(mechanism, domain, relation, given)))
            if not _no_dearer(ways[-1][1], found):
                raise NotDerivedError("a call without size, which costs more than one with it")
    return ways


def called_with(mechanism: Callable[..., Any], given: tuple[str, ...]) -> Callable[..., Any]:
    """The mechanism as a function of the data and of these alone."""
    first, *others = inspect.signature(mechanism).parameters.values()
    left_out = [each.name for each in others if each.name in ("rng", "size") and each.name not in given]
    if not left_out:
        return mechanism

    def call(data: Any, **named: Any) -> Any:
        return mechanism(data, **named)

    kept = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in others if each.name in given]
    call.__signature__ = inspect.Signature([first, *kept])  # type: ignore[attr-defined]
    call.__module__, _, call.__qualname__ = place_of(mechanism).partition(":")
    return call


def _no_dearer(these: Iterable[Path], those: Iterable[Path]) -> bool:
    """Tell whether the dearest of these paths is, in each of its costs, no dearer than the dearest of those."""
    try:
        first, second = (reduce(Cost.most, map(_cost, paths), Cost()) for paths in (these, those))
    except (ProofError, RecursionError, ArithmeticError, ValueError) as problem:
        raise NotDerivedError(str(problem)) from None
    return all(one <= other for one, other in zip(first.parts(), second.parts(), strict=True))


def _cost(path: Path) -> Cost:
    return cost_of(path.program)


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
