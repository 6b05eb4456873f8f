"""Argument types of a compiled kernel, read from text as numba writes it: ``float64, readonly array(float64, 1d, C)``.

Scalars, arrays and tuples of them; what else numba knows no kernel's index holds (`dpverify.core.kernel_index`).
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

_ARRAY = re.compile(r"(readonly )?array\((\w+), (\d+)d, ([ACF])\)")
_TUPLE = re.compile(r"Tuple\((.*)\)")
_SAME = re.compile(r"UniTuple\((.*) x (\d+)\)")


def types_of(text: str) -> tuple[Any, ...]:
    """The numba types that the text names, in order.

    Raises
    ------
    ValueError
        For a type that is none of these.
    """
    return tuple(_type(part) for part in _parts(text))


def text_of(types: tuple[Any, ...]) -> str:
    """The text from which `types_of` makes these types again; empty where it cannot."""
    text = ", ".join(map(str, types))
    try:
        return text if types_of(text) == types else ""
    except ValueError:
        return ""


def _type(text: str) -> Any:
    types: Any = import_module("numba.types")
    if found := _ARRAY.fullmatch(text):
        return types.Array(_type(found[2]), int(found[3]), found[4], readonly=bool(found[1]))
    if found := _SAME.fullmatch(text):
        return types.UniTuple(_type(found[1]), int(found[2]))
    if found := _TUPLE.fullmatch(text):
        return types.Tuple(types_of(found[1]))
    for each in (types.boolean, *types.number_domain):
        if str(each) == text:
            return each
    raise ValueError(f"no type of a kernel's argument: {text}")


def _parts(text: str) -> list[str]:
    """The text, cut at the commas outside parentheses."""
    parts, depth, begun = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append(text[begun:place])
            begun = place + 1
    return [part.strip() for part in (*parts, text[begun:]) if part.strip()]
