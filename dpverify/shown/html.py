"""A result as a page fragment for notebooks: no script, nothing that is fetched, every text escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from dpverify.shown.svg import LINE, SERIES, SOFT, bars_svg, chart_svg, text, tradeoff_svg, whole
from dpverify.shown.tradeoff import picture_of
from dpverify.shown.view import WORDS, Dots, View

MARKS = {"refuted": "✕", "certified": "✓", "not_refuted": "○", "inconclusive": "?", "unsupported": "–", "error": "!"}
COLOURS = {
    "refuted": "#b3261e",
    "certified": "#1f7a3d",
    "not_refuted": "#2c5f8a",
    "inconclusive": "#8a5a00",
    "unsupported": "#5f6773",
    "error": "#7b1fa2",
}
"""White text on each has a contrast of at least 4.5 to 1; the mark and the word say the same without colour."""

MOST_ROWS = 40


def fragment(view: View) -> str:
    """The whole fragment."""
    parts = [f"<div style='font:14px/1.45 system-ui,sans-serif;max-width:860px'>{_head(view)}"]
    parts.append("<div style='display:flex;flex-wrap:wrap;gap:8px 28px;align-items:flex-start'>")
    parts.append(f"<div style='flex:1 1 300px;min-width:0'>{_facts(view.facts)}{_again(view.again)}</div>")
    if drawn := picture(view):
        parts.append(f"<div style='flex:0 1 370px;min-width:0'>{drawn}</div>")
    parts.append("</div>")
    parts += [_table(view.table)] if view.table else []
    parts += [f"<p style='margin:4px 0;opacity:.8'>{escape(note)}</p>" for note in view.notes]
    return "".join([*parts, "</div>"])


def picture(view: View) -> str:
    """The view's picture as SVG; empty where it has none."""
    drawing = picture_of(view.tradeoff)
    if drawing is not None:
        return tradeoff_svg(drawing, label=f"Error rates of an attacker: {view.title}")
    if view.chart is not None:
        return chart_svg(view.chart, label=view.title)
    if view.measured is not None:
        name, claimed, bound = view.measured
        return bars_svg(name, claimed, bound, label=f"{name}: claimed {claimed:.4g}, shown at least {bound:.4g}")
    if view.dots is not None and view.dots.drawn():
        return dots_svg(view.dots, label=view.title, most=MOST_ROWS)
    return ""


def _head(view: View) -> str:
    badge = ""
    if view.verdict:
        style = f"background:{COLOURS[view.verdict]};color:#fff;border-radius:9px;padding:1px 9px;font-weight:600"
        badge = f"<span style='{style}'>{MARKS[view.verdict]} {escape(view.before)}{WORDS[view.verdict]}</span> "
    return f"<div style='margin:2px 0 6px;overflow-wrap:anywhere'>{badge}{escape(view.title)}</div>"


def _facts(facts: Sequence[tuple[str, str]]) -> str:
    rows = [
        f"<tr><th scope='row' style='text-align:left;vertical-align:top;padding:1px 12px 1px 0;font-weight:600;"
        f"background:none'>{escape(name)}</th><td style='text-align:left;padding:1px 0;overflow-wrap:anywhere;"
        f"background:none'>{escape(text)}</td></tr>"
        for name, text in facts
    ]
    return f"<table style='border-collapse:collapse;margin:0'><tbody>{''.join(rows)}</tbody></table>" if rows else ""


def _again(again: str) -> str:
    if not again:
        return ""
    code = f"<pre style='white-space:pre-wrap;overflow-wrap:anywhere;margin:2px 0'>{escape(again)}</pre>"
    return f"<details><summary>run it again</summary>{code}</details>"


def _table(table: Sequence[Sequence[str]]) -> str:
    head, *rows = table
    cell = "padding:2px 12px 2px 0;text-align:left;vertical-align:top"
    lines = ["".join(f"<th scope='col' style='{cell}'>{escape(each)}</th>" for each in head)]
    lines += ["".join(f"<td style='{cell}'>{escape(each)}</td>" for each in row) for row in rows[:MOST_ROWS]]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    more = f"<p>and {len(rows) - MOST_ROWS} more rows</p>" if len(rows) > MOST_ROWS else ""
    return (
        f"<div style='overflow-x:auto'><table style='border-collapse:collapse;margin:6px 0'>{body}</table></div>{more}"
    )


NAMES, ACROSS = 160.0, 180.0
FIRST, LAST = 17, 8
"""Letters of a long name that are kept."""

BELOW = 34.0


def dots_svg(dots: Dots, *, label: str, most: int) -> str:
    """The first `most` rows that have a number; a number beyond all finite ones lies on the right edge."""
    rows, scale = dots.drawn(), dots.scale()
    shown, parts = rows[:most], []
    high = LINE * len(shown)
    for at, words in scale.ticks():
        x = NAMES + ACROSS * at
        parts.append(f'<path d="M{x:.1f} 4V{high + 6:g}" stroke="{SOFT}" stroke-opacity=".18"/>')
        parts.append(text(x, high + 18, words, "middle"))
    for place, (name, values) in enumerate(shown):
        y = LINE * (place + 0.75)
        known = [(number, NAMES + ACROSS * scale.place(each)) for number, each in enumerate(values) if each is not None]
        ends = sorted(x for _, x in known)
        parts.append(text(NAMES - 8, y + 4, _short(name), "end"))
        parts.append(f'<path d="M{ends[0]:.1f} {y:g}H{ends[-1]:.1f}" stroke="{SOFT}"/>')
        parts += [_dot(x, y, number) for number, x in known]
    below = high + BELOW
    parts.append(text(NAMES + ACROSS / 2, below, dots.x, "middle"))
    for number, words in enumerate(dots.marks):
        below += LINE
        parts += [_dot(NAMES, below - 4, number), text(NAMES + 10, below, words, "start")]
    if len(rows) > most:
        below += LINE
        parts.append(text(NAMES, below, f"and {len(rows) - most} more rows", "start"))
    return whole(parts, NAMES + ACROSS + 20, below + 6, label)


def _dot(x: float, y: float, number: int) -> str:
    """Marks differ in being hollow, too."""
    colour = SERIES[number % len(SERIES)]
    return f'<circle cx="{x:.1f}" cy="{y:g}" r="3.5" fill="{"none" if number % 2 else colour}" stroke="{colour}"/>'


def _short(name: str) -> str:
    return name if len(name) <= FIRST + 3 + LAST else f"{name[:FIRST]}...{name[-LAST:]}"
