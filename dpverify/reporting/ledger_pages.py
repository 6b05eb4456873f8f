"""The ledger's pages: ``ledger.md`` for somebody with two minutes, and a page a paper with every row whole.

Everything is read from records; figures are drawn from their maps and from the computations that are registered beside
the algorithms (``registry.figures``). Nothing is typed in: what fell, by how much and where is what the records say,
and a remark stands only while its computation shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpverify.core.figure import Figure
from dpverify.core.inert import inert
from dpverify.core.registry import Registry
from dpverify.reporting.figure_svg import figure_svg, map_svg
from dpverify.reporting.finding_lines import ranges
from dpverify.reporting.findings import findings
from dpverify.reporting.ledger_markdown import anchor, table, whole
from dpverify.reporting.ledger_table import claim_in_a_line, margin, paper_of, stale_of
from dpverify.reporting.markdown_text import code, prose, row
from dpverify.reporting.remark_lines import remark_of
from dpverify.reporting.words import VERDICTS, tally
from dpverify.runner.files import safe_name, write_whole

FOLDER = "ledger"
"""Below the first page: a page a paper, and the pictures."""

Records = Sequence[Mapping[str, Any]]


def write_pages(records: Records, registry: Registry, folder: Path, *, titles: Mapping[str, str]) -> list[Path]:
    """Write the first page, those of the papers, and the pictures; returns the pages. `titles` are the papers'."""
    papers = list(dict.fromkeys(paper_of(item) for item in records))
    placed = _figures(records, registry)
    for name, figure, _ in placed:
        write_whole(folder / FOLDER / f"{safe_name(name)}.svg", figure_svg(figure))
    written = [write_whole(folder / "ledger.md", "\n".join(first_page(records, titles)) + "\n")]
    for paper in papers:
        here = [item for item in records if paper_of(item) == paper]
        drawn = [(name, figure) for name, figure, at in placed if at == paper]
        maps = {item["id"]: _map(item, folder) for item in here}
        text = "\n".join(paper_page(paper, here, figures=drawn, maps=maps)) + "\n"
        written.append(write_whole(folder / FOLDER / f"{safe_name(paper)}.md", text))
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
    write_whole(folder / FOLDER / name, map_svg(title, parts))
    return [(title, name)]


def first_page(records: Records, titles: Mapping[str, str]) -> Iterator[str]:
    """What was checked, what fell, what it means, what to do instead; then every row in a line."""
    records = inert(list(records))
    decided = [item for item in records if item["method"]]
    originals = [item for item in records if not _repair(item)]
    fell = [item for item in originals if item["verdict"] == "refuted"]
    material = [item for item in fell if findings(item).material]
    elsewhere = [item for item in fell if item not in material]
    yield from ("# What five papers on differential privacy claim, and what evidence says", "")
    yield from (*_checked(records, decided, originals), "")
    for paper in dict.fromkeys(paper_of(item) for item in records):
        yield f"- [{prose(paper)}]({FOLDER}/{safe_name(paper)}.md): {prose(titles.get(paper, ''))}"
    yield ""
    yield (
        f"**What fell.** {len(fell)} rows: {len(material)} already at the parameters that the claim names (the paper's "
        f"own, where it has any), {len(elsewhere)} only elsewhere in the range that the claim is for."
    )
    yield ""
    private, others = ([item for item in fell if _of_privacy(item) is wanted] for wanted in (True, False))
    if private:
        yield from ("## Privacy that is not there, and what to do", "")
        yield from _advice(sorted(private, key=lambda item: item not in material))
    if others:
        yield from ("## Other statements that fail: rates, equalities, printed numbers", "")
        yield from _advice(others)
    if elsewhere:
        yield from ("## Where those fail that hold at their own parameters", "")
        yield row(["row", "claim", "own", "worst", "fails where"])
        yield row(["---", "---", "---:", "---:", "---"])
        yield from (_elsewhere(item) for item in elsewhere)
        yield ""
    yield from _repaired(records)
    yield from _open(records)
    yield from ("## Every row", "")
    yield (
        "`own` and `worst`: what was found over what is claimed, at the claim's own parameters and anywhere in its "
        "range; above 1 the claim fails. Each row leads to its witness, its map and the command that gives it back."
    )
    yield from ("", table(records, pages=FOLDER))


