"""A result as `rich` prints it: the verdict coloured, names of facts bold."""

from __future__ import annotations

from typing import Any

from dpverify.shown.view import WORDS, View

STYLES = {
    "refuted": "bold white on red",
    "certified": "bold white on green",
    "not_refuted": "bold white on blue",
    "inconclusive": "bold black on yellow",
    "unsupported": "bold white on bright_black",
    "error": "bold white on magenta",
}


def renderable(view: View) -> Any:
    """Return what `rich.print` draws."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    head = Text()
    if view.verdict:
        head.append(f" {view.before}{WORDS[view.verdict]} ", STYLES[view.verdict])
        head.append(" ")
    head.append(view.title)
    facts = Table.grid(padding=(0, 2))
    for name, text in view.facts:
        facts.add_row(Text(name, "bold"), Text(text))
    parts: list[Any] = [head, facts]
    if view.table:
        table = Table()
        for each in view.table[0]:
            table.add_column(each)
        for row in view.table[1:]:
            table.add_row(*map(Text, row))
        parts.append(table)
    parts += [Text(note, "dim") for note in view.notes]
    return Group(*parts)
