"""One bug of the gallery for the terminal."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from dpverify.reporting.gallery_page import measured_line

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
