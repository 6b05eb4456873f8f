"""The two tables of the ledger's first page: what fails at numbers of the paper, and what at numbers of ours.

A row needs an objection to stand in either, and a reading that the paper's own text excludes stands in neither. Of each
sentence of a paper one reading is shown, that of the largest loss. Rows stand in the order of what a user of the
algorithm loses at those numbers, then in the papers' order; never in that of the factor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dpverify.core.record import Record
from dpverify.reporting.findings import findings
from dpverify.reporting.formatting import VERDICTS
from dpverify.reporting.ledger_epsilon import epsilon_text
from dpverify.reporting.ledger_markdown import Records, is_privacy_claim, link, refuted_originals
from dpverify.reporting.ledger_objections import numbers_text
from dpverify.reporting.ledger_standing import (
    HOW,
    MEANING,
    by_the_paper,
    factor_text,
    may_be_headline,
    objection_of,
    rank,
    standing,
)
from dpverify.reporting.ledger_table import claim_in_a_line, margin, reading_of
from dpverify.reporting.markdown_text import prose, row

MATERIAL = 1.1
"""Smallest factor of a headline."""
REMARK = 2
"""The rank of rows by which a user loses neither privacy nor has too small a sensitivity."""
FOLDER = "ledger/"
HEADS = ("what fails", "by how much, at which numbers", "the authors' strongest objection", "what is left")
LOST = ("Privacy at these numbers", "A sensitivity, hence noise, that is too small", "Neither: remarks")


class Headlines(NamedTuple):
    """The rows of both tables, in order."""

    paper: list[Record]
    ours: list[Record]


def headlines(records: Records) -> Headlines:
    """Return the rows for headlines: by the papers' numbers, all losses; by ours, no remarks."""
    fell = [item for item in refuted_originals(records) if may_be_headline(item) and _material(item)]
    paper = _first_of_each(
        [item for item in fell if by_the_paper(item) and (rank(item) < REMARK or is_privacy_claim(item))]
    )
    shown = {_row(item) for item in paper}
    others = [item for item in fell if not by_the_paper(item) and rank(item) < REMARK and _row(item) not in shown]
    return Headlines(paper=paper, ours=_first_of_each(others))


def headline_tables(shown: Headlines, records: Records) -> Iterator[str]:
    """Both tables with what their columns mean."""
    if not any(shown):
        return
    known = {item["id"]: item for item in records}
    words = "; ".join(f"*{HOW[how]}*: {said}" for how, said in MEANING.items())
    yield from (
        "In both tables rows stand in the order of what a user of the algorithm loses: privacy, then a sensitivity, "
        "then neither; first those whose factor, too, is at the paper's own numbers. A factor is the value found over "
        "the value claimed, in the unit named. "
        f"{words[0].upper()}{words[1:]}. Beside it stands epsilon at the paper's delta, found for claimed, where it "
        "is defined; what was found is a lower bound of what the method in brackets gives. Rates, equalities and "
        "printed numbers that are no privacy claims, and excesses below a tenth, are behind the links below. Each row "
        "links to its counterexample, and to what to do instead. The objections are ours: we wrote down what the "
        "authors could say; they were not asked, and conceded nothing.",
        "",
    )
    if shown.paper:
        yield from ("## Refuted at numbers that the paper prints or uses", "")
        yield from _table(shown.paper, known)
    if shown.ours:
        yield from ("## Refuted at numbers of ours", "")
        yield (
            "Nothing here says that a run of the paper lost privacy: these claims are stated more widely than what was "
            "run, and fail at numbers or under conditions that we chose, which are named."
        )
        yield from ("", *_table(shown.ours, known))


def beside_text(item: Record, known: Mapping[str, Record], *, pages: str) -> str:
    """The claims named beside a row with their verdicts and ratios, in Markdown; empty for none."""
    told = objection_of(item)
    return "; ".join(_beside(known[name], pages) for name in (told or {}).get("beside", ()) if name in known)


def _beside(item: Record, pages: str) -> str:
    own = findings(item).stated
    ratio = f", {margin(own.ratio)} times what is claimed at the numbers that the row states" if own is not None else ""
    said = reading_of(item["statement"])[1]
    reading = f" ({prose(said[1:-1])})" if said else ""
    return f"{link(item, pages=pages)}{reading} is {VERDICTS[item['verdict']]}{ratio}"


def _table(items: Sequence[Record], known: Mapping[str, Record]) -> Iterator[str]:
    yield from (row(HEADS), row(["---"] * len(HEADS)))
    before = None
    for item in items:
        if rank(item) != before:
            before = rank(item)
            yield row([f"**{LOST[before]}**", *[""] * (len(HEADS) - 1)])
        yield row(_cells(item, known))
    yield ""


def _cells(item: Record, known: Mapping[str, Record]) -> list[str]:
    told, found = objection_of(item), standing(item)
    assert told is not None
    assert found is not None
    near = beside_text(item, known, pages=FOLDER)
    return [
        f"{prose(item['source'])} {link(item, pages=FOLDER)}: {prose(claim_in_a_line(item, place=False))}",
        f"{_size(item)}, {HOW[found.how]}; {prose(epsilon_text(item)) or 'no epsilon'}. *At* {numbers_text(item)}.",
        prose(told["says"]),
        f"{prose(told['left'])}{f' Beside it: {near}.' if near else ''}",
    ]


def _size(item: Record) -> str:
    """Return the factor. If only our own numbers give its size, first say that the claim fails without them."""
    told, factor = objection_of(item), prose(factor_text(item))
    if by_the_paper(item) and told is not None and told["scale"]:
        return f"**Fails at the paper's numbers.** By how much depends on numbers of ours, too: {factor}"
    return f"**{factor}**"


def _material(item: Record) -> bool:
    found = standing(item)
    return found is not None and found.factor >= MATERIAL


def _row(item: Record) -> str:
    return str(item["ledger"]["row"])


def _first_of_each(items: Sequence[Record]) -> list[Record]:
    """Return the first reading of each sentence, by rank (a stable sort); one that a search found comes last."""
    first: dict[str, Record] = {}
    for item in sorted(items, key=lambda each: (rank(each), _searched(each))):
        first.setdefault(_row(item), item)
    places = {id(item): place for place, item in enumerate(items)}
    return sorted(first.values(), key=lambda each: (rank(each), _ours_for_the_size(each), places[id(each)]))


def _ours_for_the_size(item: Record) -> bool:
    """Tell whether numbers of ours decide by how much a row fails that fails at the paper's."""
    return by_the_paper(item) and bool((objection_of(item) or {}).get("scale"))


def _searched(item: Record) -> bool:
    found = standing(item)
    return found is None or found.how == "searched"
