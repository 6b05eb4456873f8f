"""What a program answers: so many JSON lines, or so many raw doubles; too few, too many or other ones are refused.

The output is the JSON *value* of a line: 1, 1.0 and 1e0 are one output. Numbers are doubles; an integer that no double
holds stays exact, and so, as its text, does a number whose digits are those of no double (``1e400``, or a digit more
than a double has). ``nan``, ``inf`` and ``-inf`` (also ``NaN``, ``Infinity``), which C, awk, Perl and R print, are
numbers, too. An object that has a key twice is refused: readers would see one value of two.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.read_untrusted import DEEPEST, shortened
from dpverify.programs.failure import ProgramError

LONGEST_LINE = 2**20
"""Bytes of one line."""

LARGEST = 2**28
"""Bytes of one answer."""

MOST_WIDTH = 100_000
"""Doubles in one output."""

SURE_DIGITS = 15
"""Characters without an exponent, of which every number is some double's."""

_NUMBER = re.compile(rb"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan|inf|infinity)", re.IGNORECASE)
_INSIDE = re.compile(rb'[\[\]{}",:]')


def answer_width(outputs: str) -> int:
    """Doubles in an output for ``doubles`` and ``doubles:K``; 0 for ``json``.

    InputError for another word.
    """
    word, colon, width = outputs.partition(":")
    if outputs == "json":
        return 0
    if word == "doubles" and (not colon or (width.isdecimal() and 1 <= int(width) <= MOST_WIDTH)):
        return int(width or 1)
    raise InputError(f"outputs {outputs!r}", allowed=f"json, doubles, or doubles:K with K from 1 to {MOST_WIDTH}")


class Lines:
    """An answer of `count` JSON lines.

    Attributes
    ----------
    complete : bool
        Whether all lines have come.
    """

    def __init__(self, count: int) -> None:
        self._count, self._got, self._lines, self._open = count, bytearray(), 0, 0
        self.complete = False

    def feed(self, part: bytes) -> None:
        """Take what came; ProgramError for more than was asked for, and for a line without end."""
        self._got += part
        ends = part.count(b"\n")
        self._lines += ends
        self._open = len(part) - part.rfind(b"\n") - 1 if ends else self._open + len(part)
        if self._lines > self._count or (self._lines == self._count and self._open):
            raise ProgramError(f"printed more than the {self._count} lines that it was asked for")
        if self._open > LONGEST_LINE or len(self._got) > LARGEST:
            what = f"a line of more than {LONGEST_LINE}" if self._open > LONGEST_LINE else f"more than {LARGEST}"
            raise ProgramError(f"printed {what} bytes")
        self.complete = self._lines == self._count

    def close(self) -> None:
        """No more comes: a last line needs no end."""
        if self._open and self._lines == self._count - 1:
            self.feed(b"\n")

    def received(self) -> int:
        """So many lines have come."""
        return self._lines

    def check(self) -> None:
        """ProgramError where one of the lines so far is no JSON value."""
        for place, line in enumerate(bytes(self._got).split(b"\n")[: self._lines], start=1):
            _value(line, place)

    def values(self) -> list[Any]:
        """The outputs; ProgramError for a line that is no JSON value."""
        whole = bytes(self._got)
        if not _INSIDE.search(whole):  # single values: one pass reads them all
            try:
                found = _READ((b"[" + b",".join(whole.splitlines()) + b"]").decode())
            except ValueError:
                pass
            else:
                if len(found) == self._count:
                    return found  # type: ignore[no-any-return]
        return [_value(line, place) for place, line in enumerate(whole.split(b"\n")[: self._count], start=1)]


class Doubles:
    """An answer of `count` outputs of `width` doubles, little-endian, without anything between them."""

    def __init__(self, count: int, width: int) -> None:
        self._count, self._width, self._got = count, width, bytearray()
        self._size = 8 * count * width
        self.complete = False

    def feed(self, part: bytes) -> None:
        """Take what came; ProgramError for more than was asked for."""
        self._got += part
        if len(self._got) > self._size:
            raise ProgramError(f"wrote more than the {self._size} bytes of {self._count} outputs")
        self.complete = len(self._got) == self._size

    def close(self) -> None:
        """Nothing more comes."""

    def check(self) -> None:
        """Every eight bytes are a double."""

    def received(self) -> int:
        """Whole outputs that have come."""
        return len(self._got) // (8 * self._width)

    def values(self) -> Any:
        """The outputs, shape (count,) or (count, width)."""
        found = np.frombuffer(bytes(self._got), dtype="<f8").astype(np.float64)
        return found if self._width == 1 else found.reshape(self._count, self._width)


Answer = Lines | Doubles


def answer_of(count: int, width: int) -> Answer:
    """The answer that is expected."""
    return Doubles(count, width) if width else Lines(count)


def _value(line: bytes, place: int) -> Any:
    line = line.rstrip(b"\r")
    if line.count(b"[") + line.count(b"{") > DEEPEST and _deep(line):
        raise ProgramError(f"printed a line {place} with values more than {DEEPEST} deep in one another")
    try:
        return _READ(line.decode())
    except _TwiceError as problem:
        raise ProgramError(
            f"printed a line {place} with the key {shortened(repr(str(problem)), most=60)} twice"
        ) from None
    except UnicodeDecodeError:
        raise ProgramError(f"printed a line {place} that is no UTF-8: {shortened(repr(line), most=60)}") from None
    except (ValueError, RecursionError):
        if _NUMBER.fullmatch(line.strip()):
            return _double(line.decode().strip())
        told = (
            f"the line {shortened(repr(line.decode()), most=60)}" if line.strip() else f"an empty line (line {place})"
        )
        raise ProgramError(
            f"printed {told}, which is no JSON value: print one output a line, and all else to standard error"
        ) from None


def _deep(line: bytes) -> bool:
    depth = deepest = 0
    for letter in line:
        depth += (letter in b"[{") - (letter in b"]}")
        deepest = max(deepest, depth)
    return deepest > DEEPEST


class _TwiceError(ValueError):
    """A key of an object that has it twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceError(next(name for place, (name, _) in enumerate(pairs) if name in dict(pairs[:place])))
    return found


def _double(text: str) -> float | str:
    """The double whose digits these are, to as many as there are; else the text: no double holds the number."""
    value = float(text)
    if (len(text) <= SURE_DIGITS and "e" not in text.lower()) or repr(value) == text:
        return value
    digits = Decimal(text).as_tuple()
    if not isinstance(digits.exponent, int):  # nan, inf
        return value
    return value if Decimal(f"{value:.{len(digits.digits) - 1}e}") == Decimal(text) else text


def _integer(text: str) -> float | int:
    """A double where it holds the integer."""
    value = float(text)
    if abs(value) < 2.0**53:
        return value
    whole = int(text) if len(text) <= 400 else None
    return value if whole is None or value == whole else whole


_READ: Callable[[str], Any] = json.JSONDecoder(
    parse_int=_integer, parse_float=_double, object_pairs_hook=_object
).decode
