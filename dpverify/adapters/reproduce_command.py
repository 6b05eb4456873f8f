"""The command (or the Python call) that reproduces an audit of a callable.

A command names the callable by its module, so it needs a callable that can be imported by name, and data that JSON
represents exactly. In other cases it is a call of ``dpverify.audit`` with the settings that differ from their defaults;
the reader has to define ``mechanism``, ``d0`` and ``d1``.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Mapping
from typing import Any

LONGEST = 1000
"""Most characters of a data set that is written out."""

DEFAULTS: Mapping[str, Any] = {
    "name": None,
    "relation": None,
    "trials": 200_000,
    "confidence": 0.999,
    "seed": 0,
    "call": None,
    "methods": None,
    "on_error": "raise",
    "max_seconds": None,
    "max_seconds_per_call": None,
    "sequential": False,
    "detect": None,
    "evidence_file": None,
}
"""Defaults of ``dpverify.audit``; settings with these values are omitted."""

OPTIONS = {"methods": "method", "evidence_file": "evidence"}
"""Options of the command with another name."""


def reproduce_command(
    function: Callable[..., Any], d0: Any, d1: Any, *, claim: str, settings: Mapping[str, Any]
) -> str:
    """One line that repeats the audit.

    Parameters
    ----------
    function : callable
        The audited callable.
    d0, d1 : object
        Its two data sets.
    claim : str
        Text of the guarantee.
    settings : mapping
        Arguments of ``dpverify.audit``, by the names of `DEFAULTS`.
    """
    given = {name: value for name, value in settings.items() if value != DEFAULTS[name]}
    name, literals = _importable(function), [_literal(data) for data in (d0, d1)]
    if name and "name" not in given and all(literal is not None for literal in literals):
        words = ["dpverify", "audit", name, "--claim", claim, "--d0", literals[0], "--d1", literals[1]]
        for option, value in given.items():
            words.append(f"--{OPTIONS.get(option, option).replace('_', '-')}")
            if value is not True:
                words.append(",".join(value) if option == "methods" else str(value))
        return shlex.join(str(word) for word in words)
    told = name.partition(":")[2] or getattr(function, "__name__", "")
    told = told if told.isidentifier() else "mechanism"
    data = [literal if literal is not None else side for literal, side in zip(literals, ("d0", "d1"), strict=True)]
    options = "".join(f", {option}={value!r}" for option, value in given.items())
    return f"dpverify.audit({told}, {data[0]}, {data[1]}, claim={claim!r}{options})"


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
