"""One bug of the gallery for the terminal."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpverify.reporting.formatting import number, number_down
from dpverify.shown import tradeoff
from dpverify.shown.svg import tradeoff_svg

WIDE = 80


def lines(bug: Mapping[str, Any], item: Mapping[str, Any] | None) -> Iterator[str]:
    """Say what it is, what was claimed, what was measured, how to repeat it."""
    yield from textwrap.wrap(title(bug), WIDE)
    yield ""
    for label, text in parts(bug, item):
        yield from textwrap.wrap(
            f"{label:<9} {text}", WIDE, subsequent_indent=" " * 10, break_long_words=False, break_on_hyphens=False
        )


def title(bug: Mapping[str, Any]) -> str:
    """Return its name, what is wrong, and where."""
    kind = "" if bug["kind"] == "release" else ", written anew from the public description"
    return f"{bug['name']}: {bug['title']} ({bug['library']} {bug['version']}{kind})"


def parts(bug: Mapping[str, Any], item: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Return the parts of its page, by name."""
    for address in bug["reports"] or ["none known; found here"]:
        yield "report", address
    yield "claimed", f"{bug['claim']}: {bug['says']}"
    yield "wrong", bug["wrong"]
    if item is None:
        yield "measured", f"not yet; {bug['command']}"
    else:
        yield "measured", measured_line(item)
        witness = item.get("witness") or {}
        if "d0" in witness:
            yield "pair", f"{json.dumps(witness['d0'])} against {json.dumps(witness['d1'])}"
            yield "event", f"{witness.get('event', '-')}{': ' + bug['shown'] if bug['shown'] else ''}"
        elif witness:
            yield "witness", json.dumps(witness)
        if "fixed" in item:
            yield "mended", f"{item['fixed']['release']}: {measured_line(item['fixed'])}"
        yield "seconds", f"{item['seconds']:g}"
    yield "fix", bug["fix"]
    if bug["note"]:
        yield "note", bug["note"]
    yield "again", bug["command"]


def counted(kept: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> str:
    """Say in a sentence how many rows there are of which kind."""
    release = sum(bug["kind"] == "release" for bug, _ in kept)
    fell = sum(item["verdict"] == "refuted" for _, item in kept)
    held = sum(item["verdict"] == "not_refuted" for _, item in kept)
    failed = len(kept) - fell - held
    more = f", {failed} could not be run" if failed else ""
    return f"{len(kept)} reports, {release} on the old release itself: {fell} claims refuted, {held} not refuted{more}."


def measured_line(item: Mapping[str, Any]) -> str:
    """The verdict with its numbers, in a sentence."""
    if item["verdict"] == "error":
        return f"could not be run: {item['reason']}"
    bound, claimed = number_down(item["bound"]), number(item["claimed"])
    if item["method"] == "training-step":
        how = f"exact; {item['trials']:,} calls of the step"
    elif item.get("exact"):
        how = f"no draws; by the accountant {item['method']}, never above the truth"
    else:
        draws = "draws" if item["method"] == "binomial" else "draws a side"
        how = f"confidence 1 - {1 - item['confidence']:.0e}, {item['trials']:,} {draws}, method {item['method']}"
    words = {"refuted": "the claim is false", "not_refuted": "the claim is not refuted"}
    said = f"{item['measure']} >= {bound}, claimed {claimed}: {words.get(item['verdict'], item['verdict'])} ({how})."
    if item["verdict"] == "not_refuted" and item.get("detectable") is not None:
        said += (
            f" A true value of {number(item['detectable'])} at the tested event would have been found with 80 % power."
        )
    return f"{said} {item['reason']}".strip()


def picture_of(item: Mapping[str, Any]) -> str | None:
    """The trade-off picture as SVG with a ground of its own; None where there is none to draw."""
    drawing = tradeoff.picture_of(item["picture"]) if item.get("picture") else None
    if drawing is None:
        return None
    svg = tradeoff_svg(drawing, label=f"Trade-off picture of {item['name']}")
    return svg.replace('style="', 'style="background:#fff;color:#222;', 1)
