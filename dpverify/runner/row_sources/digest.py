"""Computes the digest of all definitions that some objects reach, numbered in the order of first reference.

Two graphs of definitions have the same digest exactly when one becomes the other by renaming and moving (up to
collisions of SHA-256).
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable
from functools import cache
from typing import Any

from dpverify.runner.row_sources.definition import Definition, definition
from dpverify.runner.row_sources.import_graph import Key, Sources, installed_sources
from dpverify.runner.row_sources.live_objects import object_text


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
