"""The ledger's pages: ``ledger.md`` as a summary, pages of all rows, and a detailed page for each paper.

All content is read from records, and from the objections beside them; figures are drawn from their maps and from the
computations in ``registry.figures``. Verdicts, factors and places come from the records, and a remark is shown only
while its computation confirms it.

The first page has what was examined, what fell at the papers' own numbers, and what fell at numbers of ours: two
tables, each row with the authors' strongest objection and what is left of the claim if it is granted; ordered by what a
user of the algorithm loses. Everything else is behind links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dpverify.core.ledger_words import Figure
from dpverify.core.printable import all_visible
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.reporting.figure_svg import figure_svg, map_svg
from dpverify.reporting.findings import findings, ranges
from dpverify.reporting.formatting import VERDICTS, tally
from dpverify.reporting.ledger_epsilon import epsilon_text, epsilons
from dpverify.reporting.ledger_headlines import Headlines, beside_text, headline_tables, headlines
from dpverify.reporting.ledger_markdown import (
    UNEXAMINED,
    Records,
    examined,
    is_privacy_claim,
    is_repair,
    link,
    refuted_originals,
    row_section,
    table,
)
from dpverify.reporting.ledger_objections import numbers_text, shown_remark
from dpverify.reporting.ledger_standing import HOW, by_the_paper, factor_text, objection_of, standing
from dpverify.reporting.ledger_table import claim_in_a_line, margin, paper_of, replayed_of, stale_of
from dpverify.reporting.markdown_text import prose, row
from dpverify.runner.atomic_files import safe_name, write_atomically


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


FOLDER = "ledger"
"""Folder below the first page: a page for each paper, further pages, and figures."""
FELL, REPAIRED, ROWS = "all-that-fell.md", "all-repaired.md", "all-rows.md"
"""The tail's pages."""
KINDS = ("at numbers of the paper", "only at numbers of ours", "only in a reading that its text excludes")
"""Of refuted rows."""
OF_ALL = (
    "fail at numbers that the paper prints or uses",
    "only at numbers or under conditions of ours",
    "only in a reading that the paper's own text excludes",
)
"""The same in a sentence on all papers."""
HEADS = ("paper", "title", "claims", "refuted", *(f"of these {kind}" for kind in KINDS))


def first_page(records: Records, titles: Mapping[str, str]) -> Iterator[str]:
    """Lines of the page; `titles` are those of the papers."""
    yield from ("# Five papers on differential privacy: what they claim, and what the evidence says", "")
    yield from _checked(records, titles)
    shown = headlines(records)
    yield from headline_tables(shown, records)
    yield from _more(records, shown)


def _checked(records: Records, titles: Mapping[str, str]) -> Iterator[str]:
    methods = sorted({part["auditor"] for item in records if item["method"] for part in item["evidence"]})
    repairs = sum(is_repair(item) for item in records)
    yield (
        f"**{examined(records)}** {_of_the_false(records)} Besides, {repairs} repaired claims were examined. Methods: "
        f"{', '.join(methods)}. *False as stated*: a counterexample was found, exact or at its stated confidence. "
        "*Proved*: over the finite set or box that its record carries. *No violation was found*: by this search; there "
        "may be one, and nothing is decided."
    )
    stale = sum(bool(stale_of(item)) for item in records)
    if stale:
        yield from (
            "",
            f"*{stale} of these rows were made by an earlier version of the code; `dpverify ledger --refresh` "
            "repeats a small part of each, and makes again what is not identical.*",
        )
    replayed = sum(bool(replayed_of(item)) for item in records)
    if replayed:
        told = (
            "of these rows were made by an earlier version of the code; a small part of each was repeated and is "
            "identical, except where nothing could be measured"
        )
        yield from ("", f"*{replayed} {told}.*")
    yield from ("", row(HEADS))
    yield row(["---", "---", "---:", "---:", "---:", "---:", "---:"])
    for paper in dict.fromkeys(paper_of(item) for item in records):
        here = [item for item in records if paper_of(item) == paper and not is_repair(item)]
        fell = refuted_originals(here)
        kinds = [_kind(item) for item in fell]
        counts = [len(here), len(fell), *(kinds.count(kind) for kind in KINDS)]
        page = f"[{prose(paper)}]({FOLDER}/{safe_name(paper)}.md)"
        yield row([page, prose(titles.get(paper, "")), *map(str, counts)])
    yield ""


