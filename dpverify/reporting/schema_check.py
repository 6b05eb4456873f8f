"""Checks that a value follows a JSON schema; only the keywords of dpverify's schemas are supported.

A record may come from anyone, so it is checked before use. An unknown keyword in a schema is an internal error and
never skipped. This is no general validator; the tests compare it with one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Schema = Mapping[str, Any]

_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
_SILENT = {"$schema", "$defs", "title", "description"}


def schema_fault(value: Any, schema: Schema, *, root: Schema | None = None, at: str = "the record") -> str:
    """The first fault as one line; empty when there is none.

    Raises
    ------
    ValueError
        When the schema uses an unsupported keyword.
    """
    root = schema if root is None else root
    for word, asked in schema.items():
        if word in _SILENT:
            continue
        if word not in _WORDS:
            raise ValueError(f"the schema word {word!r} is not known")
        found = _WORDS[word](value, asked, schema, root, at)
        if found:
            return found
    return ""


def _type(value: Any, asked: Any, _schema: Schema, _root: Schema, at: str) -> str:
    names = [asked] if isinstance(asked, str) else asked
    return "" if any(_TYPES[name](value) for name in names) else f"{at} is {_short(value)}, not {' or '.join(names)}"


def _const(value: Any, asked: Any, _schema: Schema, _root: Schema, at: str) -> str:
    return "" if _same(value, asked) else f"{at} is {_short(value)}, not {asked!r}"


def _enum(value: Any, asked: Any, _schema: Schema, _root: Schema, at: str) -> str:
    known = any(_same(value, each) for each in asked)
    return "" if known else f"{at} is {_short(value)}, not one of {', '.join(map(str, asked))}"


def _required(value: Any, asked: Any, _schema: Schema, _root: Schema, at: str) -> str:
    missing = [name for name in asked if name not in value] if isinstance(value, dict) else []
    return f"{at} has no {missing[0]}" if missing else ""


def _properties(value: Any, asked: Any, _schema: Schema, root: Schema, at: str) -> str:
    if not isinstance(value, dict):
        return ""
    inside = (
        schema_fault(value[name], of, root=root, at=f"{name} of {at}") for name, of in asked.items() if name in value
    )
    return next(filter(None, inside), "")


def _additional(value: Any, asked: Any, schema: Schema, root: Schema, at: str) -> str:
    others = [name for name in value if name not in schema.get("properties", {})] if isinstance(value, dict) else []
    if asked is False:
        return f"{at} has {_short(others[0])}, which no record has" if others else ""
    return next(
        filter(None, (schema_fault(value[name], asked, root=root, at=f"{name} of {at}") for name in others)), ""
    )


def _items(value: Any, asked: Any, _schema: Schema, root: Schema, at: str) -> str:
    if not isinstance(value, list):
        return ""
    inside = (schema_fault(each, asked, root=root, at=f"entry {place} of {at}") for place, each in enumerate(value))
    return next(filter(None, inside), "")


def _any(value: Any, asked: Any, _schema: Schema, root: Schema, at: str) -> str:
    found = [schema_fault(value, each, root=root, at=at) for each in asked]
    return "" if not all(found) else found[0]


def _reference(value: Any, asked: Any, _schema: Schema, root: Schema, at: str) -> str:
    return schema_fault(value, root["$defs"][asked.removeprefix("#/$defs/")], root=root, at=at)


def _minimum(value: Any, asked: Any, _schema: Schema, _root: Schema, at: str) -> str:
    return f"{at} is {_short(value)}, below {asked}" if _TYPES["number"](value) and value < asked else ""


def _above(value: Any, asked: Any, _schema: Schema, _root: Schema, at: str) -> str:
    return f"{at} is {_short(value)}, not above {asked}" if _TYPES["number"](value) and value <= asked else ""


def _maximum(value: Any, asked: Any, _schema: Schema, _root: Schema, at: str) -> str:
    return f"{at} is {_short(value)}, above {asked}" if _TYPES["number"](value) and value > asked else ""


def _pattern(value: Any, asked: Any, _schema: Schema, _root: Schema, at: str) -> str:
    wrong = isinstance(value, str) and re.search(asked, value) is None
    return f"{at} is {_short(value)}, which is not as it should be written" if wrong else ""


def _same(value: Any, asked: Any) -> bool:
    return value == asked and isinstance(value, bool) == isinstance(asked, bool)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


_WORDS: dict[str, Callable[[Any, Any, Schema, Schema, str], str]] = {
    "type": _type,
    "const": _const,
    "enum": _enum,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "anyOf": _any,
    "$ref": _reference,
    "minimum": _minimum,
    "exclusiveMinimum": _above,
    "maximum": _maximum,
    "pattern": _pattern,
}
