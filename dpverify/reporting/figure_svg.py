"""Figures of the ledger as SVG: axes with ticks, curves and a legend; and a row's map as bars.

In every figure claimed curves are grey and dashed, and valid bounds are black. All texts are escaped.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from dpverify.core.ledger_words import Curve, Figure
from dpverify.reporting.findings import RangePart
from dpverify.reporting.formatting import number
from dpverify.reporting.templates import picture

WIDTH, HEIGHT = 460.0, 250.0
LEFT, TOP, RIGHT, BELOW = 62.0, 54.0, 18.0, 46.0
LINE = 17.0
COLOURS = ("#1b6ca8", "#c8553d", "#2e8b57", "#8a5fbf", "#b8860b", "#d16ba5", "#3aa6a6")
CLAIMED, BOUND = "#777777", "#222222"
DASHES = {"claimed": "5 4", "bound": "8 3 2 3"}
MARGIN = 0.05
"""Part of the range that is left free on each side of the vertical axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A range in user units."""

    low: float
    high: float
    length: float
    log: bool

    def place(self, value: float) -> float:
        """Position of a value, in [0, length]."""
        low, high, value = (math.log10(each) if self.log else each for each in (self.low, self.high, value))
        return self.length * (value - low) / (high - low)

    def ticks(self) -> list[tuple[float, str]]:
        """Places and words of four to seven round numbers."""
        return [(self.place(value), _written(value)) for value in _round(self.low, self.high, self.log)]


def figure_svg(figure: Figure) -> str:
    """Compute the figure's curves and draw them as SVG."""
    curves = figure.curves()
    points = [point for curve in curves for run in _runs(figure, curve) for point in run]
    levels = [] if figure.level is None else [figure.level]
    across = axis([x for x, _ in points], WIDTH, figure.log_x, 0.0)
    up = axis([y for _, y in points] + levels, HEIGHT, figure.log_y, MARGIN)
    colours = iter(_colours(curves))
    legend, drawn, y = [], [], TOP + HEIGHT + BELOW + 6.0
    for curve in curves:
        colour = next(colours)
        runs = [[(across.place(a), HEIGHT - up.place(b)) for a, b in run] for run in _runs(figure, curve)]
        lines = [" ".join(f"{a:.1f},{b:.1f}" for a, b in run) for run in runs if len(run) > 1 and curve.kind != "dots"]
        dots = [place for run in runs for place in run if curve.kind == "dots" or len(run) == 1]
        shown = {"colour": colour, "dashes": DASHES.get(curve.kind, ""), "lines": lines, "dots": dots}
        drawn.append(shown)
        for part, words in enumerate(textwrap.wrap(curve.label, 78) or [""]):
            legend.append({**shown, "label": words, "y": y, "first": part == 0})
            y += LINE
    return _filled(
        "figure.svg.jinja",
        title=figure.title,
        titles=list(enumerate(textwrap.wrap(figure.title, 66))),
        wide=LEFT + WIDTH + RIGHT,
        high=y + 2.0,
        left=LEFT,
        top=TOP,
        width=WIDTH,
        height=HEIGHT,
        x=figure.x,
        y=figure.y,
        across=across.ticks(),
        up=[(HEIGHT - place, words) for place, words in up.ticks()],
        level=None if figure.level is None else HEIGHT - up.place(figure.level),
        curves=drawn,
        legend=legend,
    )


def map_svg(title: str, maps: Sequence[tuple[str, Sequence[RangePart]]]) -> str:
    """A row's map: a panel for each parameter, a bar for the largest ratio in each part of its range.

    The claim fails where a bar exceeds the line at 1; parts without a bar were not evaluated.
    """
    worst = [part.worst for _, parts in maps for part in parts if part.worst is not None]
    finite = [each for each in worst if 0 < each < math.inf] or [1.0]
    top, low = max([*finite, 1.0]), min([*finite, 1.0])
    log = top / low > LOG_FROM
    up = Axis(low=10 ** math.floor(math.log10(low)) if log else 0.0, high=top * 1.1, length=MAP_HEIGHT, log=log)
    panels = []
    for name, parts in maps:
        each = MAP_WIDTH / len(parts)
        bars = []
        for place, part in enumerate(parts):
            if part.worst is not None:
                tall = up.place(min(max(part.worst, up.low), up.high))
                bars.append((each * place + 1, MAP_HEIGHT - tall, max(each - 2, 1.0), tall, bool(part.failed)))
        panels.append({"name": name, "low": _written(parts[0].low), "high": _written(parts[-1].high), "bars": bars})
    return _filled(
        "map.svg.jinja",
        title=title,
        panels=[(panel, 52.0 + (MAP_WIDTH + 34.0) * place) for place, panel in enumerate(panels)],
        wide=52.0 + (MAP_WIDTH + 34.0) * len(panels),
        width=MAP_WIDTH,
        height=MAP_HEIGHT,
        level=MAP_HEIGHT - up.place(1.0),
        up=[(MAP_HEIGHT - place, words) for place, words in up.ticks()],
    )


MAP_WIDTH, MAP_HEIGHT = 170.0, 90.0
LOG_FROM = 20.0
"""Ratios with a larger range are drawn on a log scale."""


def _runs(figure: Figure, curve: Curve) -> list[list[tuple[float, float]]]:
    """Segments of points that can be drawn: finite, and above 0 on logarithmic axes."""
    runs: list[list[tuple[float, float]]] = [[]]
    for a, b in curve.points:
        fits = math.isfinite(a) and math.isfinite(b) and (a > 0 or not figure.log_x) and (b > 0 or not figure.log_y)
        if fits:
            runs[-1].append((a, b))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _colours(curves: Sequence[Curve]) -> list[str]:
    free = iter(COLOURS * len(curves))
    fixed = {"claimed": CLAIMED, "bound": BOUND}
    return [fixed[curve.kind] if curve.kind in fixed else next(free) for curve in curves]


def axis(values: Sequence[float], length: float, log: bool, margin: float) -> Axis:
    """The axis that holds these values, with a share of its range free on each side."""
    low, high = min(values), max(values)
    if low == high:
        low, high = (low / 2, high * 2) if log else (low - 0.5, high + 0.5)
    if log:
        factor = (high / low) ** margin
        return Axis(low=low / factor, high=high * factor, length=length, log=True)
    wider = (high - low) * margin
    return Axis(low=0.0 if 0 <= low <= (high - low) / 2 else low - wider, high=high + wider, length=length, log=False)


def _round(low: float, high: float, log: bool) -> list[float]:
    if log and high / low >= 100:
        first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        step = max(1, math.ceil((last - first + 1) / 7))
        return [10.0**power for power in range(first, last + 1, step)]
    if log:
        tens = [10.0**power * digit for power in range(math.floor(math.log10(low)), 40) for digit in (1, 2, 5)]
        inside = [value for value in tens if low <= value <= high]
        return inside if len(inside) >= 2 else [low, high]
    raw = (high - low) / 5
    unit = 10.0 ** math.floor(math.log10(raw))
    even = unit * next(size for size in (1, 2, 2.5, 5, 10) if size * unit >= raw)
    return [even * place for place in range(math.ceil(low / even - 1e-9), math.floor(high / even + 1e-9) + 1)]


def _written(value: float) -> str:
    text = number(value, 3)
    return "0" if abs(value) < 1e-300 else text.replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


def _filled(template: str, **values: object) -> str:
    return picture(template).render(**values).lstrip()
