"""The frontier of a trainer as SVG: the metric over epsilon, claimed and audited, beside calibrated references.

A filled point is on the frontier, a hollow one is dominated. Bands are 95 % intervals. The trainer's bar goes from the
audited lower bound to the claim, a dotted line on to the most that the runs could have certified. A refuted claim is a
cross where it was claimed and a red point where the audit puts it. All texts are escaped.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpverify.core.printable import all_visible
from dpverify.reporting.figure_svg import COLOURS, Axis
from dpverify.reporting.formatting import number, number_down
from dpverify.reporting.templates import environment, picture
from dpverify.runner.atomic_files import write_atomically

TEMPLATE = "frontier.svg.jinja"
WIDTH, HEIGHT = 400.0, 270.0
LEFT, TOP, RIGHT, BELOW = 50.0, 12.0, 14.0, 42.0
LINE = 18.0
MINE = "#1b2430"
SIDE = 2.0
"""The horizontal axis begins at so small a part of the least claimed epsilon, and ends at as large a multiple."""

LEGEND_WIDE = 60


def frontier_svg(found: Mapping[str, Any]) -> str:
    """The figure of a frontier's numbers (`dpverify.frontier.result`)."""
    return picture(TEMPLATE).render(**drawn(found)).lstrip()


def drawn(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the template of the figure needs."""
    across, up = _axes(found)
    colours = {arm["name"]: COLOURS[place % len(COLOURS)] for place, arm in enumerate(found["references"])}
    audits = {audit["epsilon"]: audit for audit in found["audits"]}
    arms = [*colours, found["trainer"]]
    curves = [
        _curve([point for point in found["points"] if point["arm"] == arm], colours.get(arm, MINE), across, up)
        for arm in arms
    ]
    bars = [
        _bar(point, audits[point["epsilon"]], across, up)
        for point in found["points"]
        if point["arm"] == found["trainer"]
    ]
    return {
        "title": f"{found['metric']} of {found['trainer']} by epsilon",
        "wide": LEFT + WIDTH + RIGHT,
        "high": TOP + HEIGHT + BELOW + LINE * len(_legend(arms, {}, found)) + 4.0,
        "left": LEFT,
        "top": TOP,
        "width": WIDTH,
        "height": HEIGHT,
        "across": across.ticks(),
        "up": [(HEIGHT - place, words) for place, words in up.ticks()],
        "x": f"epsilon at delta = {found['settings']['delta']:g} ({found['settings']['relation']})",
        "y": found["metric"],
        "levels": _levels(found, up),
        "curves": curves,
        "bars": bars,
        "legend": _legend(arms, colours, found),
    }


def _axes(found: Mapping[str, Any]) -> tuple[Axis, Axis]:
    epsilons = found["settings"]["epsilons"]
    ends = [audit["lower"] for audit in found["audits"]] + [audit["ceiling"] or 0.0 for audit in found["audits"]]
    low, high = epsilons[0] / SIDE, max(epsilons[-1] * SIDE**0.5, max(ends) * 1.15)
    values = [point[end] for point in found["points"] for end in ("low", "high")]
    values += [found["ceiling"], found["floor"]]
    if found["larger_is_better"]:
        values = [min(max(each, 0.0), 1.0) for each in values]
    bottom, top = min(values), max(values)
    margin = 0.06 * (top - bottom or 0.1)
    across = Axis(low=low, high=high, length=WIDTH, log=True)
    return across, Axis(low=bottom - margin, high=top + margin, length=HEIGHT, log=False)


def _levels(found: Mapping[str, Any], up: Axis) -> list[tuple[float, float, str]]:
    """(height of the line, height of its words, words) of floor and ceiling."""
    lines = [(found["ceiling"], "without privacy"), (found["floor"], "without learning")]
    places = [(HEIGHT - up.place(value), f"{words} {value:.3f}") for value, words in lines]
    (first, _), (second, _) = places
    near = abs(first - second) < LINE
    return [
        (place, place - 4 if not (near and index) else place + 12, words) for index, (place, words) in enumerate(places)
    ]


def _curve(points: Sequence[Mapping[str, Any]], colour: str, across: Axis, up: Axis) -> dict[str, Any]:
    """Band, line and points of an arm; a refuted claim's point is in its bar."""
    placed = [(_x(point["epsilon"], across), point) for point in points]
    edge = [(x, _y(point["high"], up)) for x, point in placed]
    edge += [(x, _y(point["low"], up)) for x, point in reversed(placed)]
    return {
        "colour": colour,
        "band": " ".join(f"{x:.1f},{y:.1f}" for x, y in edge) if len(placed) > 1 else "",
        "whiskers": [(x, _y(point["high"], up), _y(point["low"], up)) for x, point in placed],
        "line": " ".join(f"{x:.1f},{_y(point['mean'], up):.1f}" for x, point in placed),
        "dots": [(x, _y(point["mean"], up), bool(point["dominated"])) for x, point in placed if not point["refuted"]],
        "mine": colour == MINE,
    }


def _bar(point: Mapping[str, Any], audit: Mapping[str, Any], across: Axis, up: Axis) -> dict[str, Any]:
    ceiling = audit["ceiling"]
    lower = _x(audit["lower"], across) if audit["lower"] > across.low else None
    return {
        "y": _y(point["mean"], up),
        "claimed": _x(point["epsilon"], across),
        "lower": 0.0 if lower is None else lower,
        "open": lower is None,
        "ceiling": None if ceiling is None or ceiling <= 0 else _x(ceiling, across),
        "refuted": point["refuted"],
        "dominated": bool(point["dominated"]),
        "words": f"claimed {number(point['epsilon'])}, audited at least {number(audit['lower'], 3)}",
    }


def _legend(arms: Sequence[str], colours: Mapping[str, str], found: Mapping[str, Any]) -> list[dict[str, Any]]:
    entries, y = [], TOP + HEIGHT + BELOW + 8.0
    refuted = any(audit["verdict"] == "refuted" for audit in found["audits"])
    kinds = [
        *(("arm", arm, colours.get(arm, MINE)) for arm in reversed(arms)),
        ("hollow", "hollow: another is better on the same splits, at no larger epsilon", MINE),
        (
            "bar",
            "bar: from the audited lower bound to the claim; last tick: the most that these runs could have certified",
            MINE,
        ),
        *(
            [("refuted", "claim refuted: the cross is where it was claimed, the point where the audit puts it", MINE)]
            if refuted
            else []
        ),
    ]
    for kind, words, colour in kinds:
        for part, line in enumerate(textwrap.wrap(words, LEGEND_WIDE) or [""]):
            entries.append({"kind": kind if part == 0 else "", "words": line, "colour": colour, "y": y})
            y += LINE
    return entries


def _x(value: float, across: Axis) -> float:
    return min(max(across.place(max(value, across.low)), 0.0), WIDTH)


def _y(value: float, up: Axis) -> float:
    if not math.isfinite(value):
        return HEIGHT
    return HEIGHT - min(max(up.place(value), 0.0), HEIGHT)


def write_frontier(
    found: Mapping[str, Any], folder: Path, *, lines: Sequence[tuple[str, str]], reproduce: str
) -> list[Path]:
    """Write both files; every text is escaped, and the page fetches nothing."""
    found = all_visible(found)
    made = environment()
    made.filters |= {"number": number, "lower": number_down}
    page = made.get_template("frontier.html.jinja").render(
        found=found,
        **drawn(found),
        lines=lines,
        arms=[found["trainer"], *(each["name"] for each in found["references"])],
        points={(point["arm"], point["epsilon"]): point for point in found["points"]},
        reproduce=reproduce,
    )
    texts = {"frontier.svg": frontier_svg(found), "frontier.html": page}
    return [write_atomically(folder / name, text) for name, text in texts.items()]
