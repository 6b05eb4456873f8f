"""Pictures of experiments' pages: a panel for each data set and metric, one colour an arm on all pages."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dpverify.reporting.figure_svg import COLOURS, Axis, axis
from dpverify.utility.prices_then import twin

WIDTH, HEIGHT = 300.0, 190.0
LEFT, TOP, RIGHT, BELOW = 52.0, 26.0, 20.0, 38.0
DASHES = {"none": "2 3", "then": "7 4"}
GREY = "#777777"
ARM_COLOURS = (*COLOURS, "#7a3b2e", "#6b7d1e")
BAND = 0.25
"""How far bands are drawn above and below all means, as a share of their range."""
STEEP = 20.0
"""Means that differ by a larger factor are drawn on a logarithmic axis."""

Points = Sequence[Sequence[float]]
"""Rows of x, mean, low, high."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One arm's curve: its colour, its dashes, and its points."""

    label: str
    colour: str
    dashes: str
    points: Points


def colours_of(pages: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """The colour of each private arm, by each page's prices of arms: one on all pages, no two alike on one."""
    by_page = [
        [twin(label, prices) for label, price in prices.items() if price != "none"] for prices in map(dict, pages)
    ]
    places: dict[str, int] = {}
    for label in dict.fromkeys(label for labels in by_page for label in labels):
        taken = {places.get(other) for labels in by_page if label in labels for other in labels}
        places[label] = next(place for place in itertools.count() if place not in taken)
    return {label: ARM_COLOURS[place % len(ARM_COLOURS)] for label, place in places.items()}


def lines_of(curves: Mapping[str, Points], prices: Mapping[str, str], colours: Mapping[str, str]) -> list[Line]:
    """The curves in order, arms that are not private in grey."""
    found = []
    for label, points in curves.items():
        price = prices.get(label, "one")
        colour = GREY if price == "none" else colours.get(twin(label, prices), ARM_COLOURS[0])
        found.append(Line(label=label, colour=colour, dashes=DASHES.get(price, ""), points=points))
    return found


def panel(title: str, lines: Sequence[Line], *, x: str, y: str, log_x: bool) -> dict[str, object] | None:
    """Return the template's values: ticks, curves and bands (intervals of the means); None without points."""
    drawn = [line for line in lines if line.points]
    xs = [point[0] for line in drawn for point in line.points]
    if not xs:
        return None
    leading = [line for line in drawn if line.dashes != DASHES["then"]] or drawn  # what was accounted then may leave
    means = [point[1] for line in leading for point in line.points]
    steep = min(means) > 0 and max(means) > STEEP * min(means)
    more = BAND * max(max(means) - min(means), 1e-9)
    low, high = (min(means) / 2, max(means) * 2) if steep else (min(means) - more, max(means) + more)
    ys = [min(max(value, low), high) for line in drawn for point in line.points for value in point[1:]]
    across, up = axis(xs, WIDTH, log_x and min(xs) > 0, 0.0), axis(ys, HEIGHT, steep, 0.05)
    return {
        "title": title,
        "wide": LEFT + WIDTH + RIGHT,
        "high": TOP + HEIGHT + BELOW,
        "left": LEFT,
        "top": TOP,
        "width": WIDTH,
        "height": HEIGHT,
        "x": x,
        "y": y,
        "across": across.ticks(),
        "up": [(HEIGHT - place, words) for place, words in up.ticks()],
        "curves": [_curve(line, across, up) for line in drawn],
    }


def _curve(line: Line, across: Axis, up: Axis) -> dict[str, object]:
    beside = line.dashes == DASHES["then"] and not up.log  # it may leave the panel
    reach = up.high - up.low if beside else 0.0
    places = [
        (across.place(x), *(HEIGHT - up.place(min(max(value, up.low - reach), up.high + reach)) for value in rest))
        for x, *rest in line.points
    ]
    upper = [f"{a:.1f},{high:.1f}" for a, _, _, high in places]
    lower = [f"{a:.1f},{low:.1f}" for a, _, low, _ in reversed(places)]
    return {
        "label": line.label,
        "colour": line.colour,
        "dashes": line.dashes,
        "line": " ".join(f"{a:.1f},{mean:.1f}" for a, mean, _, _ in places),
        "band": " ".join([*upper, *lower]) if len(places) > 1 else "",
        "whiskers": [(a, low, high) for a, _, low, high in places],
        "dots": [(a, mean) for a, mean, _, _ in places],
    }
