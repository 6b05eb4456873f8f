"""In which line of a TOML text each table and key stands, since the standard library's reader does not say.

Limits: keys inside inline tables and arrays have the line of the statement that holds them, keys with quoted names that
of their table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

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

_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.\- \t]+?)\s*\]\]?\s*$")
_KEY = re.compile(r"\s*([\w\-]+(?:\s*\.\s*[\w\-]+)*)\s*=")


@dataclass(slots=True)
class TomlLines:
    """Lines by place; an unknown key gets the line of its table."""

    lines: dict[Place, int] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> TomlLines:
        """Read off a text that is valid TOML."""
        plain = _HIDDEN.sub(lambda found: "''" + "\n" * found[0].count("\n"), text)
        made, table, counts, depth = cls(), (), dict[Place, int](), 0
        at: Place = table
        for number, line in enumerate(plain.split("\n"), start=1):
            if depth == 0:
                if header := _HEADER.match(line):
                    at = made._header(header, counts, number)
                    continue
                if key := _KEY.match(line):
                    made.lines.setdefault((*at, *_parts(key[1])), number)
            depth += sum(line.count(sign) for sign in "[{") - sum(line.count(sign) for sign in "]}")
        return made

    def line(self, place: Place) -> int:
        """The line, from 1."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def _header(self, header: re.Match[str], counts: dict[Place, int], number: int) -> Place:
        """The place of the table that a header begins; parts that are arrays mean the last entry."""
        place: Place = ()
        parts = _parts(header[2])
        for index, part in enumerate(parts):
            place = (*place, part)
            if header[1] == "[[" and index == len(parts) - 1:
                counts[place] = counts.get(place, -1) + 1
            if place in counts:
                place = (*place, counts[place])
        self.lines.setdefault(place, number)
        return place


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in name.split("."))
