"""What there is to show of a result, whatever it is shown on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpverify.shown.scale import Scale

WORDS = {
    "refuted": "refuted",
    "certified": "certified",
    "not_refuted": "not refuted",
    "inconclusive": "inconclusive",
    "unsupported": "unsupported",
    "error": "error",
}
"""Verdicts as people read them; nothing here says "private"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotSeries:
    """One curve of a picture: x, y, and the ends of its band where it has one; `marked` draws a dot at each point."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    hollow: Sequence[bool] = ()
    marked: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Curves that are no trade-off curves, with the names of their axes; without series there is nothing to draw.

    `note` is what to know before the picture is quoted.
    """

    x: str
    y: str
    series: Sequence[PlotSeries]
    title: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """Numbers beside each other, a line a thing: dots on one axis, joined from the least to the greatest.

    Attributes
    ----------
    x : str
        The axis.
    marks : sequence of str
        What each number of a row is.
    rows : sequence of (str, sequence of float or None)
        A name, and as many numbers as there are marks; None where there is none.
    """

    x: str
    marks: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float | None]]]

    def drawn(self) -> list[tuple[str, Sequence[float | None]]]:
        """The rows that have a finite number."""
        return [row for row in self.rows if any(each is not None and math.isfinite(each) for each in row[1])]

    def scale(self) -> Scale:
        """Return the scale of all finite numbers."""
        return Scale.of([each for _, values in self.rows for each in values if each is not None])


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A result for the eye.

    Attributes
    ----------
    title : str
        What was looked at.
    verdict : str
        A key of `WORDS`, or "" where nothing was judged.
    before : str
        What stands before the verdict of a pass that says less than it seems to.
    facts : sequence of (str, str)
        Name and text, in the order in which they are read.
    tradeoff : mapping
        The picture of an evidence (`dpverify.core.evidence`); empty where there is none.
    measured : tuple of (str, float, float), or None
        Measure, claimed value and lower bound: drawn as bars where there is no trade-off picture.
    chart : Chart or None
        Another picture.
    dots : Dots or None
        The picture of what has many rows, each with a number or two.
    table : sequence of rows of str
        The first row holds the headings.
    again : str
        What to run to see it again.
    notes : sequence of str
        What to know before it is quoted.
    """

    title: str
    verdict: str = ""
    before: str = ""
    facts: Sequence[tuple[str, str]] = ()
    tradeoff: Mapping[str, Any] = field(default_factory=dict)
    measured: tuple[str, float, float] | None = None
    chart: Chart | None = None
    dots: Dots | None = None
    table: Sequence[Sequence[str]] = ()
    again: str = ""
    notes: Sequence[str] = ()
