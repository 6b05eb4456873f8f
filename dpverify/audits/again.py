"""The line that makes an audit of a callable again, in which no record of the user's example is written.

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
from dataclasses import fields
from typing import Any

from dpverify.adapters.literals import arguments_text
from dpverify.audits.question import DEFAULT_CONFIDENCE, Question
from dpverify.core.callable_name import unbound
from dpverify.core.verdict import Status
from dpverify.neighbourhood.neighbourhood import Neighbourhood
from dpverify.runner.row import Row

HIDDEN = object()
"""Stands for data that are not written out."""

_LEFT_OUT = {"progress", "isolate", "seconds", "regressions", "show_records", "parameters"}
_LEFT_OUT |= {"false_alarm_rate", "confidence"}  # stated once, as the confidence
_OF_EXAMPLES = {"records", "bounds", "unit", "domain"}


def again(question: Question, function: Any, place: Neighbourhood, row: Row, *, trials: int | None) -> str:
    """One line that makes the audit of `function` again; `trials` where seconds were turned into draws."""
    given = {name: value for name, value in question.given().items() if name not in _LEFT_OUT}
    if question.sure() != DEFAULT_CONFIDENCE:
        given["confidence"] = question.sure()
    if ":" in given.get("name", ""):  # the command line's own name for a callable
        del given["name"]
    if trials is not None:
        given["trials"] = trials
    shown = _shown(question, place, row)
    if question.data is not None and "data" not in shown:  # the pair alone
        given = {name: value for name, value in given.items() if name not in _OF_EXAMPLES} | {
            "relation": place.relation
        }
        if not question.sequential:
            given.setdefault("methods", ["gate"])
    settings = {each.name: given[each.name] for each in fields(question) if each.name in given}  # always in one order
    return reproduce_command(function, shown, claim=row.entry.claim.guarantee.text(), settings=settings)


def _shown(question: Question, place: Neighbourhood, row: Row) -> Mapping[str, Any]:
    """The data for that line: of a refutation its pair, which is made up, where JSON gives the pair back."""
    leading = row.verdict.leading
    if question.data is None or question.show_records:
        return question.data_sets()
    refuted = leading is not None and row.verdict.status is Status.REFUTED and isinstance(question.data, list)
    if leading is None or not refuted or place.shows_records(str(leading.witness.get("pair", ""))):
        return {"data": HIDDEN}
    return {"d0": leading.witness["d0"], "d1": leading.witness["d1"]}


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