def _checked(records: Records, decided: Records, originals: Records) -> Iterator[str]:
    papers = dict.fromkeys(paper_of(item) for item in records)
    methods = sorted({part["auditor"] for item in decided for part in item["evidence"]})
    yield (
        f"**What was checked.** {len(originals)} claims of {', '.join(map(prose, papers))} (each reading of an "
        f"ambiguous one for itself) and {len(records) - len(originals)} repaired ones, by {', '.join(methods)}: "
        f"{prose(tally(records))}. A claim is *refuted* by a witness only, exact or at its stated confidence; *not "
        "refuted* means that this search found no violation, never that there is none."
    )
    stale = sum(bool(stale_of(item)) for item in records)
    if stale:
        yield ""
        yield f"*{stale} of these rows were decided by other code than is here now: `dpverify ledger --rerun`.*"


def _advice(records: Records) -> Iterator[str]:
    """For each claim its readings that fell and by how much, what that means and what to do; said once where the same
    is said of several."""
    grouped: dict[str, list[Mapping[str, Any]]] = {}
    for item in records:
        grouped.setdefault(item["ledger"]["row"], []).append(item)
    for items in grouped.values():
        rows = ", ".join(f"{_link(item)}{_by(item)}" for item in items)
        yield f"- **{prose(items[0]['source'])}** ({rows})."
        said = {(remark["means"], remark["instead"]): None for item in items if (remark := remark_of(item))}
        for means, instead in said:
            yield f"  {prose(means)} *Instead:* {prose(instead)}"
        if not said:
            yield f"  {prose(claim_in_a_line(items[0], place=False))}"
    yield ""


def _of_privacy(item: Mapping[str, Any]) -> bool:
    """Whether somebody's privacy rests on the claim: a guarantee, a sensitivity, or a bound on an epsilon, a delta or a
    divergence; not the rest that lemmas bound."""
    kind, _, words = item["guarantee"].partition("(")
    bounded = words.partition('quantity="')[2].partition('"')[0]
    return kind not in ("UpperBound", "Expectation") or bounded in ("epsilon", "delta", "renyi")


def _by(item: Mapping[str, Any]) -> str:
    """By how much it fails at the claim's own parameters, if it does."""
    own = findings(item).own
    return f" by a factor {margin(own.ratio)}" if own is not None and own.exceeded else " elsewhere in its range"


def _elsewhere(item: Mapping[str, Any]) -> str:
    found = findings(item)
    where = "; ".join(
        f"{name} {', '.join(ranges(parts))}"
        for name, parts in found.map.items()
        if any(part.failed for part in parts) and any(part.points and not part.failed for part in parts)
    )
    ratios = [margin(place.ratio if place else None) for place in (found.own, found.worst)]
    return row([_link(item), prose(claim_in_a_line(item)), *ratios, prose(where)])


def _repaired(records: Records) -> Iterator[str]:
    repaired = [item for item in records if _repair(item)]
    if not repaired:
        return
    yield from ("## The same, repaired", "", row(["row", "claim", "verdict", "worst"]))
    yield row(["---", "---", "---", "---:"])
    for item in repaired:
        worst = findings(item).worst
        told = [prose(claim_in_a_line(item)), VERDICTS[item["verdict"]], margin(worst.ratio if worst else None)]
        yield row([_link(item), *told])
    yield ""


def _open(records: Records) -> Iterator[str]:
    left = [item for item in records if item["verdict"] in ("unsupported", "inconclusive", "error")]
    if left:
        yield from ("## Not decided", "")
        yield from (f"- {_link(item)} {VERDICTS[item['verdict']]}: {prose(item['reason'] or '')}" for item in left)
        yield ""


def _link(item: Mapping[str, Any]) -> str:
    return f"[{code(item['id'])}]({FOLDER}/{safe_name(paper_of(item))}.md#{anchor(item)})"


def _repair(item: Mapping[str, Any]) -> bool:
    return re.search(r"-R(\.|$)", item["id"]) is not None


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
