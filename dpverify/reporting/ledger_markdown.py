"""The ledger's rows in Markdown: a table, and a row whole with its findings, its map and its remark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dpverify.core.printable import all_visible
from dpverify.core.record import Record
from dpverify.reporting.findings import Findings, PointResult, findings, ranges
from dpverify.reporting.formatting import (
    VERDICTS,
    confidence_text,
    count,
    draws,
    limits,
    number,
    number_down,
    short_relation,
)
from dpverify.reporting.labelled_lines import pairs
from dpverify.reporting.ledger_objections import objection_section, shown_remark, why_not_shown
from dpverify.reporting.ledger_table import AGAIN, REPLAYED, claim_in_a_line, margin, paper_of, replayed_of, stale_of
from dpverify.reporting.markdown_text import code, prose, row
from dpverify.runner.atomic_files import safe_name

HEADS = ("row", "claim", "relation", "verdict", "stated", "worst", "method", "s")


def table(records: Sequence[Record], *, pages: str | None = None) -> str:
    """The rows by paper; `stated` and `worst` are computed divided by claimed values.

    With `pages`, each row links to its section in that folder: empty for the same folder, else ending in a slash.
    """
    lines: list[str] = []
    paper = ""
    for item in all_visible(list(records)):
        if paper_of(item) != paper or not lines:
            paper = paper_of(item)
            lines += ["", f"**{prose(paper)}**", ""] if paper else [""]
            lines += [row(HEADS), row(["---", "---", "---", "---", "---:", "---:", "---", "---:"])]
        found = findings(item)
        cells = [
            claim_in_a_line(item),
            short_relation(item["relation"]),
            VERDICTS[item["verdict"]] + (" (stale)" if stale_of(item) else " (replayed)" if replayed_of(item) else ""),
            *(margin(place.ratio if place else None) for place in (found.stated, found.worst)),
            item["method"] or "-",
            f"{item['seconds']:.1f}" if item["method"] else "-",
        ]
        name = code(item["id"])
        linked = name if pages is None else f"[{name}]({pages}{paper}.md#{anchor(item)})"
        lines.append(row([linked, *map(prose, cells)]))
    return "\n".join(lines).lstrip("\n") + "\n"


def anchor(item: Record) -> str:
    """The anchor of a row on its paper's page."""
    return "".join(sign if sign.isalnum() else "-" for sign in item["id"]).lower()


def row_section(item: Record, *, pictures: Sequence[tuple[str, str]] = ()) -> Iterator[str]:
    """Lines of a row's section; `pictures` are (caption, file)."""
    item = all_visible(item)
    found = findings(item)
    yield from (f'<a id="{anchor(item)}"></a>', "", f"### {code(item['id'])}: {VERDICTS[item['verdict']]}", "")
    yield from (f"{prose(item['source'])}, relation {prose(item['relation'])}. {prose(item['statement'])}", "")
    if stale_of(item):
        yield from (f"*Stale: {prose(stale_of(item))}. Make it again with {code(AGAIN)}.*", "")
    if replayed_of(item):
        yield from (f"*Replayed: {prose(REPLAYED.format(replayed_of(item)))}.*", "")
    if item["reason"]:
        yield from (prose(item["reason"]), "")
    if item["method"]:
        yield from _margins(found)
        yield from _where(found)
        yield from (line for shown, file in pictures for line in (f"![{prose(shown)}]({file})", ""))
        yield from _remark(item)
        yield from objection_section(item)
        yield from _sure(item)
    yield from (f"Again: {code(item['reproduce'])}", "")


def _margins(found: Findings) -> Iterator[str]:
    places = [("stated", found.stated), ("smallest", found.smallest), ("worst", found.worst)]
    yield row(["", "ratio", "claimed", "found", "", "at"])
    yield row(["---", "---:", "---:", "---:", "---", "---"])
    for name, place in places:
        if place is not None:
            yield row([name, *_cells(place)])
    yield ""


