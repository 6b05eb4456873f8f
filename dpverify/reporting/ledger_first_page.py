"""The ledger's first page: what was checked, the largest refutations, what to do instead.

For each paper it shows the few privacy claims that fail by the largest factor at their stated parameters, a line each,
with the first sentences of the remark that fit. Everything else is behind links. All content is read from records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpverify.reporting.findings import findings
from dpverify.reporting.formatting import tally
from dpverify.reporting.ledger_markdown import anchor
from dpverify.reporting.ledger_table import claim_in_a_line, margin, paper_of, replayed_of, stale_of
from dpverify.reporting.markdown_text import code, prose, row
from dpverify.reporting.remark_lines import shown_remark
from dpverify.runner.atomic_files import safe_name

Records = Sequence[Mapping[str, Any]]

FOLDER = "ledger"
"""Folder below the first page: a page for each paper, further pages, and figures."""
FELL, REPAIRED, ROWS = "all-that-fell.md", "all-repaired.md", "all-rows.md"
"""The tail's pages."""
MATERIAL = 1.1
"""Smallest ratio at a claim's stated parameters with a line on the first page."""
A_PAPER = 3
"""Most lines for a paper."""
RENYI = "Renyi epsilon"
OF = {"PureDP": "epsilon", "ApproxDP": "epsilon", "RDP": RENYI, "SensitivityBound": "sensitivity"}
"""The quantity of a guarantee's factor, by kind."""
WORDS = 32
"""Most words of a remark that are shown; whole sentences, at least one."""


def first_page(records: Records, titles: Mapping[str, str]) -> Iterator[str]:
    """Lines of the page; `titles` are those of the papers."""
    yield from ("# Five papers on differential privacy: what they claim, and what the evidence says", "")
    yield from _checked(records, titles)
    shown = [items for items in _heaviest(records) if items]
    if shown:
        yield from ("## Refuted at the paper's own numbers, and what to do instead", "")
        yield from _lines(shown)
    yield from _more(records, sum(len(items) for items in shown))


def is_repair(item: Mapping[str, Any]) -> bool:
    """Whether the row is of a repaired claim."""
    return re.search(r"-R(\.|$)", item["id"]) is not None


def is_privacy_claim(item: Mapping[str, Any]) -> bool:
    """Whether the claim is about privacy: a guarantee, a sensitivity, or a bound on an epsilon, delta or divergence."""
    kind, _, words = item["guarantee"].partition("(")
    bounded = words.partition('quantity="')[2].partition('"')[0]
    return kind not in ("UpperBound", "Expectation") or bounded in ("epsilon", "delta", "renyi")


def refuted_originals(records: Records) -> list[Mapping[str, Any]]:
    """The refuted claims of the papers."""
    return [item for item in records if item["verdict"] == "refuted" and not is_repair(item)]


def link(item: Mapping[str, Any], *, pages: str) -> str:
    """A link to the row on its paper's page, which is below `pages`."""
    return f"[{code(item['id'])}]({pages}{safe_name(paper_of(item))}.md#{anchor(item)})"


def sentences(text: str, words: int = WORDS) -> str:
    """The first whole sentences of a text with at most `words` words; at least one."""
    told: list[str] = []
    for each in re.split(r"(?<=[.!?])\s+(?=[A-Z])", text.strip()):
        if told and len(" ".join([*told, each]).split()) > words:
            break
        told.append(each)
    return " ".join(told)


