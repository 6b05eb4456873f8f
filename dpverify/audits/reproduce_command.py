"""The command (or the Python call) that reproduces an audit of a callable.

A command names the callable by its module, so there is one only for what can be imported under its own name (or is a
program, which says by ``command_line`` how it is named), and for data that JSON gives back. Everything else is the
call of ``dpverify.audit`` with the settings that were not at their defaults; ``mechanism``, ``data``, ``d0`` and ``d1``
in it are the reader's to fill in.
"""

from __future__ import annotations

import functools
import json
import shlex
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

from dpverify.adapters.literal_arguments import arguments_text
from dpverify.core.callable_name import unbound

LONGEST = 1000
"""Most characters of a data set that is written out."""

OPTIONS = {"methods": "method", "evidence_file": "evidence", "records": "record"}
"""Options of the command that are called otherwise."""


def reproduce_command(
    function: Callable[..., Any], data: Mapping[str, Any], *, claim: str, settings: Mapping[str, Any]
) -> str:
    """One line that repeats the audit.

    Parameters
    ----------
    function : callable
        What was audited.
    data : mapping
        Its data: ``data``, one example, or ``d0`` and ``d1``.
    claim : str
        Text of the guarantee.
    settings : mapping
        Arguments of ``dpverify.audit`` that are not at their defaults.
    """
    given = dict(settings)
    function, parameters = _with_parameters(function)
    named, literals = _named(function), {word: _literal(value) for word, value in data.items()}
    if parameters is not None:
        given["parameters"] = parameters
    typed = all(value is None or isinstance(value, str) for value in (given.get("records"), given.get("bounds")))
    if named and typed and "name" not in given and all(literal is not None for literal in literals.values()):
        words = ["dpverify", "audit", *named, "--claim", claim]
        words += [word for option, literal in literals.items() for word in (f"--{option}", str(literal))]
        for option, value in given.items():
            words.append(f"--{OPTIONS.get(option, option).replace('_', '-')}")
            if value is not True:
                words.append(_typed(option, value))
        return shlex.join(str(word) for word in words)
    told = _importable(function).partition(":")[2] or getattr(function, "__name__", "")
    told = told if told.isidentifier() and not isinstance(function, types.MethodType) else "mechanism"
    told = repr(function) if hasattr(function, "command_line") else told
    sides = [literal or word if word != "data" else f"data={literal or 'data'}" for word, literal in literals.items()]
    options = "".join(f", {option}={value!r}" for option, value in given.items())
    return f"dpverify.audit({told}, {', '.join(sides)}, claim={claim!r}{options})"


def _with_parameters(function: Callable[..., Any]) -> tuple[Callable[..., Any], dict[str, Any] | None]:
    """A function and the parameters that are bound to it, where they can be written down."""
    inner = unbound(function)
    if inner is function or not isinstance(function, functools.partial) or function.func is not inner or function.args:
        return function, None
    return (inner, dict(function.keywords)) if arguments_text(function.keywords) else (function, None)


def _typed(option: str, value: Any) -> str:
    if option == "parameters":
        return arguments_text(value) or ""
    return ",".join(value) if option == "methods" else str(value)


def _named(function: Callable[..., Any]) -> list[str]:
    """The words that name what is audited; none where no command can."""
    words = getattr(function, "command_line", None)
    if words is not None:
        return list(words())
    return [name] if (name := _importable(function)) else []


def _importable(function: Callable[..., Any]) -> str:
    """``module:name`` if the function can be imported by it; else empty."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    found: Any = sys.modules.get(module or "")
    if module in (None, "__main__") or not name.isidentifier():
        return ""
    return f"{module}:{name}" if getattr(found, name, None) is function else ""


def _literal(data: Any) -> str | None:
    """The data set as JSON; None if JSON does not represent it exactly, or it is long."""
    try:
        text = json.dumps(data, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
    try:
        same = bool(json.loads(text) == data)
    except Exception:  # noqa: BLE001 - another's comparison
        return None
    return text if same and len(text) <= LONGEST else None
