"""Pictures as SVG of a few kilobytes: no script, no font, nothing that is fetched; every text is escaped.

Text has the colour of the page; blue and orange are told apart on white, on black, and without seeing red and green.
Lines differ in dashes, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from dpverify.shown.tradeoff import Picture, Points, Window, inside, ticks
from dpverify.shown.view import Chart, Scale

SOFT, CLAIM, SHOWN, PROVED = "#808080", "#2b7bba", "#d1571f", "#1f7a3d"

PROVED_WORDS = "proved from the code: the true curve is not below"
SERIES = (CLAIM, SHOWN, "#3c9d6b", "#9163b6", "#a88400", "#c7588f")
DASHES = ("", "6 3", "2 2")

WIDE, HIGH = 300.0, 240.0
LEFT, TOP, BELOW, LINE = 50.0, 8.0, 40.0, 16.0
BAR, BARS_WIDE = 170.0, 350.0

Ticks = Sequence[tuple[float, str]]


def tradeoff_svg(picture: Picture, *, label: str) -> str:
    """The trade-off picture with its legend; `label` is read out by screen readers."""
    window = picture.window
    parts = [_region(inside(picture.claimed, window), window)]
    legend: list[tuple[str, str]] = []
    chance = [(window.left, -window.left), (window.right, -window.right)]
    for points, words, colour, dashes in (
        (chance, "no information about the data", SOFT, "1 3"),
        (picture.claimed, "claimed; allowed on and above (shaded)", CLAIM, ""),
        (picture.exact, "exact curve of the witness", SHOWN, "6 3"),
        (picture.limits, "upper limits of measured points, together", SHOWN, "2 2"),
        (picture.seen, "seen at thresholds of the scores: no bound", SHOWN, ""),
        (picture.certified, "certified: the true curve reaches this line", SHOWN, "6 3"),
        (picture.proved, PROVED_WORDS, PROVED, "8 2 2 2"),
    ):
        if len(points) > 1:
            line = inside(points, window)
            parts.append(_stroke(_path(line, window), colour, dashes) if len(line) > 1 else "")
            legend.append((words, _stroke("0 0H22", colour, dashes)))
    if picture.box is not None:
        left, right, low, high = picture.box
        (x, y), (x2, y2) = _place(left, high, window), _place(right, low, window)
        parts.append(_rectangle(x, y, max(x2 - x, 2.5), max(y2 - y, 2.5)))
        legend.append(("measured, with confidence", _rectangle(4, -5, 14, 10)))
    if picture.point is not None:
        x, y = _place(*picture.point, window)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2" fill="{SHOWN}"/>')
        legend.append(("observed at the event: an estimate", f'<circle cx="11" cy="0" r="2.2" fill="{SHOWN}"/>'))
    across = [(_place(at, 0.0, window)[0], words) for at, words in ticks(window.left, window.right)]
    up = [(_place(0.0, at, window)[1], words) for at, words in ticks(window.low, window.high)]
    return framed(parts, across, up, legend, axes=("false-positive rate", "false-negative rate"), label=label)


def bars_svg(name: str, claimed: float, bound: float, *, label: str) -> str:
    """Claimed and shown as two bars, for evidence without a trade-off picture."""
    top = 1.15 * max([each for each in (claimed, bound) if math.isfinite(each)] + [1e-12])
    rows = []
    for place, (words, value, colour) in enumerate((("claimed", claimed, CLAIM), ("shown, at least", bound, SHOWN))):
        y, long = 8 + 30 * place, BAR * max(min(value / top, 1.0), 0.0)
        rows.append(text(104, y + 14, words, "end"))
        rows.append(f'<rect x="110" y="{y}" width="{long:.1f}" height="20" fill="{colour}" fill-opacity=".75"/>')
        rows.append(text(114 + long, y + 14, f"{value:.4g}", "start"))
    return whole([*rows, text(110, 80, name, "start")], BARS_WIDE, 84.0, label)


def chart_svg(chart: Chart, *, label: str) -> str:
    """Curves with their bands; hollow dots where a series says so."""
    across = Scale.of([each for series in chart.series for each in series.x])
    up = Scale.of([each for line in chart.series for values in (line.y, line.low, line.high) for each in values])
    parts, legend = [], []
    for place, series in enumerate(chart.series):
        colour, dashes = SERIES[place % len(SERIES)], DASHES[place // len(SERIES) % len(DASHES)]
        xs = [across.place(each) * WIDE for each in series.x]
        places = [*zip(xs, (HIGH - up.place(each) * HIGH for each in series.y), strict=True)]
        if series.low:
            ends = [*zip(xs, series.high, strict=True), *reversed([*zip(xs, series.low, strict=True)])]
            band = " ".join(f"{x:.1f},{HIGH - up.place(end) * HIGH:.1f}" for x, end in ends)
            parts.append(f'<polygon points="{band}" fill="{colour}" fill-opacity=".13"/>')
        parts.append(_stroke("L".join(f"{x:.1f} {y:.1f}" for x, y in places), colour, dashes))
        for (x, y), hollow in zip(places if series.marked else (), series.hollow or [False] * len(xs), strict=False):
            fill = "none" if hollow else colour
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{fill}" stroke="{colour}"/>')
        legend.append((series.label, _stroke("0 0H22", colour, dashes)))
    return framed(
        parts,
        [(at * WIDE, words) for at, words in across.ticks()],
        [(HIGH - at * HIGH, words) for at, words in up.ticks()],
        legend,
        axes=(chart.x, chart.y),
        label=label,
    )


def framed(
    parts: Sequence[str],
    across: Ticks,
    up: Ticks,
    legend: Sequence[tuple[str, str]],
    *,
    axes: tuple[str, str],
    label: str,
) -> str:
    """Drawn parts in a frame with ticks, names of the axes and a legend below."""
    found = [
        f'<g transform="translate({LEFT:g} {TOP:g})">',
        *[f'<path d="M{at:.1f} 0V{HIGH:g}" stroke="{SOFT}" stroke-opacity=".18"/>' for at, _ in across],
        *[f'<path d="M0 {at:.1f}H{WIDE:g}" stroke="{SOFT}" stroke-opacity=".18"/>' for at, _ in up],
        f'<svg width="{WIDE:g}" height="{HIGH:g}" overflow="hidden">{"".join(parts)}</svg>',
        f'<rect width="{WIDE:g}" height="{HIGH:g}" fill="none" stroke="{SOFT}"/>',
        *[text(at, HIGH + 14, words, "middle") for at, words in across],
        *[text(-5, at + 4, words, "end") for at, words in up],
        text(WIDE / 2, HIGH + 30, axes[0], "middle"),
        f'<g transform="translate(-38 {HIGH / 2:g}) rotate(-90)">{text(0, 0, axes[1], "middle")}</g>',
    ]
    for row, (words, key) in enumerate(legend):
        at = HIGH + BELOW + 6 + LINE * row
        found.append(f'<g transform="translate(0 {at:g})">{key}{text(28, 4, words, "start")}</g>')
    return whole([*found, "</g>"], LEFT + WIDE + 14.0, TOP + HIGH + BELOW + LINE * len(legend) + 4.0, label)


def whole(parts: Sequence[str], wide: float, high: float, label: str) -> str:
    """The drawn parts as one picture."""
    size = f'viewBox="0 0 {wide:g} {high:g}" width="{wide:g}" style="max-width:100%;height:auto"'
    said = f'role="img" aria-label="{escape(label)}" font-size="11" font-family="sans-serif"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {said}>{"".join(parts)}</svg>'


def text(x: float, y: float, words: str, anchor: str) -> str:
    """Words at a place, in the colour of the page."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor">{escape(words)}</text>'


