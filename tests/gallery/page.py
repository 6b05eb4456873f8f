"""The gallery's page: a table of all bugs, and for each what was claimed, what was measured, its witness and picture.

All numbers come from records; the texts come from the bugs' files. Both are plain mappings here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpverify.reporting.formatting import number, number_down
from dpverify.reporting.gallery_lines import counted, measured_line, picture_of
from dpverify.reporting.markdown_text import code, prose, row
from dpverify.runner.atomic_files import write_atomically

Entry = tuple[Mapping[str, Any], Mapping[str, Any] | None]
"""A bug's fields, and its record where there is one."""

PAGE, FOLDER = "gallery.md", "gallery"

VERDICT = {"refuted": "claim refuted", "not_refuted": "claim not refuted", "error": "could not be run"}

INTRODUCTION = (
    "Each row is a public report about a real release of a real library (what was found here says so), run "
    "again. *Release*: the old release itself was installed from the package index into an environment of its "
    "own. *Written anew*: it cannot be run here, and the fault was written again from its public description. "
    "What the library claims is read from the library where it says so in code (a privacy map, an accountant), "
    "else from its documentation. A statistical refutation is false with probability at most {alarm:g} for each "
    "row; its bound is a lower bound on the truth at confidence 1 - {alarm:g}, from draws that did not choose the "
    "event. *Not refuted* means that these draws found no violation, and the sentence beside it says what they "
    "would have found. Exact rows draw nothing. All data are made up. A report that did not hold when it was run "
    "is a row, too."
)


def gallery_page(entries: Sequence[Entry], *, alarm: float) -> Iterator[str]:
    """Return the lines of the page."""
    kept = [(bug, item) for bug, item in entries if item is not None]
    yield from ("# A gallery of real bugs", "", INTRODUCTION.format(alarm=alarm), "")
    yield (
        counted(kept)
        + " Made by `python -m tests.gallery.reproduce` from `reports/gallery/`; `dpverify gallery --list` shows it in"
    )
    yield from ("a terminal.", "")
    yield row(["bug", "library", "what is run", "claimed", "measured", "verdict", "s"])
    yield row(["---", "---", "---", "---:", "---:", "---", "---:"])
    for bug, item in kept:
        yield row(
            [
                f"[{code(bug['name'])}](#{bug['name']})",
                prose(f"{bug['library']} {bug['version']}"),
                prose(bug["kind"]),
                number(item.get("claimed")),
                _measured(item),
                prose(VERDICT.get(item["verdict"], str(item["verdict"]))),
                f"{item['seconds']:.0f}",
            ]
        )
    for bug, item in kept:
        yield from ("", *_section(bug, item))


def _measured(item: Mapping[str, Any]) -> str:
    if item.get("bound") is None:
        return "-"
    return f"≥ {number_down(item['bound'])}{' (exact)' if item.get('exact') else ''}"


def _section(bug: Mapping[str, Any], item: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"## {bug['name']}", "", f"**{prose(bug['title'])}.**", "")
    yield f"- Where: {prose(bug['library'])} {prose(bug['version'])} ({_run_how(bug, item)})"
    reports = ", ".join(f"<{address}>" for address in bug["reports"])
    yield f"- Report: {reports or 'none known; found here'}"
    yield f"- Claimed: {code(bug['claim'])}. {prose(bug['says'])}."
    yield f"- Wrong: {prose(bug['wrong'])}"
    yield f"- Measured: {prose(measured_line(item))}"
    yield from _witness(bug, item)
    yield f"- Again: {code(bug['command'])} ({item['seconds']:.0f} s{_installed(item)})"
    yield f"- Fix: {prose(bug['fix'])}{_fixed(item)}"
    if bug["note"]:
        yield f"- Note: {prose(bug['note'])}"
    if picture_of(item) is not None:
        yield from ("", f"![Trade-off picture of {bug['name']}]({FOLDER}/{bug['name']}.svg)")


def _run_how(bug: Mapping[str, Any], item: Mapping[str, Any]) -> str:
    if bug["kind"] == "release":
        return f"the release itself, with {code(', '.join(bug['pins']))} on Python {item['python'] or '-'}"
    return "**written anew** from the public description"


def _witness(bug: Mapping[str, Any], item: Mapping[str, Any]) -> Iterator[str]:
    witness = item.get("witness") or {}
    if "d0" in witness:
        pair = " against ".join(code(json.dumps(witness[name])) for name in ("d0", "d1"))
        yield f"- Pair: {pair} (relation {code(str(item['relation']))})"
        event = str(witness.get("event", ""))
        if event:
            words = f": {prose(bug['shown'])}" if bug["shown"] else ""
            yield f"- Event: {code(event)} ({prose(str(witness.get('direction', '')))}){words}"
    elif witness:
        yield f"- Witness: {code(json.dumps(witness))}{': ' + prose(bug['shown']) if bug['shown'] else ''}"


def _installed(item: Mapping[str, Any]) -> str:
    seconds = item.get("install_seconds") or 0
    return f", and {seconds:.0f} s to install it once" if seconds else ""


def _fixed(item: Mapping[str, Any]) -> str:
    fixed = item.get("fixed")
    if fixed is None:
        return ""
    return f". The same look at {code(fixed['release'])}: {prose(measured_line(fixed))}"


def write_gallery(entries: Sequence[Entry], folder: Path, *, alarm: float) -> list[Path]:
    """Write the page and its pictures; the paths."""
    written = [write_atomically(folder / PAGE, "\n".join(gallery_page(entries, alarm=alarm)) + "\n")]
    for bug, item in entries:
        picture = None if item is None else picture_of(item)
        if picture is not None:
            written.append(write_atomically(folder / FOLDER / f"{bug['name']}.svg", picture))
    return written
