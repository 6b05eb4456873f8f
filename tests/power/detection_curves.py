"""Detection curves as inline SVG and as a table: how often each auditor refutes, by the remaining noise.

Horizontal: noise divided by the required noise, 0.5 to 1. Vertical: the fraction of audits that refuted, with its 95 %
interval. At ratio 1 the claim holds, so a fraction above alpha would be false alarms. The trade-off figure of one audit
is in `dpverify.shown.tradeoff`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpverify.reporting.templates import environment

WIDTH, HEIGHT = 360.0, 200.0
LEAST_RATIO = 0.5
COLUMNS, LEGEND = 3, 6
"""Panels, and names of the legend, in a row of the figure."""

CELL = (WIDTH + 70.0, HEIGHT + 100.0)
COLOURS = ("#1b6ca8", "#c8553d", "#2e8b57", "#8a5fbf", "#b8860b", "#444444", "#d16ba5", "#3aa6a6")


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionCurve:
    """One auditor's curve: SVG points, whiskers (x, top, bottom), colour and dashes."""

    auditor: str
    points: str
    dots: tuple[tuple[float, float], ...]
    whiskers: tuple[tuple[float, float, float], ...]
    colour: str
    dashes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """The detection curves of one mechanism."""

    mechanism: str
    claim: str
    curves: tuple[DetectionCurve, ...]


def panels(cells: Sequence[Mapping[str, Any]]) -> list[Panel]:
    """Panels of all mechanisms, from cells with `auditor, mechanism, claim, ratio, detected, repetitions, interval`."""
    auditors = sorted({cell["auditor"] for cell in cells})
    drawn = []
    for mechanism in sorted({cell["mechanism"] for cell in cells}):
        here = [cell for cell in cells if cell["mechanism"] == mechanism]
        curves = [
            _curve(name, auditors.index(name), [cell for cell in here if cell["auditor"] == name])
            for name in sorted({cell["auditor"] for cell in here})
        ]
        drawn.append(Panel(mechanism=mechanism, claim=here[0]["claim"], curves=tuple(curves)))
    return drawn


def _curve(auditor: str, number: int, cells: Sequence[Mapping[str, Any]]) -> DetectionCurve:
    ordered = sorted(cells, key=lambda cell: cell["ratio"])
    dots = [(_across(cell["ratio"]), _up(cell["detected"] / cell["repetitions"])) for cell in ordered]
    return DetectionCurve(
        auditor=auditor,
        points=" ".join(f"{x:.1f},{y:.1f}" for x, y in dots),
        dots=tuple(dots),
        whiskers=tuple(
            (_across(cell["ratio"]), _up(cell["interval"][1]), _up(cell["interval"][0])) for cell in ordered
        ),
        colour=COLOURS[number % len(COLOURS)],
        dashes="" if number < len(COLOURS) else "4 3",
    )


def _across(ratio: float) -> float:
    return round(WIDTH * (ratio - LEAST_RATIO) / (1.0 - LEAST_RATIO), 1)


def _up(share: float) -> float:
    return round(HEIGHT * (1.0 - share), 1)


def page(cells: Sequence[Mapping[str, Any]], *, title: str, note: str) -> str:
    """A self-contained HTML page of all panels; every text is escaped."""
    return _filled("power.html.jinja", title=title, note=note, panels=panels(cells))


def picture(cells: Sequence[Mapping[str, Any]]) -> str:
    """The same panels as one SVG picture, `COLUMNS` a row, with one legend below; every text is escaped."""
    drawn = panels(cells)
    legend = {curve.auditor: curve for panel in drawn for curve in panel.curves}
    rows = -(-len(drawn) // COLUMNS)
    top = rows * CELL[1] + 20.0
    each = COLUMNS * CELL[0] / LEGEND
    return _filled(
        "power.svg.jinja",
        across=COLUMNS * CELL[0],
        down=top + 20.0 * -(-len(legend) // LEGEND) + 10.0,
        placed=[
            (panel, CELL[0] * (place % COLUMNS) + 40.0, CELL[1] * (place // COLUMNS) + 44.0)
            for place, panel in enumerate(drawn)
        ],
        legend=[
            (legend[name], 40.0 + each * (place % LEGEND), top + 20.0 * (place // LEGEND))
            for place, name in enumerate(sorted(legend))
        ],
    ).lstrip()


def _filled(template: str, **values: Any) -> str:
    ratios = [(ratio, _across(ratio)) for ratio in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)]
    shares = [(share, _up(share)) for share in (0.0, 0.5, 1.0)]
    page = environment("tests.power").get_template(template)
    return page.render(width=WIDTH, height=HEIGHT, ratios=ratios, shares=shares, **values)


def table(cells: Sequence[Mapping[str, Any]]) -> list[str]:
    """Markdown lines: a table for each mechanism, auditors down and ratios across."""
    lines = []
    for panel in panels(cells):
        here = [cell for cell in cells if cell["mechanism"] == panel.mechanism]
        ratios = sorted({cell["ratio"] for cell in here})
        lines += ["", f"## {panel.mechanism}: {panel.claim}", ""]
        lines += [f"| auditor | {' | '.join(f'{ratio:g}' for ratio in ratios)} |"]
        lines += [f"|---|{'---:|' * len(ratios)}"]
        for curve in panel.curves:
            mine = {cell["ratio"]: cell for cell in here if cell["auditor"] == curve.auditor}
            shown = [
                f"{mine[ratio]['detected']}/{mine[ratio]['repetitions']}" if ratio in mine else "" for ratio in ratios
            ]
            lines.append(f"| {curve.auditor} | {' | '.join(shown)} |")
    return lines
