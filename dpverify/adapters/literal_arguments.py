"""Arguments that are typed as text, ``epsilon=1.0, kind="laplace"``: read as data, never evaluated."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from dpverify.core.errors import InputError
from dpverify.core.read_untrusted import shortened

ALLOWED = "NAME=VALUE, with commas between them; a value is a number, a text in quotes, True, False, None, or a list, "
ALLOWED += "tuple or dict of these"


def parse_expression(text: str) -> ast.expr | None:
    """The expression that a text is in Python's grammar; None where it is none. Nothing is evaluated."""
    try:
        with warnings.catch_warnings():  # of odd literals
            warnings.simplefilter("ignore")
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def literal_arguments(text: str, option: str) -> dict[str, Any]:
    """The values by name.

    Raises
    ------
    InputError
        For text of any other form; `option` is what it calls the text.
    """
    found = parse_expression(f"f({text}\n)")
    if not (isinstance(found, ast.Call) and isinstance(found.func, ast.Name)) or found.args or not found.keywords:
        raise InputError(
            f"{option} {shortened(repr(text), most=80)}", allowed=ALLOWED, remedy=f"such as {option} 'epsilon=1.0'"
        )
    return literal_keywords(found.keywords, option)


def literal_keywords(keywords: Sequence[ast.keyword], option: str) -> dict[str, Any]:
    """The values of parsed keywords; errors as for `literal_arguments`."""
    values: dict[str, Any] = {}
    for each in keywords:
        shown = shortened(ast.unparse(each), most=80)
        if each.arg is None:
            raise InputError(f"{option} with {shown}", allowed=ALLOWED)
        if each.arg in values:
            raise InputError(f"{option} with {each.arg} twice", allowed="each name once")
        try:
            values[each.arg] = ast.literal_eval(each.value)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            word = isinstance(each.value, ast.Name)
            remedy = f"a text stands in quotes: {each.arg}='{ast.unparse(each.value)}'" if word else ""
            raise InputError(f"{option} with {shown}", allowed=ALLOWED, remedy=remedy) from None
    return values


def arguments_text(values: Mapping[str, Any]) -> str | None:
    """The text that `literal_arguments` reads back; None where a value has none."""
    text = ", ".join(f"{name}={value!r}" for name, value in values.items())
    try:
        return text if literal_arguments(text, "text") == dict(values) else None
    except (InputError, ValueError, TypeError):
        return None