def _of_the_false(records: Records) -> str:
    """Say how many of the false claims fail at whose numbers."""
    kinds = [_kind(item) for item in refuted_originals(records)]
    told = [f"{kinds.count(kind)} {words}" for kind, words in zip(KINDS, OF_ALL, strict=True) if kind in kinds]
    return f"Of the false ones, {'; '.join(told)}." if told else ""


def _kind(item: Record) -> str:
    """Say at whose numbers a refuted row fails, or that the paper's own text excludes its reading."""
    if (objection_of(item) or {}).get("excluded"):
        return KINDS[2]
    return KINDS[0] if by_the_paper(item) else KINDS[1]


def _more(records: Records, shown: Headlines) -> Iterator[str]:
    fell = refuted_originals(records)
    elsewhere = sum(not findings(item).material for item in fell)
    open_ = sum(item["verdict"] in UNEXAMINED for item in records)
    repairs = [item for item in records if is_repair(item)]
    excluded = sum(bool((objection_of(item) or {}).get("excluded")) for item in fell)
    yield from ("## More", "")
    yield (
        f"- [All {len(fell)} refuted claims]({FOLDER}/{FELL}), {len(shown.paper) + len(shown.ours)} of them above: "
        f"{len(fell) - elsewhere} at their stated parameters, {elsewhere} only elsewhere in the range that the claim "
        f"covers. Of {excluded} the paper's own text excludes the reading that fails; they are no headlines, and are "
        "listed there with the place. For each: what it means, what to do, what the authors would say."
    )
    yield f"- [The {len(repairs)} repaired claims]({FOLDER}/{REPAIRED}): {prose(tally(repairs)) or 'none'}."
    yield (
        f"- [All claims, a line each]({FOLDER}/{ROWS}){f', {open_} of them not examined' if open_ else ''}; "
        "each links to its counterexample, its map of parameters and the command that reproduces it."
    )


BACK = "[First page](../ledger.md)."


def refuted_page(records: Records) -> Iterator[str]:
    """The page of refuted claims: factor, meaning and advice; privacy claims and stated parameters first."""
    fell = refuted_originals(records)
    elsewhere = [item for item in fell if not findings(item).material]
    yield from ("# All refuted claims", "", f"{BACK} A factor is the value found over the value claimed.", "")
    private, others = ([item for item in fell if is_privacy_claim(item) is wanted] for wanted in (True, False))
    if private:
        yield from ("## Refuted privacy claims, and what to do", "")
        yield from _advice(sorted(private, key=lambda item: item in elsewhere), records)
    if others:
        yield from ("## Other refuted statements: rates, equalities, printed numbers", "")
        yield from _advice(others, records)
    excluded = [item for item in fell if (objection_of(item) or {}).get("excluded")]
    if excluded:
        yield from ("## Readings that the paper's own text excludes", "")
        yield from ("They fail as worded or as printed, and are no headlines.", "")
        yield from (row(["row", "factor", "excluded by"]), row(["---", "---", "---"]))
        yield from (_excluded(item) for item in excluded)
        yield ""
    if elsewhere:
        yield from ("## Claims that fail only away from their stated parameters", "")
        yield row(["row", "claim", "stated", "worst", "fails where"])
        yield row(["---", "---", "---:", "---:", "---"])
        yield from (_elsewhere(item) for item in elsewhere)


