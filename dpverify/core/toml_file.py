"""TOML files, and in which line of one each table and key stands, since the standard library's reader does not say.

Limits: keys inside inline tables and arrays have the line of the statement that holds them, keys with quoted names that
of their table.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError, one_line

Place = tuple[str | int, ...]
"""Keys and places in arrays, from the top: ``("audit", 1, "claim")``."""

_HIDDEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}'
    r"|'''(?:[^']|'(?!''))*'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"' + r"|'[^'\n]*+'|#[^\n]*+",
    re.DOTALL,
)
"""Strings and comments, in which no header and no key stands.

No repeated group is possessive: Python 3.11.2 matches such groups wrongly.
"""

_KEY = re.compile(r"\s*([\w\-]+(?:\s*\.\s*[\w\-]+)*)\s*=")


@dataclass(slots=True)
class TomlLines:
    """Lines by place; an unknown key gets the line of its table."""

    lines: dict[Place, int] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> TomlLines:
        """Read off a text that is valid TOML."""
        plain = _HIDDEN.sub(lambda found: "''" + "\n" * found[0].count("\n"), text)
        made, counts, depth = cls(), dict[Place, int](), 0
        at: Place = ()
        for number, (line, whole) in enumerate(zip(plain.split("\n"), text.split("\n"), strict=True), start=1):
            if depth == 0:
                if line.lstrip().startswith("["):
                    at = made._header(whole, counts, number)
                    continue
                if key := _KEY.match(line):
                    made.lines.setdefault((*at, *(part.strip() for part in key[1].split("."))), number)
            depth += sum(line.count(sign) for sign in "[{") - sum(line.count(sign) for sign in "]}")
        return made

    def line(self, place: Place) -> int:
        """The line, from 1."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def _header(self, header: str, counts: dict[Place, int], number: int) -> Place:
        """The place of the table that a header begins; parts that are arrays mean the last entry."""
        place: Place = ()
        below: Any = tomllib.loads(header.strip())
        while below:
            ((part, below),) = below.items()
            place = (*place, part)
            if isinstance(below, list):
                counts[place] = counts.get(place, -1) + 1
                below = {}
            if place in counts:
                place = (*place, counts[place])
        self.lines.setdefault(place, number)
        return place


class TomlFile:
    """One of our own files, which nobody writes to hang a reader; `place` is the entry that is being read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.place: Place = ()
        try:
            self._text = path.read_text(encoding="utf-8")
            self.content: dict[str, Any] = tomllib.loads(self._text)
        except (OSError, ValueError) as problem:
            raise InputError(f"{path}: {one_line(str(problem))}", allowed="a file of TOML in UTF-8") from problem

    @contextmanager
    def faults_in_one_line(self, allowed: str) -> Iterator[None]:
        """Whatever is raised becomes an InputError with the file and the line of `place`.

        `allowed` is for a value of a type that nobody expects there, or a formula that fails.
        """
        try:
            yield
        except InputError as problem:
            what = f"{self._where()}: {problem.what}"
            raise InputError(what, allowed=problem.allowed, remedy=problem.remedy) from problem
        except Exception as problem:
            what = f"{self._where()}: {type(problem).__name__}: {one_line(str(problem))}"
            raise InputError(what, allowed=allowed) from problem

    def _where(self) -> str:
        return f"{self.path}, line {TomlLines.of(self._text).line(self.place)}"
