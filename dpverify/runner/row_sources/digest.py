"""Computes the digest of all definitions that some objects reach, numbered in the order of first reference.

Two graphs of definitions have the same digest exactly when one becomes the other by renaming and moving (up to
collisions of SHA-256).

An object (a function, a class, settings) is written as a text with gaps for the definitions that it is made by: its
class and the fields that it was made with; cached values are left out. The text is the same in every process: sets are
sorted, arrays are written by content.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from dpverify.core.errors import AuditError
from dpverify.runner.row_sources.definition import GAP, Definition, definition
from dpverify.runner.row_sources.import_graph import OURS, Key, Sources, installed_sources


def digest(things: Iterable[Any], *words: str, sources: Sources | None = None) -> str:
    """Digest of all definitions that `things` reach, of their settings, and of the given `words`.

    Parameters
    ----------
    things : iterable
        Functions, classes, partials of them, objects, plain values, keys of definitions; the order matters.
    words : str
        Further text that the digest covers, such as settings.
    sources : Sources or None
        Where definitions are read; None for the packages of this process.

    Returns
    -------
    str
        Twelve hexadecimal digits, the same for every version of Python.
    """
    sources = sources or installed_sources()
    found = hashlib.sha256()
    for thing in things:
        found.update(_of(sources, object_text(thing, sources)))
    for word in words:
        found.update(f"{len(word)}:{word}\n".encode())
    return found.hexdigest()[:12]


def reached_definitions(things: Iterable[Any], *, sources: Sources | None = None) -> frozenset[Key]:
    """Keys of all definitions that the digest covers."""
    sources = sources or installed_sources()
    return frozenset().union(*(_numbered(sources, object_text(thing, sources))[1] for thing in things))


@cache
def _of(sources: Sources, start: Definition) -> bytes:
    return _numbered(sources, start)[0]


@cache
def _numbered(sources: Sources, start: Definition) -> tuple[bytes, frozenset[Key]]:
    number: dict[Key, int] = {}
    waiting: deque[Key] = deque()
    found = hashlib.sha256()

    def tell(text: bytes, refers: Iterable[Key]) -> None:
        for key in refers:
            if key not in number:
                number[key] = len(number)
                waiting.append(key)
        found.update(text + ",".join(str(number[key]) for key in refers).encode() + b"\n")

    tell(hashlib.sha256(start.text.encode()).digest(), start.refers)
    while waiting:
        text, refers = _shortened(sources, waiting.popleft())
        tell(text, refers)
    return found.digest(), frozenset(number)


def _shortened(sources: Sources, key: Key) -> tuple[bytes, tuple[Key, ...]]:
    if key not in sources.told:
        whole = definition(sources, key)
        sources.told[key] = hashlib.sha256(whole.text.encode()).digest(), whole.refers
    found: tuple[bytes, tuple[Key, ...]] = sources.told[key]
    return found


_PLAIN = (bool, int, float, complex, str, bytes, type(None), range, slice, type(...))


def object_text(thing: Any, sources: Sources) -> Definition:
    """Write an object as a definition without a name.

    AuditError for an object that has no text which is the same in every process.
    """
    refers: list[Key] = []
    text = "".join(_pieces(thing, sources, refers, ()))
    return Definition(text, tuple(refers))


def _pieces(thing: Any, sources: Sources, refers: list[Key], above: tuple[int, ...]) -> Iterator[str]:
    def inner(part: Any) -> str:
        return "".join(_pieces(part, sources, refers, (*above, id(thing))))

    if id(thing) in above:
        yield f"<again {len(above) - above.index(id(thing))}>"
    elif isinstance(thing, Key):
        refers.append(thing)
        yield GAP
    elif isinstance(thing, _PLAIN) and not isinstance(thing, enum.Enum):
        yield f"{type(thing).__name__} {thing!r}"
    elif isinstance(thing, np.generic):
        yield f"{thing.dtype} {thing!r}"
    elif isinstance(thing, np.ndarray):
        yield f"{thing.dtype} {thing.shape} {hashlib.sha256(np.ascontiguousarray(thing).tobytes()).hexdigest()}"
    elif isinstance(thing, list | tuple):
        yield f"{type(thing).__name__}({','.join(map(inner, thing))})"
    elif isinstance(thing, set | frozenset):
        yield f"set({','.join(map(inner, sorted(thing, key=repr)))})"
    elif isinstance(thing, Mapping):
        yield f"map({','.join(f'{inner(name)}:{inner(thing[name])}' for name in sorted(thing, key=repr))})"
    elif isinstance(thing, functools.partial):
        yield f"partial({inner(thing.func)},{inner(thing.args)},{inner(thing.keywords)})"
    elif isinstance(thing, type):
        yield _place(thing, sources, refers)
    elif (bound := getattr(thing, "__self__", None)) is not None and callable(thing):
        yield f"{inner(bound)}.{thing.__name__}"
    elif (function := getattr(thing, "py_func", None) or getattr(thing, "__wrapped__", None)) is not None:
        yield inner(function)
    elif hasattr(thing, "__qualname__"):
        yield _place(thing, sources, refers)
        cells = [cell.cell_contents for cell in getattr(thing, "__closure__", None) or ()]
        yield inner(cells) if cells else ""
    elif isinstance(thing, enum.Enum):
        yield f"{inner(type(thing))}.{thing.name}"
    elif dataclasses.is_dataclass(thing) or type(thing).__module__.partition(".")[0] in OURS:
        yield f"{inner(type(thing))}{inner(_fields(thing))}"
    else:
        raise AuditError(
            f"{type(thing).__module__}.{type(thing).__qualname__} in a setting cannot be told for a digest"
        )


def _fields(thing: Any) -> dict[str, Any]:
    """The fields that an object was made with."""
    if dataclasses.is_dataclass(thing):
        return {each.name: getattr(thing, each.name) for each in dataclasses.fields(thing) if each.init or each.repr}
    computed = {
        name
        for base in type(thing).__mro__
        for name, value in vars(base).items()
        if isinstance(value, functools.cached_property)
    }
    return {name: value for name, value in getattr(thing, "__dict__", {}).items() if name not in computed}


def _place(thing: Any, sources: Sources, refers: list[Key]) -> str:
    """The top-level definition that contains a function or class, or its name where its module is not followed."""
    module, name = thing.__module__, thing.__qualname__
    source = sources.module(module) if sources.follows(module) else None
    outer, _, rest = name.partition(".")
    if source is None or outer not in source.definitions:
        return f"<{name}>" if module.partition(".")[0] in OURS else f"<{module}.{name}>"
    refers.append(Key(module, outer))
    return f"{GAP}.{rest}" if rest else GAP