def repaired_page(records: Records) -> Iterator[str]:
    """The page of repaired claims and their verdicts."""
    yield from ("# The repaired claims", "", BACK, "", row(["row", "claim", "verdict", "worst"]))
    yield row(["---", "---", "---", "---:"])
    for item in records:
        if is_repair(item):
            worst = findings(item).worst
            told = [prose(claim_in_a_line(item)), VERDICTS[item["verdict"]], margin(worst.ratio if worst else None)]
            yield row([link(item, pages=""), *told])


def rows_page(records: Records) -> Iterator[str]:
    """The page of rows on which nothing was found, then every row in a line."""
    yield from ("# All claims", "", BACK, "")
    left = [item for item in records if item["verdict"] in UNEXAMINED]
    if left:
        yield from ("## Not examined", "")
        for item in left:
            yield f"- {link(item, pages='')} {VERDICTS[item['verdict']]}: {prose(item['reason'] or '')}"
        yield from ("", "## All", "")
    yield (
        "`stated` and `worst`: the value found over the value claimed, at the claim's stated parameters and at the "
        "worst ones; above 1 the claim fails. Each row links to its counterexample, its map and the command that "
        "reproduces it."
    )
    yield from ("", table(records, pages=""))


def _excluded(item: Record) -> str:
    told = objection_of(item) or {}
    return row([link(item, pages=""), prose(factor_text(item)), prose(told["excluded"])])


def _advice(records: Records, everything: Records) -> Iterator[str]:
    """Return each claim's refuted readings with factors, their meaning, advice and objections; equal texts once."""
    known = {item["id"]: item for item in everything}
    grouped: dict[str, list[Record]] = {}
    for item in records:
        grouped.setdefault(item["ledger"]["row"], []).append(item)
    for items in grouped.values():
        rows = ", ".join(f"{link(item, pages='')}{_by(item)}" for item in items)
        yield f"- **{prose(items[0]['source'])}** ({rows})."
        said: dict[str, dict[str, None]] = {}
        for item in items:
            remark = shown_remark(item)
            if remark:
                said.setdefault(remark["instead"], {})[remark["means"]] = None
        for instead, means in said.items():
            yield f"  {' '.join(map(prose, means))} *Instead:* {prose(instead)}"
        if not said:
            yield f"  {prose(claim_in_a_line(items[0], place=False))}"
        yield from _objections(items, known)
    yield ""


def _objections(items: Records, known: Mapping[str, Record]) -> Iterator[str]:
    """Return the authors' objections to these rows, and what is left; equal texts are written once."""
    said: dict[tuple[str, str], list[Record]] = {}
    for item in items:
        told = objection_of(item)
        if told is not None:
            said.setdefault((told["says"], told["left"]), []).append(item)
    for (says, left), rows in said.items():
        named = "" if len(rows) == len(items) else f" to {', '.join(link(item, pages='') for item in rows)}"
        near = beside_text(rows[0], known, pages="")
        at = "; ".join(dict.fromkeys(filter(None, map(numbers_text, rows))))
        yield f"  - *At:* {at}." if at else ""
        yield f"  - *The authors' strongest objection{named}:* {prose(says)}"
        yield f"  - *What is left:* {prose(left)}{f' Beside it: {near}.' if near else ''}"


def _by(item: Record) -> str:
    """The factor by which the row fails and how it is known; that of a search is not at the stated parameters."""
    found = standing(item)
    if found is None:
        return ""
    epsilon = epsilon_text(item) if epsilons(item) else ""
    beside = f"; {epsilon}" if epsilon else ""
    place = " elsewhere in its range" if found.how == "searched" else ""
    return f"{place} by {prose(factor_text(item))}, {HOW[found.how]}{prose(beside)}"


def _elsewhere(item: Record) -> str:
    found = findings(item)
    where = "; ".join(
        f"{name} {', '.join(ranges(parts))}"
        for name, parts in found.map.items()
        if any(part.failed for part in parts) and any(part.points and not part.failed for part in parts)
    )
    ratios = [margin(place.ratio if place else None) for place in (found.stated, found.worst)]
    return row([link(item, pages=""), prose(claim_in_a_line(item)), *ratios, prose(where)])