def _cells(place: PointResult) -> list[str]:
    at = pairs({**({"size": place.size} if place.size is not None else {}), **place.parameters})
    told = "fails" if place.exceeded else "holds"
    where = ", ".join(each for each in (place.measure if place.measure != "ratio" else "", at) if each)
    cells = [margin(place.ratio), number(place.claimed, 5), number_down(place.value, 5), told, where]
    return [prose(cell) for cell in cells]


def _where(found: Findings) -> Iterator[str]:
    if not found.failed or not found.looked:
        return
    told = [
        f"{prose(name)} in {prose(', '.join(ranges(parts)))}"
        for name, parts in found.map.items()
        if any(part.failed for part in parts)
    ]
    if told:
        beyond = f" ({found.uncomputed} more could not be computed)" if found.uncomputed else ""
        yield from (f"Failed at {found.failed} of {found.looked} points{beyond}: {'; '.join(told)}.", "")


def _remark(item: Record) -> Iterator[str]:
    remark = shown_remark(item)
    if remark is None:
        if why_not_shown(item):
            yield from (f"*Why: {prose(why_not_shown(item))}.*", "")
        return
    yield from (f"**Why.** {prose(remark['breaks'])}", "")
    for each in remark["numbers"]:
        yield f"- {prose(each['label'])}: {prose(number(each['value'], 5))}"
    if remark["numbers"]:
        yield ""
    yield from (f"**It means.** {prose(remark['means'])}", "", f"**Instead.** {prose(remark['instead'])}", "")


def _sure(item: Record) -> Iterator[str]:
    parts = [f"By {item['method']}, {confidence_text(item)}"]
    parts += [f"{count(draws(item))} draws a side"] if draws(item) else []
    parts += [f"{item['seconds']:.1f} s"]
    others = [
        f"{part['auditor']} says {VERDICTS.get(part['says'], part['says'])} ({confidence_text(part)})"
        for part in item["evidence"][1:]
    ]
    told = [", ".join(parts), limits(item), *others]
    yield from (f"{prose('; '.join(each for each in told if each))}.", "")


Records = Sequence[Record]
UNEXAMINED = ("unsupported", "inconclusive", "error")
"""Verdicts of rows on which nothing was found, either way."""


def is_repair(item: Record) -> bool:
    """Tell whether the row is of a repaired claim."""
    return re.search(r"-R(\.|$)", item["id"]) is not None


def is_privacy_claim(item: Record) -> bool:
    """Tell whether the claim is about privacy: a guarantee, a sensitivity, or a bound on a privacy measure."""
    kind, _, words = item["guarantee"].partition("(")
    bounded = words.partition('quantity="')[2].partition('"')[0]
    return kind not in ("UpperBound", "Expectation") or bounded in ("epsilon", "delta", "renyi")


def refuted_originals(records: Records) -> list[Record]:
    """The refuted claims of the papers."""
    return [item for item in records if item["verdict"] == "refuted" and not is_repair(item)]


def link(item: Record, *, pages: str) -> str:
    """A link to the row on its paper's page, which is below `pages`."""
    return f"[{code(item['id'])}]({pages}{safe_name(paper_of(item))}.md#{anchor(item)})"


def examined(records: Records) -> str:
    """Say in a sentence what was found on the papers' own claims; repairs are not counted."""
    own = [item for item in records if not is_repair(item)]
    count = {verdict: sum(item["verdict"] == verdict for item in own) for verdict in ("refuted", "certified")}
    open_ = sum(item["verdict"] in UNEXAMINED for item in own)
    rest = len(own) - sum(count.values()) - open_
    begun = (
        "Every claim that we found was examined" if not open_ else f"All but {open_} claims that we found were examined"
    )
    proved = {0: "none is", 1: "1 is"}.get(count["certified"], f"{count['certified']} are")
    return (
        f"{begun}: of {len(own)}, each reading counted, {count['refuted']} are false as stated, {proved} proved, for "
        f"{rest} no violation was found."
    )
