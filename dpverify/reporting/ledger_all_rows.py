"""Pages behind the ledger's first page: all refuted claims with advice, the repaired claims, every row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpverify.reporting.finding_lines import ranges
from dpverify.reporting.findings import findings
from dpverify.reporting.formatting import VERDICTS
from dpverify.reporting.ledger_first_page import is_privacy_claim, is_repair, link, refuted_originals
from dpverify.reporting.ledger_markdown import table
from dpverify.reporting.ledger_table import claim_in_a_line, margin
from dpverify.reporting.markdown_text import prose, row
from dpverify.reporting.remark_lines import shown_remark

Records = Sequence[Mapping[str, Any]]
BACK = "[First page](../ledger.md)."


def refuted_page(records: Records) -> Iterator[str]:
    """The page of refuted claims: factor, meaning and advice; privacy claims and stated parameters first."""
    fell = refuted_originals(records)
    elsewhere = [item for item in fell if not findings(item).material]
    yield from ("# All refuted claims", "", f"{BACK} A factor is the value found over the value claimed.", "")
    private, others = ([item for item in fell if is_privacy_claim(item) is wanted] for wanted in (True, False))
    if private:
        yield from ("## Refuted privacy claims, and what to do", "")
        yield from _advice(sorted(private, key=lambda item: item in elsewhere))
    if others:
        yield from ("## Other refuted statements: rates, equalities, printed numbers", "")
        yield from _advice(others)
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
    """The page of undecided rows, then every row in a line."""
    yield from ("# All claims", "", BACK, "")
    left = [item for item in records if item["verdict"] in ("unsupported", "inconclusive", "error")]
    if left:
        yield from ("## Not decided", "")
        for item in left:
            yield f"- {link(item, pages='')} {VERDICTS[item['verdict']]}: {prose(item['reason'] or '')}"
        yield from ("", "## All", "")
    yield (
        "`stated` and `worst`: the value found over the value claimed, at the claim's stated parameters and at the "
        "worst ones; above 1 the claim fails. Each row links to its counterexample, its map and the command that "
        "reproduces it."
    )
    yield from ("", table(records, pages=""))


def _advice(records: Records) -> Iterator[str]:
    """For each claim its refuted readings with factors, their meaning and advice; equal texts are written once."""
    grouped: dict[str, list[Mapping[str, Any]]] = {}
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
    yield ""


def _by(item: Mapping[str, Any]) -> str:
    """The factor by which the row fails at the claim's stated parameters, if it does."""
    own = findings(item).stated
    return f" by a factor {margin(own.ratio)}" if own is not None and own.exceeded else " elsewhere in its range"


def _elsewhere(item: Mapping[str, Any]) -> str:
    found = findings(item)
    where = "; ".join(
        f"{name} {', '.join(ranges(parts))}"
        for name, parts in found.map.items()
        if any(part.failed for part in parts) and any(part.points and not part.failed for part in parts)
    )
    ratios = [margin(place.ratio if place else None) for place in (found.stated, found.worst)]
    return row([link(item, pages=""), prose(claim_in_a_line(item)), *ratios, prose(where)])
