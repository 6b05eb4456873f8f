"""Results that show themselves: in a notebook, as a plot, in a terminal by `rich`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from dpverify.shown.view import View


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
        from dpverify.shown.terminal import renderable

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