def _stroke(path: str, colour: str, dashes: str) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dashed}/>'


def _rectangle(x: float, y: float, wide: float, high: float) -> str:
    size = f'x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}"'
    return f'<rect {size} fill="{SHOWN}" fill-opacity=".3" stroke="{SHOWN}"/>'


def _place(across: float, up: float, window: Window) -> tuple[float, float]:
    x = (across - window.left) / (window.right - window.left)
    y = (up - window.low) / (window.high - window.low)
    return WIDE * x, HIGH * (1.0 - y)


def _path(points: Points, window: Window) -> str:
    """The points, without those between two others that lie as far above or below the picture."""
    places = [(x, min(max(y, -HIGH), 2.0 * HIGH)) for x, y in (_place(a, b, window) for a, b in points)]
    ends = zip([None, *places], places, [*places[1:], None], strict=False)
    kept = [here for one, here, other in ends if one is None or other is None or not one[1] == here[1] == other[1]]
    return "L".join(f"{x:.1f} {y:.1f}" for x, y in kept)


def _region(points: Points, window: Window) -> str:
    if len(points) < 2:
        return ""
    first = _place(*points[0], window)[0]
    area = f"M{first:.1f} {-HIGH:g}L{_path(points, window)}H{WIDE:g}V{-HIGH:g}Z"
    return f'<path d="{area}" fill="{CLAIM}" fill-opacity=".1"/>'
