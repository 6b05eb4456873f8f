"""Text and files from outside: read whole or refused, in time and memory linear in their size.

What is refused: whatever is no regular file (a folder, a pipe or a device might never end), a file above a stated size,
JSON nested beyond any use (Python's own reader ends in a RecursionError somewhere), and integers that no double holds.
Every refusal is an OSError or a ValueError with a short text; callers say which file or option it was.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

LARGEST = 2**32
"""Bytes of a file of data."""

DEEPEST = 100
"""JSON values inside one another."""

_PART = 2**16
_DIGITS = 309
_SHOWN = 40
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_ESCAPED = re.compile(r"\\.", re.DOTALL)
# All but brackets outside strings. Possessive, and an unclosed string goes to the end: no position is read twice.
_NO_BRACKETS = re.compile(r'"[^"]*+"?+|[^][{}"]++')
_INNERMOST = re.compile(r"\[\]|\{\}")


_MARKS = {codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}
_SEPARATORS = {";": "';'", "\t": "a tab", "|": "'|'"}


def open_regular(path: Path, *, largest: int = LARGEST) -> BinaryIO:
    """The regular file at `path`, open for reading bytes.

    Raises
    ------
    OSError
        As ``open`` does.
    ValueError
        When it is something else than a regular file, or has more than `largest` bytes.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError as problem:
        if problem.errno == getattr(os, "ENXIO", 6):  # a socket
            raise ValueError("it is no regular file") from None
        raise
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise ValueError(f"it is {_KINDS.get(stat.S_IFMT(found.st_mode), 'something else')}, not a regular file")
        if found.st_size > largest:
            raise ValueError(f"it has {found.st_size} bytes, and at most {largest} are read")
        return io.BufferedReader(io.FileIO(handle, "rb", closefd=True))
    except BaseException:
        os.close(handle)
        raise


def read_bytes(path: Path, *, largest: int = LARGEST) -> bytes:
    """All of it; OSError and ValueError as `open_regular` says, also where it grows while it is read."""
    with open_regular(path, largest=largest) as stream:
        content = stream.read(os.fstat(stream.fileno()).st_size)  # `read` takes as much memory as it is asked for
        while len(content) <= largest and (more := stream.read(_PART)):
            content += more
    if len(content) > largest:
        raise ValueError(f"it has more than {largest} bytes, and no more are read")
    return content


def read_text(path: Path, *, largest: int = LARGEST) -> str:
    """All of it, which must be UTF-8; otherwise as `read_bytes`."""
    return read_bytes(path, largest=largest).decode("utf-8-sig")


def parse_json(
    text: str,
    *,
    pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
    constant: Callable[[str], Any] | None = None,
) -> Any:
    """The value that JSON text says; `pairs` and `constant` as ``object_pairs_hook`` and ``parse_constant`` of `json`.

    Raises
    ------
    ValueError
        No JSON (a ``json.JSONDecodeError``), values nested more than `DEEPEST` deep, an integer beyond all doubles; and
        whatever the two functions raise.
    """
    deep = _deeper(text)
    try:
        found = json.loads(text, parse_int=_integer, parse_constant=constant, object_pairs_hook=pairs)
    except RecursionError:
        deep = True
    if deep:
        raise ValueError(f"it is nested more than {DEEPEST} values deep")
    return found


def _deeper(text: str) -> bool:
    """Tell whether brackets stand more than `DEEPEST` deep, if all of them match."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    brackets = _NO_BRACKETS.sub("", _ESCAPED.sub("", text))  # outside strings a backslash is no JSON
    for _ in range(DEEPEST):  # each time the innermost ones go
        if not brackets:
            return False
        brackets = _INNERMOST.sub("", brackets)
    return bool(brackets)


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS + 1:
        raise ValueError(f"an integer of {len(digits)} digits, and no number may have more than {_DIGITS}")
    return int(digits)


def shortened(text: str, *, most: int = _SHOWN) -> str:
    """The beginning of a text that may be long, for a message."""
    return text if len(text) <= most else f"{text[:most]}..."


def csv_text(content: bytes) -> str:
    """The text, without a byte-order mark.

    ValueError for another encoding, and where the first line shows another separator.
    """
    name = next((name for mark, name in _MARKS.items() if content.startswith(mark)), "")
    if name or b"\0" in content[:200]:
        raise ValueError(f"it is text in {name or 'UTF-16, or no text'}: save it as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise ValueError(
            f"the byte 0x{content[problem.start]:02x} in line {line} is no UTF-8, and may be Latin-1 or Windows-1252: "
            "save it as UTF-8"
        ) from None
    first = next((line for line in text[:100_000].splitlines() if line.strip() and not line.startswith("#")), "")
    for separator, told in _SEPARATORS.items():
        if separator in first and '"' not in first and ("," not in first or _are_numbers(first.split(separator))):
            raise ValueError(
                f"its first line separates by {told}: save it with commas between columns and points in numbers "
                "(a text that holds the sign itself stands in quotes)"
            )
    return text


def _are_numbers(cells: list[str]) -> bool:
    """Tell whether all are numbers, those with a decimal comma among them."""
    try:
        return bool([float(cell.replace(",", ".")) for cell in cells])
    except ValueError:
        return False
