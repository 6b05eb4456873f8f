"""What of a suite file is not as its schema says (``suite_file.schema.json``), each fault with its place.

Only the words of that schema are known; another one is an internal error. Values are quoted in messages, but for data
sets, which are the user's own records.
"""

from __future__ import annotations

import datetime
import difflib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from dpverify.core.read_untrusted import shortened
from dpverify.core.toml_file import Place

DATA = ("data", "d0", "d1")
"""Keys whose values are never quoted."""

_TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    "object": ((dict,), "a table"),
    "array": ((list,), "an array"),
    "string": ((str,), "a string"),
    "boolean": ((bool,), "true or false"),
    "integer": ((int,), "an integer"),
    "number": ((int, float), "a number"),
}
_SILENT = {"$schema", "$defs", "title", "description", "type", "items", "properties", "additionalProperties"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault: where, what is wrong, what is allowed, and how to mend it."""

    place: Place
    what: str
    allowed: str
    remedy: str = ""


@cache
def schema() -> Any:
    """The schema of suite files, as it ships in the package."""
    return json.loads(files("dpverify.suite_file").joinpath("suite_file.schema.json").read_text(encoding="utf-8"))


def faults(value: Any, *, asked: Any = None, place: Place = ()) -> Iterator[Fault]:
    """All faults of a value, in the order of the file."""
    asked = schema() if asked is None else asked
    if "$ref" in asked:
        asked = schema()["$defs"][asked["$ref"].removeprefix("#/$defs/")]
    if asked.get("format") == "date" and type(value) is datetime.date:
        return
    if not _as_asked(value, asked):
        yield Fault(place=place, what=f"{_key(place)} = {_shown(value, place)}", allowed=_allowed(asked))
    elif isinstance(value, dict) and "properties" in asked:
        yield from _of_table(value, asked, place)
    elif isinstance(value, list) and "items" in asked:
        for index, each in enumerate(value):
            yield from faults(each, asked=asked["items"], place=(*place, index))


def _of_table(value: dict[str, Any], asked: Any, place: Place) -> Iterator[Fault]:
    known = asked["properties"]
    for name, each in value.items():
        if name in known:
            yield from faults(each, asked=known[name], place=(*place, name))
            continue
        near = difflib.get_close_matches(name.replace("_", "-").lower(), known, n=1)
        yield Fault(
            place=(*place, name),
            what=f"unknown key {shortened(repr(name), most=60)} of {_table(place)}",
            allowed=", ".join(known),
            remedy=f"did you mean {near[0]}?" if near else "",
        )
    for name in asked.get("required", ()):
        if name not in value and not place:
            remedy = "`dpverify init PACKAGE` writes a first file"
            yield Fault(place=place, what=f"no {name} is declared", allowed=f"[[{name}]] tables", remedy=remedy)
        elif name not in value:
            needs = ", ".join(asked["required"])
            yield Fault(place=place, what=f"{_table(place)} without {name}", allowed=f"{_table(place)} with {needs}")


def _as_asked(value: Any, asked: Mapping[str, Any]) -> bool:
    """Tell whether the value itself is allowed, whatever is inside it."""
    if "enum" in asked:
        return isinstance(value, str) and value in asked["enum"]
    if "type" in asked:
        types = [asked["type"]] if isinstance(asked["type"], str) else asked["type"]
        if not any(isinstance(value, _TYPES[each][0]) and _no_bool(value, each) for each in types):
            return False
    if isinstance(value, float) and not math.isfinite(value):
        return False
    tests: dict[str, Callable[[Any], bool]] = {
        "minimum": lambda least: value >= least,
        "exclusiveMinimum": lambda least: value > least,
        "exclusiveMaximum": lambda most: value < most,
        "pattern": lambda form: re.search(form, value) is not None,
        "minLength": lambda least: len(value.strip()) >= least,
        "minItems": lambda least: len(value) >= least,
        "format": lambda _date: _is_date(value),
        "required": lambda _names: True,
    }
    return all(tests[word](limit) for word, limit in asked.items() if word not in _SILENT)


def _no_bool(value: Any, kind: str) -> bool:
    return kind == "boolean" or not isinstance(value, bool)


def _is_date(value: str) -> bool:
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _allowed(asked: Mapping[str, Any]) -> str:
    """Say in words what a key may hold."""
    if "enum" in asked:
        return " or ".join(asked["enum"])
    if "format" in asked:
        return "a date, such as 2027-01-31"
    if "pattern" in asked:
        return str(asked["description"]).removesuffix(".")
    types = [asked["type"]] if isinstance(asked["type"], str) else asked["type"]
    words = [" or ".join(_TYPES[each][1] for each in types)]
    words += [f">= {asked['minimum']}"] if "minimum" in asked else []
    words += [f"above {asked['exclusiveMinimum']}"] if "exclusiveMinimum" in asked else []
    words += [f"and below {asked['exclusiveMaximum']}"] if "exclusiveMaximum" in asked else []
    words += ["that is not empty"] if {"minLength", "minItems"} & set(asked) else []
    return " ".join(words)


def _table(place: Place) -> str:
    """A table, as it is headed in the file."""
    names = [str(part) for part in place if isinstance(part, str)]
    return "the suite file" if not names else f"[[{names[0]}]]" if len(names) == 1 else f"[{'.'.join(names)}]"


def _key(place: Place) -> str:
    return str(place[-1]) if place and isinstance(place[-1], str) else "entry " + "".join(map(str, place[-1:]))


def _shown(value: Any, place: Place) -> str:
    if set(place) & set(DATA):
        return f"(a {type(value).__name__})"
    return shortened(repr(value), most=60)
