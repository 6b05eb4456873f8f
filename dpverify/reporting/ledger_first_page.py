"""The ledger's first page: what was examined, what fell at the papers' own numbers, what fell at numbers of ours.

Two tables, each row with the authors' strongest objection and what is left of the claim if it is granted; ordered by
what a user of the algorithm loses. Everything else is behind links. All content is read from records and from the
objections beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dpverify.core.record import Record
from dpverify.reporting.findings import findings
from dpverify.reporting.formatting import tally
from dpverify.reporting.ledger_headlines import Headlines, headline_tables, headlines
from dpverify.reporting.ledger_rows import UNEXAMINED, Records, examined, is_repair, refuted_originals
from dpverify.reporting.ledger_standing import by_the_paper, objection_of
from dpverify.reporting.ledger_table import paper_of, replayed_of, stale_of
from dpverify.reporting.markdown_text import prose, row
from dpverify.runner.atomic_files import safe_name

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
