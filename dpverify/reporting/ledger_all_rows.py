"""Pages behind the ledger's first page: all refuted claims with advice, the repaired claims, every row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dpverify.core.record import Record
from dpverify.reporting.finding_lines import ranges
from dpverify.reporting.findings import findings
from dpverify.reporting.formatting import VERDICTS
from dpverify.reporting.ledger_epsilon import epsilon_text, epsilons
from dpverify.reporting.ledger_headlines import beside_text
from dpverify.reporting.ledger_markdown import table
from dpverify.reporting.ledger_objections import numbers_text, shown_remark
from dpverify.reporting.ledger_rows import UNEXAMINED, Records, is_privacy_claim, is_repair, link, refuted_originals
from dpverify.reporting.ledger_standing import HOW, factor_text, objection_of, standing
from dpverify.reporting.ledger_table import claim_in_a_line, margin
from dpverify.reporting.markdown_text import prose, row

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
