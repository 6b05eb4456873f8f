r"""Text from outside made printable: control characters are written out, so they cannot act in a terminal or hide.

A record, a message or a claim's name may come from a stranger. Escape sequences would drive a terminal, direction
marks would let a line read other than it is, and control characters are no XML. They are written as Python writes them
(``\x1b``, ``\u202e``), and blanks of any kind as blanks. What other signs mean in HTML, XML or Markdown is for each
writer to escape; the exact text stands in the JSON record alone.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any


def visible(text: str, *, lines: bool = False) -> str:
    """`text` with every character that does not print written out; line ends stay, or (without `lines`) are blanks.

    The result is printable (``str.isprintable``) but for those line ends, and so has no character that XML 1.0 forbids.
    """
    if text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    if lines:
        return "\n".join(map(visible, text.split("\n")))
    return "".join(sign if sign.isprintable() else _written(sign) for sign in text)


def all_visible(value: Any, *, lines: bool = False) -> Any:
    """Plain JSON values with every text in them, keys included, made `visible`."""
    if isinstance(value, str):
        return visible(value, lines=lines)
    if isinstance(value, Mapping):
        return {visible(str(name)): all_visible(item, lines=lines) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [all_visible(item, lines=lines) for item in value]
    return value


def _written(sign: str) -> str:
    blank = sign in "\n\t" or unicodedata.category(sign).startswith("Z")
    return " " if blank else sign.encode("unicode_escape").decode("ascii")
