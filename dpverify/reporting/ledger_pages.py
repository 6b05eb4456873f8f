"""The ledger's pages: ``ledger.md`` for somebody with two minutes, the long tail behind it, and a page a paper with
every row whole.

Everything is read from records; figures are drawn from their maps and from the computations that are registered beside
the algorithms (``registry.figures``). Nothing is typed in: what fell, by how much and where is what the records say,
and a remark stands only while its computation shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpverify.core.figure import Figure
from dpverify.core.printable import all_visible
from dpverify.core.registry import Registry
from dpverify.reporting.figure_svg import figure_svg, map_svg
from dpverify.reporting.findings import findings
from dpverify.reporting.formatting import tally
from dpverify.reporting.ledger_all_rows import fell_page, repaired_page, rows_page
from dpverify.reporting.ledger_first_page import FELL, FOLDER, REPAIRED, ROWS, first_page
from dpverify.reporting.ledger_markdown import whole
from dpverify.reporting.ledger_table import paper_of
from dpverify.reporting.markdown_text import prose
from dpverify.runner.atomic_files import safe_name, write_atomically

Records = Sequence[Mapping[str, Any]]


def write_pages(records: Records, registry: Registry, folder: Path, *, titles: Mapping[str, str]) -> list[Path]:
    """Write the first page, the tail's, those of the papers, and the pictures; returns the pages. `titles` are the
    papers'."""
    papers = list(dict.fromkeys(paper_of(item) for item in records))
    placed = _figures(records, registry)
    for name, figure, _ in placed:
        write_atomically(folder / FOLDER / f"{safe_name(name)}.svg", figure_svg(figure))
    quiet = all_visible(list(records))
    pages = {
        "ledger.md": first_page(quiet, titles),
        f"{FOLDER}/{FELL}": fell_page(quiet),
        f"{FOLDER}/{REPAIRED}": repaired_page(quiet),
        f"{FOLDER}/{ROWS}": rows_page(quiet),
    }
    written = [write_atomically(folder / name, "\n".join(lines) + "\n") for name, lines in pages.items()]
    for paper in papers:
        here = [item for item in records if paper_of(item) == paper]
        drawn = [(name, figure) for name, figure, at in placed if at == paper]
        maps = {item["id"]: _map(item, folder) for item in here}
        text = "\n".join(paper_page(paper, here, figures=drawn, maps=maps)) + "\n"
        written.append(write_atomically(folder / FOLDER / f"{safe_name(paper)}.md", text))
    return written


def _figures(records: Records, registry: Registry) -> list[tuple[str, Figure, str]]:
    """Name, figure, and the paper on whose page it stands: that of the first of its claims that is shown."""
    papers = {item["id"]: paper_of(item) for item in records}
    found = []
    for name, figure in registry.figures.items():
        at = next((papers[claim] for claim in figure.claims if claim in papers), None)
        if at is not None:
            found.append((name, figure, at))
    return found


def _map(item: Mapping[str, Any], folder: Path) -> list[tuple[str, str]]:
    """The picture of where a refuted row fails, where its search has one."""
    found = findings(item)
    parts = [(name, parts) for name, parts in found.map.items() if parts]
    if item["verdict"] != "refuted" or not parts or not found.failed:
        return []
    name = f"map-{safe_name(item['id'])}.svg"
    title = f"Where {item['id']} fails: the largest ratio found in each part of a parameter's range"
    write_atomically(folder / FOLDER / name, map_svg(title, parts))
    return [(title, name)]


def paper_page(
    paper: str,
    records: Records,
    *,
    figures: Sequence[tuple[str, Figure]] = (),
    maps: Mapping[str, Sequence[tuple[str, str]]] | None = None,
) -> Iterator[str]:
    """A paper's rows whole; a figure stands behind the last shown of its claims."""
    yield from (f"# {prose(paper)}: every claim whole", "", f"[All papers](../ledger.md). {prose(tally(records))}.", "")
    shown = [item["id"] for item in records]
    for item in records:
        pictures = list((maps or {}).get(item["id"], ()))
        yield from whole(item, pictures=pictures)
        for name, figure in figures:
            if item["id"] == [claim for claim in figure.claims if claim in shown][-1]:
                yield from (f"![{prose(figure.title)}]({safe_name(name)}.svg)", "", f"*{prose(figure.note)}*", "")
