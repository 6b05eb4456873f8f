"""Results that show themselves: in a notebook, as a plot, in a terminal by `rich`.

A result as `rich` prints it: the verdict coloured, names of facts bold.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from dpverify.shown.view import WORDS, View


class Displayed(ABC):
    """A result that says what there is to show of it."""

    __slots__ = ()

    @abstractmethod
    def view(self) -> View:
        """The view has everything that there is to show."""

    def _repr_html_(self) -> str:
        """The page fragment that a notebook shows: verdict, bound, event, picture, what would have been caught."""
        from dpverify.shown.html import fragment

        return fragment(self.view())

    def __rich__(self) -> Any:
        """Return what ``rich.print(result)`` draws."""

        return renderable(self.view())

    def plot(self, ax: Any = None) -> Any:
        """Draw the result by matplotlib (``pip install 'dpverify[plot]'``).

        Parameters
        ----------
        ax : matplotlib.axes.Axes or None
            Where to draw; None makes a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            Axes of error rates are scaled in normal quantiles. With the stated confidence the true rates at the event
            lie left of and below the upper right corner of the box; below the claimed curve they refute the claim.

        Raises
        ------
        InputError
            Where matplotlib is not installed.
        AuditError
            Where there is nothing to draw.
        """
        from dpverify.shown.plot import plot

        return plot(self.view(), ax)


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
