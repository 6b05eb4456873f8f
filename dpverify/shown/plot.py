"""A result drawn by matplotlib (the extra ``plot``), for papers and slides."""

from __future__ import annotations

from typing import Any

from dpverify.core.errors import AuditError
from dpverify.core.extras import needed
from dpverify.shown.svg import CLAIM, PROVED, PROVED_WORDS, SERIES, SHOWN, SOFT
from dpverify.shown.tradeoff import Picture, picture_of, ticks
from dpverify.shown.view import Chart, Dots, View


def plot(view: View, ax: Any = None) -> Any:
    """Draw the view's picture on `ax` (a new figure's where it is None); returns the axes.

    Raises
    ------
    InputError
        Where matplotlib is not installed.
    AuditError
        Where the result has no picture.
    """
    drawing = picture_of(view.tradeoff)
    dots = view.dots if view.dots is not None and view.dots.drawn() else None
    if drawing is None and view.chart is None and view.measured is None and dots is None:
        raise AuditError(f"{view.title}: there is nothing to draw: the result has no curve and no bound")
    if ax is None:
        ax = needed("matplotlib.pyplot").subplots()[1]
    if drawing is not None:
        _tradeoff(ax, drawing)
    elif view.chart is not None:
        _chart(ax, view.chart)
    elif view.measured is not None:
        name, claimed, bound = view.measured
        ax.barh(["shown, at least", "claimed"], [bound, claimed], color=[SHOWN, CLAIM])
        ax.set_xlabel(name)
    elif dots is not None:
        _dots(ax, dots)
    verdict = view.verdict.replace("_", " ")
    ax.set_title(f"{verdict}: {view.title}" if verdict else view.title, fontsize="medium", wrap=True)
    return ax


def _tradeoff(ax: Any, drawing: Picture) -> None:
    window = drawing.window
    ax.plot([window.left, window.right], [-window.left, -window.right], ":", color=SOFT, label="no information")
    if drawing.claimed:
        x, y = zip(*drawing.claimed, strict=True)
        ax.plot(x, y, color=CLAIM, label="claimed")
        ax.fill_between(x, y, max(window.high, max(y)), color=CLAIM, alpha=0.1, linewidth=0)
    for points, words, style in (
        (drawing.exact, "exact curve of the witness", "--"),
        (drawing.limits, "upper limits of measured points", "-."),
        (drawing.seen, "seen at thresholds of the scores: no bound", "-"),
        (drawing.certified, "certified: the true curve reaches this line", "--"),
        (drawing.proved, PROVED_WORDS, "-."),
    ):
        if points:
            ax.plot(*zip(*points, strict=True), style, color=PROVED if words == PROVED_WORDS else SHOWN, label=words)
    if drawing.box is not None:
        left, right, low, high = drawing.box
        ax.fill_between([left, right], low, high, color=SHOWN, alpha=0.4, label="measured, with confidence")
    if drawing.point is not None:
        ax.plot(*drawing.point, ".", color=SHOWN, label="observed at the event: an estimate")
    ax.set_xlim(window.left, window.right)
    ax.set_ylim(window.low, window.high)
    ax.set_xticks(*zip(*ticks(window.left, window.right), strict=True))
    ax.set_yticks(*zip(*ticks(window.low, window.high), strict=True))
    ax.set_xlabel("false-positive rate (normal quantiles)")
    ax.set_ylabel("false-negative rate (normal quantiles)")
    ax.legend(fontsize="small")


def _chart(ax: Any, chart: Chart) -> None:
    for series in chart.series:
        (line,) = ax.plot(series.x, series.y, marker="." if series.marked else "", label=series.label)
        if series.low:
            ax.fill_between(series.x, series.low, series.high, color=line.get_color(), alpha=0.15, linewidth=0)
    ax.set_xlabel(chart.x)
    ax.set_ylabel(chart.y)
    ax.legend(fontsize="small")


def _dots(ax: Any, dots: Dots) -> None:
    rows, scale = dots.drawn(), dots.scale()
    marks: list[list[tuple[float, int]]] = [[] for _ in dots.marks]
    for place, (_, values) in enumerate(rows):
        kept = [(number, min(each, scale.high)) for number, each in enumerate(values) if each is not None]
        ends = [each for _, each in kept]
        ax.plot([min(ends), max(ends)], [place, place], color=SOFT, linewidth=1)
        for number, each in kept:
            marks[number].append((each, place))
    for number, label in enumerate(dots.marks):
        colour = SERIES[number % len(SERIES)]
        inside = "none" if number % 2 else colour
        x, y = zip(*marks[number], strict=True) if marks[number] else ((), ())
        ax.plot(x, y, "o", color=colour, markerfacecolor=inside, label=label)
    ax.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize="small" if len(rows) < 30 else "xx-small")
    ax.invert_yaxis()
    ax.set_xscale("log" if scale.log else "linear")
    ax.set_xlim(scale.low, scale.high)
    ax.set_xlabel(dots.x)
    ax.legend(fontsize="small")
