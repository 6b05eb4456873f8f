"""Numbers beside each other as SVG: a line a thing, and a dot a number."""

from __future__ import annotations

from dpverify.shown.svg import LINE, SERIES, SOFT, text, whole
from dpverify.shown.view import Dots

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
