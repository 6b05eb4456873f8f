"""The ledger's pages: ``ledger.md`` as a summary, pages of all rows, and a detailed page for each paper.

All content is read from records; figures are drawn from their maps and from the computations in ``registry.figures``.
Verdicts, factors and places come from the records, and a remark is shown only while its computation confirms it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dpverify.core.ledger_words import Figure
from dpverify.core.printable import all_visible
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.reporting.figure_svg import figure_svg, map_svg
from dpverify.reporting.findings import findings
from dpverify.reporting.formatting import tally
from dpverify.reporting.ledger_all_rows import refuted_page, repaired_page, rows_page
from dpverify.reporting.ledger_first_page import FELL, FOLDER, REPAIRED, ROWS, first_page
from dpverify.reporting.ledger_markdown import row_section
from dpverify.reporting.ledger_table import paper_of
from dpverify.reporting.markdown_text import prose
from dpverify.runner.atomic_files import safe_name, write_atomically

Records = Sequence[Record]


def write_pages(records: Records, registry: Registry, folder: Path, *, titles: Mapping[str, str]) -> list[Path]:
    """Write all pages and figures; returns the pages. `titles` are those of the papers."""
    # What a figure or a table says is no privacy claim, and has pages of its own (`utility_pages`).
    records = [item for item in records if item["subject"] not in registry.experiments]
    papers = list(dict.fromkeys(paper_of(item) for item in records))
    placed = _figures(records, registry)
    for name, figure, _ in placed:
        write_atomically(folder / FOLDER / f"{safe_name(name)}.svg", figure_svg(figure))
    quiet = all_visible(list(records))
    pages = {
        "ledger.md": first_page(quiet, titles),
        f"{FOLDER}/{FELL}": refuted_page(quiet),
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
    """Name, figure, and the paper on whose page it is shown: that of its first shown claim."""
    papers = {item["id"]: paper_of(item) for item in records}
    found = []
    for name, figure in registry.figures.items():
        at = next((papers[claim] for claim in figure.claims if claim in papers), None)
        if at is not None:
            found.append((name, figure, at))
    return found


def _map(item: Record, folder: Path) -> list[tuple[str, str]]:
    """The figure of where a refuted row fails, if its search has a map."""
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
    """A paper's rows in detail; a figure follows the last shown one of its claims."""
    yield from (f"# {prose(paper)}: every claim whole", "", f"[All papers](../ledger.md). {prose(tally(records))}.", "")
    shown = [item["id"] for item in records]
    for item in records:
        pictures = list((maps or {}).get(item["id"], ()))
        yield from row_section(item, pictures=pictures)
        for name, figure in figures:
            if item["id"] == [claim for claim in figure.claims if claim in shown][-1]:
                yield from (f"![{prose(figure.title)}]({safe_name(name)}.svg)", "", f"*{prose(figure.note)}*", "")
