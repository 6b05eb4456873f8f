"""Checks that a value follows a JSON schema; only the keywords of dpverify's schemas are supported.

A record may come from anyone, so it is checked before use. An unknown keyword in a schema is an internal error and
never skipped. This is no general validator; the tests compare it with one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
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
_NESTED = {"required", "properties", "additionalProperties", "items", "anyOf", "$ref"}


def schema_fault(value: Any, schema: Schema, *, root: Schema | None = None, at: str = "the record") -> str:
    """The first fault as one line; empty when there is none.

    ValueError when the schema uses an unsupported keyword.
    """
    root = schema if root is None else root
    for word, asked in schema.items():
        if word in _OF_VALUE:
            fits, words = _OF_VALUE[word]
            if not fits(value, asked):
                return f"{at} is {_short(value)}, {words(asked)}"
        elif word in _NESTED:
            if found := next(filter(None, _nested(word, value, asked, schema, root, at)), ""):
                return found
        elif word not in _SILENT:
            raise ValueError(f"the schema word {word!r} is not known")
    return ""


def _nested(word: str, value: Any, asked: Any, schema: Schema, root: Schema, at: str) -> Iterator[str]:
    """Faults by a word that looks inside the value, or at other schemas; empty texts where there is none."""
    match word:
        case "required" if isinstance(value, dict):
            yield from (f"{at} has no {name}" for name in asked if name not in value)
        case "properties" if isinstance(value, dict):
            for name, of in asked.items():
                if name in value:
                    yield schema_fault(value[name], of, root=root, at=f"{name} of {at}")
        case "additionalProperties" if isinstance(value, dict):
            for name in (name for name in value if name not in schema.get("properties", {})):
                if asked is False:
                    yield f"{at} has {_short(name)}, which no record has"
                else:
                    yield schema_fault(value[name], asked, root=root, at=f"{name} of {at}")
        case "items" if isinstance(value, list):
            for place, each in enumerate(value):
                yield schema_fault(each, asked, root=root, at=f"entry {place} of {at}")
        case "anyOf":
            found = [schema_fault(value, each, root=root, at=at) for each in asked]
            yield found[0] if all(found) else ""
        case "$ref":
            yield schema_fault(value, root["$defs"][asked.removeprefix("#/$defs/")], root=root, at=at)


def _types(asked: Any) -> list[str]:
    return [asked] if isinstance(asked, str) else asked


def _same(value: Any, asked: Any) -> bool:
    return bool(value == asked and isinstance(value, bool) == isinstance(asked, bool))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


_number = _TYPES["number"]
_OF_VALUE: dict[str, tuple[Callable[[Any, Any], bool], Callable[[Any], str]]] = {
    "type": (
        lambda value, asked: any(_TYPES[name](value) for name in _types(asked)),
        lambda asked: f"not {' or '.join(_types(asked))}",
    ),
    "const": (_same, lambda asked: f"not {asked!r}"),
    "enum": (
        lambda value, asked: any(_same(value, each) for each in asked),
        lambda asked: f"not one of {', '.join(map(str, asked))}",
    ),
    "minimum": (lambda value, least: not (_number(value) and value < least), lambda least: f"below {least}"),
    "exclusiveMinimum": (
        lambda value, least: not (_number(value) and value <= least),
        lambda least: f"not above {least}",
    ),
    "maximum": (lambda value, most: not (_number(value) and value > most), lambda most: f"above {most}"),
    "minItems": (
        lambda value, least: not (isinstance(value, list) and len(value) < least),
        lambda least: f"of fewer than {least}",
    ),
    "maxItems": (
        lambda value, most: not (isinstance(value, list) and len(value) > most),
        lambda most: f"of more than {most}",
    ),
    "minProperties": (
        lambda value, least: not (isinstance(value, dict) and len(value) < least),
        lambda least: f"of fewer than {least} names",
    ),
    "pattern": (
        lambda value, asked: not isinstance(value, str) or re.search(asked, value) is not None,
        lambda _asked: "which is not as it should be written",
    ),
}
"""Words that ask something of the value itself: whether it fits, and what else it is."""