def _checked(records: Records, titles: Mapping[str, str]) -> Iterator[str]:
    methods = sorted({part["auditor"] for item in records if item["method"] for part in item["evidence"]})
    originals = sum(not is_repair(item) for item in records)
    yield (
        f"**What was checked.** {originals} claims (each reading of an ambiguous claim counts) and "
        f"{len(records) - originals} repaired ones, by {', '.join(methods)}: {prose(tally(records))}. *Refuted*: a "
        "counterexample was found, exact or at its stated confidence. *Not refuted*: this search found no violation; "
        "there may be one."
    )
    stale = sum(bool(stale_of(item)) for item in records)
    if stale:
        yield from (
            "",
            f"*{stale} of these rows were decided by an earlier version of the code; `dpverify ledger --refresh` "
            "repeats a small part of each, and decides again what is not identical.*",
        )
    replayed = sum(bool(replayed_of(item)) for item in records)
    if replayed:
        told = (
            "of these rows were decided by an earlier version of the code; a small part of each was repeated and is "
            "identical"
        )
        yield from ("", f"*{replayed} {told}.*")
    yield from ("", row(["paper", "", "claims", "refuted", "of these at the stated parameters"]))
    yield row(["---", "---", "---:", "---:", "---:"])
    for paper in dict.fromkeys(paper_of(item) for item in records):
        here = [item for item in records if paper_of(item) == paper and not is_repair(item)]
        fell = refuted_originals(here)
        counts = [len(here), len(fell), sum(bool(findings(item).material) for item in fell)]
        page = f"[{prose(paper)}]({FOLDER}/{safe_name(paper)}.md)"
        yield row([page, prose(titles.get(paper, "")), *map(str, counts)])
    yield ""


def _heaviest(records: Records) -> Iterator[list[Mapping[str, Any]]]:
    """The rows of each paper that fail most at their stated parameters, each with the first failing reading."""
    for paper in dict.fromkeys(paper_of(item) for item in records):
        first: dict[str, tuple[float, Mapping[str, Any]]] = {}
        for item in refuted_originals(records):
            own = findings(item).stated
            if paper_of(item) != paper or own is None or not own.exceeded or not is_privacy_claim(item):
                continue
            if own.ratio >= MATERIAL:
                first.setdefault(item["ledger"]["row"], (own.ratio, item))
        ranked = sorted(
            first.values(), key=lambda each: -each[0]
        )  # stable sort: equal ratios stay in the paper's order
        yield [item for _, item in ranked[:A_PAPER]]


def _lines(shown: Sequence[Records]) -> Iterator[str]:
    yield (
        "`factor`: value found over value claimed, at the stated parameters (the paper's, where it prints any). Shown "
        f"are the largest {A_PAPER} of each paper among its privacy claims, from {MATERIAL:g} up."
    )
    yield from ("", row(["where", "factor", "what it means", "what to do instead"]), row(["---", "---:", "---", "---"]))
    for items in shown:
        for item in items:
            own, remark = findings(item).stated, shown_remark(item)
            means = sentences(remark["means"]) if remark else claim_in_a_line(item, place=False)
            instead = sentences(remark["instead"], 1) if remark else "-"
            where = f"{prose(item['source'])} {link(item, pages=f'{FOLDER}/')}"
            factor = f"{margin(own.ratio if own else None)} {_of(item, own.measure if own else '')}".strip()
            yield row([where, prose(factor), prose(means), prose(instead)])
    yield ""


def _of(item: Mapping[str, Any], measure: str) -> str:
    """The quantity of a factor; empty where unknown."""
    if measure.startswith(("epsilon", "delta")):
        return measure.partition("(")[0]
    kind, _, words = item["guarantee"].partition("(")
    bounded = words.partition('quantity="')[2].partition('"')[0]
    return {"renyi": RENYI}.get(bounded, bounded) if kind == "UpperBound" else OF.get(kind, "")


def _more(records: Records, shown: int) -> Iterator[str]:
    fell = refuted_originals(records)
    elsewhere = sum(not findings(item).material for item in fell)
    undecided = sum(item["verdict"] in ("unsupported", "inconclusive", "error") for item in records)
    repairs = [item for item in records if is_repair(item)]
    yield from ("## More", "")
    yield (
        f"- [All {len(fell)} refuted claims]({FOLDER}/{FELL}), {shown} of them above: {len(fell) - elsewhere} at their "
        f"stated parameters, {elsewhere} only elsewhere in the range that the claim covers; what each means and what "
        "to do."
    )
    yield f"- [The {len(repairs)} repaired claims]({FOLDER}/{REPAIRED}): {prose(tally(repairs)) or 'none'}."
    yield (
        f"- [All claims, a line each]({FOLDER}/{ROWS}){f', {undecided} of them not decided' if undecided else ''}; "
        "each links to its counterexample, its map of parameters and the command that reproduces it."
    )
