"""Galleries: the pages of the records, copied with their pictures; the utility pages are made of the records here."""

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from dpverify.core.plugins import registry
from dpverify.ledger.rows import ledger_records
from dpverify.ledger.utility_records import read_experiment
from dpverify.reporting.utility_pages import write_utility_pages

RENDERED = Path(__file__).parents[2] / "reports" / "rendered"
PAGES = (
    "gallery.md",
    "libraries.md",
    "accountants.md",
    "accountant-benchmark.md",
    "ledger.md",
    "mutants.md",
    "calibration.md",
    "power.md",
    "reliability.md",
)


def pages() -> dict[str, str | bytes]:
    """Markdown pages are built with the site; pages in HTML are files of their own beside it."""
    found = _files(*PAGES, "gallery", "ledger", "power.svg")
    made = {f"records/{name}": _linked(name, data) if name.endswith(".md") else data for name, data in found}
    pages = {**dict(_files("power.html")), **dict(_utility())}
    return made | {f"files/records/{name}": data for name, data in pages.items()}


def _files(*names: str, below: Path = RENDERED) -> Iterator[tuple[str, bytes]]:
    for name in names:
        path = below / name
        for each in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if each.is_file():
                yield each.relative_to(below).as_posix(), each.read_bytes()


def _utility() -> Iterator[tuple[str, bytes]]:
    known = registry()
    statements = {item["id"]: item for item in ledger_records(known)}
    kept = {name: found for name, _ in known.experiments.items() if (found := read_experiment(name)) is not None}
    with TemporaryDirectory() as folder:
        write_utility_pages(known, kept, statements, Path(folder))
        yield from _files(".", below=Path(folder))


def _linked(name: str, data: bytes) -> bytes:
    """Anchors and links as Sphinx has them, where a label is one on all pages; headings one level below the title."""
    page = Path(name).stem
    text = re.sub(r'<a id="([\w-]+)"></a>', rf"({page}.\1)=", data.decode())
    text = re.sub(r"\]\((?:[\w/]+/)?([\w-]+)\.md#([\w-]+)\)", r"](#\1.\2)", text)
    here = set(re.findall(rf"^\({page}\.([\w-]+)\)=$", text, re.MULTILINE))
    text = re.sub(r"\]\(#([\w-]+)\)", lambda found: f"](#{page}.{found[1]})" if found[1] in here else found[0], text)
    if not re.search(r"^## ", text, re.MULTILINE):
        text = re.sub(r"^#(#+ )", r"\1", text, flags=re.MULTILINE)
    if page == "ledger":
        text += "\n```{toctree}\n:hidden:\n:glob:\nledger/*\n```\n"
    return text.encode()
