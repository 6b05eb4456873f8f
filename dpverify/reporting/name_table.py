"""A table that begins with a name of any length: it fits the console, and a name is never broken inside a word.

A name that does not fit beside its row's cells stands on a line of its own above them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

LEAST = 8

PIECE = re.compile(r"[^\s.:/,;_-]*[\s.:/,;_-]*")
"""A word of a name with the separators after it; a long name may be broken after one."""


def name_table(
    heads: Sequence[str],
    rows: Sequence[Sequence[Text]],
    console: Console,
    *,
    words: Sequence[str] = (),
    least: int = LEAST,
) -> None:
    """Print heads and rows; the first cell of each is its name.

    Parameters
    ----------
    heads : sequence of str
        A head for each cell.
    rows : sequence of sequence of rich.text.Text
        Cells, each printed whole and on one line, in their style.
    console : rich.console.Console
        Where to; its width counts.
    words : sequence of str
        Heads of columns that stand at the left of their column, as the names do; all others stand at the right.
    least : int
        Columns that the names have at least; the cells beside them may go over the console's width for it.
    """
    wide = [max(cell_len(each.plain) for each in column) for column in zip(*_with(heads, rows), strict=True)]
    beside = console.width - sum(1 + each for each in wide[1:])
    wide[0] = min(wide[0], max(beside, least))
    left = [not place or head in words for place, head in enumerate(heads)]
    _print(console, [Text(head, "bold") for head in heads], wide, left)
    for name, *cells in rows:
        if cell_len(name.plain) > wide[0]:
            for piece in broken(name.plain, console.width):
                console.print(Text(piece, name.style), no_wrap=True)
            name = Text()
        _print(console, [name, *cells], wide, left)


def broken(name: str, wide: int) -> list[str]:
    """Lines of a name, broken after separators where it has any; a longer word is broken where the line ends."""
    lines = [""]
    for piece in PIECE.findall(name):
        if lines[-1] and cell_len(lines[-1] + piece.rstrip()) > wide:
            lines.append("")
        lines[-1] += piece
        while cell_len(lines[-1].rstrip()) > wide:
            cut = next(end for end in range(len(lines[-1]) - 1, 0, -1) if cell_len(lines[-1][:end]) <= wide or end == 1)
            lines[-1:] = [lines[-1][:cut], lines[-1][cut:]]
    return [line.rstrip() for line in lines]


def _with(heads: Sequence[str], rows: Sequence[Sequence[Text]]) -> list[Sequence[Text]]:
    return [list(map(Text, heads)), *rows]


def _print(console: Console, cells: Sequence[Text], wide: Sequence[int], left: Sequence[bool]) -> None:
    line = Text()
    for place, cell in enumerate(cells):
        padding = " " * (wide[place] - cell_len(cell.plain))
        line += Text(" " if place else "")
        line += cell + Text(padding) if left[place] else Text(padding) + cell
    line.rstrip()
    console.print(line, no_wrap=True, overflow="ignore", crop=False)
