"""Escapes text from records for Markdown (GitHub flavoured), so that it is shown literally and has no effect.

Characters with a meaning in Markdown or HTML become character references. Text that a hosting service would still act
upon (a mention, an issue reference, an address) is put into ``<code>``, where services ignore it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dpverify.core.printable import visible

_READ = re.compile(r"[&<\\`*\[|~$]|^[>+=]|^-(?=.)|^\d+[.)](?=\s|$)|(?<![^\W_])_|_(?![^\W_])")
_ACTED_UPON = re.compile(r"[@#]|://|www\.|\bGH-\d", re.IGNORECASE)
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_PLAIN_IN_CODE = re.compile(r"[^\s`|\\](?:[^`|\\]*[^\s`|\\])?")


def prose(text: str) -> str:
    """Text in a sentence or a cell, on one line; only words that would be acted upon are put into ``<code>``."""
    text = visible(text).strip()
    if not _ACTED_UPON.search(text):
        return _READ.sub(_reference, text)
    return " ".join(_quoted(word) if _ACTED_UPON.search(word) else _READ.sub(_reference, word) for word in text.split())


def code(text: str) -> str:
    """A name or a command, on one line."""
    text = visible(text)
    return f"`{text}`" if _PLAIN_IN_CODE.fullmatch(text) else _quoted(text)


def row(cells: Iterable[str]) -> str:
    """A line of a table; the cells are Markdown already."""
    return f"| {' | '.join(cells)} |"


def _quoted(text: str) -> str:
    return f"<code>{_PUNCTUATION.sub(_reference, text)}</code>"


def _reference(found: re.Match[str]) -> str:
    return f"{found[0][:-1]}&#{ord(found[0][-1])};"
