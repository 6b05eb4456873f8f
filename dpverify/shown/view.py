"""What there is to show of a result, whatever it is shown on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
    """Numbers beside each other, a line a thing: dots on one axis, joined from the least to the greatest."""

    x: str
    """The axis."""
    marks: Sequence[str]
    """What each number of a row is."""
    rows: Sequence[tuple[str, Sequence[float | None]]]
    """A name, and as many numbers as there are marks; None where there is none."""

    def drawn(self) -> list[tuple[str, Sequence[float | None]]]:
        """The rows that have a finite number."""
        return [row for row in self.rows if any(each is not None and math.isfinite(each) for each in row[1])]

    def scale(self) -> Scale:
        """Return the scale of all finite numbers."""
        return Scale.of([each for _, values in self.rows for each in values if each is not None])


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A result for the eye."""

    title: str
    """What was looked at."""
    verdict: str = ""
    """A key of `WORDS`, or "" where nothing was judged."""
    before: str = ""
    """What stands before the verdict of a pass that says less than it seems to."""
    facts: Sequence[tuple[str, str]] = ()
    """Name and text, in the order in which they are read."""
    tradeoff: Mapping[str, Any] = field(default_factory=dict)
    """The picture of an evidence (`dpverify.core.evidence`); empty where there is none."""
    measured: tuple[str, float, float] | None = None
    """Measure, claimed value and lower bound: drawn as bars where there is no trade-off picture."""
    chart: Chart | None = None
    """Another picture."""
    dots: Dots | None = None
    """The picture of what has many rows, each with a number or two."""
    table: Sequence[Sequence[str]] = ()
    """The first row holds the headings."""
    again: str = ""
    """What to run to see it again."""
    notes: Sequence[str] = ()
    """What to know before it is quoted."""


STEEP = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The range of an axis."""

    low: float
    high: float
    log: bool

    @classmethod
    def of(cls, values: Sequence[float]) -> Scale:
        """A scale that holds the finite ones of these values."""
        finite = [each for each in values if math.isfinite(each)] or [0.0, 1.0]
        low, high = min(finite), max(finite)
        if low > 0.0 and high > STEEP * low:
            return cls(low=low / 1.1, high=high * 1.1, log=True)
        more = 0.05 * (high - low) or 0.5
        return cls(low=low - more, high=high + more, log=False)

    def place(self, value: float) -> float:
        """Position of a value, cut to [0, 1]."""
        low, high, value = self.low, self.high, min(max(value, self.low), self.high)
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return (value - low) / (high - low)

    def ticks(self) -> list[tuple[float, str]]:
        """Positions and words of about five round numbers."""
        if self.log:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            digits = (1, 2, 5) if len(powers) < 4 else (1,)
            values = [digit * 10.0**power for power in powers for digit in digits]
        else:
            raw = (self.high - self.low) / 5.0
            unit = 10.0 ** math.floor(math.log10(raw))
            step = unit * next(size for size in (1, 2, 5, 10) if size * unit >= raw)
            values = [step * count for count in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]
        return [(self.place(each), _words(each)) for each in values if self.low <= each <= self.high]


def _words(value: float) -> str:
    if value == 0.0 or abs(value) >= 1e-3:
        return f"{value:.4g}"
    digits, _, power = f"{value:.3e}".partition("e")
    return f"{float(digits):g}e{int(power)}"
