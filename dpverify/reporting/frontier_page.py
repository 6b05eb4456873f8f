"""The page of a frontier (``frontier.html``, ``frontier.svg``): figure, verdict lines, tables, how to read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpverify.core.printable import all_visible
from dpverify.reporting.formatting import number, number_down
from dpverify.reporting.frontier_svg import drawn, frontier_svg
from dpverify.reporting.templates import environment
from dpverify.runner.atomic_files import write_atomically


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
