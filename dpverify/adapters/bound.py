"""Parameters bound to a mechanism: a function gets them at every call, a class makes its instance of them.

An instance is called, or else its ``sample`` is. A class itself is no mechanism: called on the data, it would make an
object that holds them, and an audit would compare such objects.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from dpverify.adapters.literals import arguments_text
from dpverify.core.callable_name import callable_name, unbound
from dpverify.core.errors import InputError, one_line

GIVEN = ("rng", "size")
"""Parameters whose values an audit gives."""


def bound(mechanism: Any, parameters: Mapping[str, Any] | None) -> Any:
    """The mechanism with these parameters; of a class, its instance.

    Raises
    ------
    InputError
        For a parameter that it does not have, that the audit gives, or that a class needs beside; for a class that
        raises.
    """
    if not parameters:
        return mechanism
    if not isinstance(parameters, Mapping) or not all(isinstance(each, str) for each in parameters):
        raise InputError(f"parameters = {parameters!r}", allowed="values by name, such as {'epsilon': 1.0}")
    if isinstance(mechanism, type):
        return instance(mechanism, parameters)
    _check_names(mechanism, parameters)
    return functools.partial(function_of(mechanism), **parameters)


def instance(kind: type, parameters: Mapping[str, Any]) -> Any:
    """An instance of the class; errors as for `bound`."""
    _check_names(kind, parameters)
    known = _parameters_of(kind) or {}
    missing = [each.name for each in known.values() if _needed(each) and each.name not in parameters]
    if missing:
        raise InputError(f"{kind.__qualname__} needs {', '.join(missing)}", allowed=example(kind))
    try:
        return kind(**parameters)
    except (Exception, SystemExit) as problem:
        text = arguments_text(parameters) or ", ".join(parameters)
        raise InputError(
            f"{kind.__qualname__}({text}) raised {type(problem).__name__}: {one_line(str(problem)) or '(no message)'}",
            allowed="arguments that the class takes",
        ) from problem


def function_of(mechanism: Any) -> Callable[..., Any]:
    """What is called of a mechanism: itself, or the ``sample`` of an instance.

    InputError for a class, and for what cannot be called.
    """
    inner = unbound(mechanism)
    if isinstance(inner, type):
        made = example(inner)
        module = "" if inner.__module__ in ("__main__", "builtins") else f"{inner.__module__}:"
        typed = f" (on the command line and in a suite file {module}{made})" if module else ""
        raise InputError(
            f"{inner.__qualname__} is a class, and would only be built with the data set as its argument",
            allowed="a function, or an instance that can be called or has a method sample",
            remedy=f"name an instance: {made}{typed}",
        )
    if callable(mechanism):
        return mechanism  # type: ignore[no-any-return]
    sample = getattr(mechanism, "sample", None)
    if callable(sample):
        return sample  # type: ignore[no-any-return]
    raise InputError(
        f"the mechanism {mechanism!r} is not callable",
        allowed="a function of (dataset, rng), or an instance that can be called or has a method sample",
    )


def example(kind: type) -> str:
    """How an instance of the class is written: parameters without a default, or else its first one."""
    known = [each for each in (_parameters_of(kind) or {}).values() if each.kind is not each.VAR_POSITIONAL]
    shown = [each for each in known if _needed(each)] or [each for each in known if each.name == "epsilon"]
    return f"{kind.__qualname__}({', '.join(f'{each.name}={_value(each)}' for each in shown)})"


def _value(parameter: inspect.Parameter) -> str:
    if isinstance(parameter.default, int | float):
        return repr(parameter.default)
    return "1.0" if parameter.name == "epsilon" else "..."


def _needed(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty and parameter.kind not in (
        parameter.VAR_POSITIONAL,
        parameter.VAR_KEYWORD,
    )


def _parameters_of(thing: Any) -> Mapping[str, inspect.Parameter] | None:
    """None where there is no signature, which is then believed to fit."""
    try:
        return inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return None


def _check_names(thing: Any, parameters: Mapping[str, Any]) -> None:
    known = _parameters_of(thing if isinstance(thing, type) else function_of(thing))
    if known is None:
        return
    names = [each.name for each in known.values() if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    if not isinstance(thing, type):
        data = next((name for name in names if name not in GIVEN), None)
        if taken := [name for name in parameters if name in (*GIVEN, data)]:
            raise InputError(f"parameters with {taken[0]!r}", allowed="what the audit does not give itself")
        names = [name for name in names if name not in (*GIVEN, data)]
    unknown = [name for name in parameters if name not in names]
    if unknown and not any(each.kind is each.VAR_KEYWORD for each in known.values()):
        near = get_close_matches(unknown[0], names, n=1)
        raise InputError(
            f"parameters with {unknown[0]!r}",
            allowed=f"parameters of {callable_name(thing)}: {', '.join(names) or '(it has none)'}",
            remedy=f"did you mean {near[0]}?" if near else "",
        )
