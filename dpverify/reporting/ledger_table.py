"""The ledger in a terminal of 80 columns: two lines a row, and one row whole with its picture. No id is ever broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from dpverify.core.printable import all_visible
from dpverify.core.record import Record
from dpverify.reporting.findings import findings
from dpverify.reporting.formatting import (
    VERDICTS,
    confidence_text,
    count,
    number,
    number_down,
    relation_legend,
    short_relation,
    tally,
)
from dpverify.reporting.labelled_lines import labelled, pairs
from dpverify.reporting.ledger_objections import objection_lines, remark_lines
from dpverify.reporting.row_lines import row_lines
from dpverify.reporting.terminal import STYLE, measured_lines

ID, RELATION, VERDICT, RATIO, METHOD, SECONDS = 29, 3, 13, 7, 11, 5
"""Widths of the columns; with the blanks between them the total is 80."""

LARGE = 1e3
"""Larger ratios are written with two digits."""

AGAIN = "dpverify ledger --refresh"

REPLAYED = "made by an earlier version of the code; repeated since, identical to the bit: {}"

LEGEND = (
    "stated, worst: value found over value claimed, at the claim's stated and at the worst parameters; above 1 the "
    "claim fails. s: seconds."
)


def stale_of(item: Record) -> str:
    """Why a shown record may differ from the result of the present code; empty when it is up to date."""
    return str((item.get("ledger") or {}).get("stale", ""))


def replayed_of(item: Record) -> str:
    """The part of a record that was repeated with newer code, with identical numbers; or empty."""
    return str((item.get("ledger") or {}).get("replayed", ""))


def paper_of(item: Record) -> str:
    """The short name of the claim's paper."""
    return str((item.get("ledger") or {}).get("paper", ""))


def claim_in_a_line(item: Record, *, place: bool = True) -> str:
    """The place in the paper (if wanted) and the claim; where it has readings, the reading first."""
    repair, _, locus = item["source"].rpartition(f"{paper_of(item)} ")
    locus = f"{repair.removeprefix('dpverify ')}{locus}" if place else ""
    said, reading = reading_of(item["statement"])
    told = f"{reading} {said}" if said and reading else item["statement"]
    return f"{locus}: {told}" if locus else told


def reading_of(statement: str) -> tuple[str, str]:
    """A statement without its reading, and the reading in brackets, which may be nested."""
    depth = 0
    for place in range(len(statement) - 1, -1, -1):
        depth += {"]": 1, "[": -1}.get(statement[place], 0)
        if depth == 0:
            return (statement[:place].strip(), statement[place:]) if statement.endswith("]") else (statement, "")
    return statement, ""


def margin(ratio: float | None) -> str:
    """A ratio in seven characters; close to 1 it keeps the digits that show the side."""
    if ratio is None or ratio != ratio:
        return "-"
    text = number(ratio, 3 if ratio < LARGE else 2)
    if text == "1":
        return number(ratio, 5)
    return text if len(text) <= RATIO else number(ratio, 2)  # 5.89e-05 would need a column more


def ledger_table(records: Sequence[Record], console: Console) -> None:
    """The ledger by paper: id, relation, verdict, margins, method and seconds; below them the claim in a line."""
    records = all_visible(records)
    heads = ["id", "rel", "verdict", "stated", "worst", "method", "s"]
    console.print(_line(heads, ""), style="bold", no_wrap=True, crop=False, overflow="ignore")
    paper = ""
    for item in records:
        if paper_of(item) != paper:
            paper = paper_of(item)
            console.print(Text(paper, style="bold underline"))
        for text in _row(item, console.width):
            console.print(text, no_wrap=True, crop=False, overflow="ignore")
    console.print()
    for line in _closing(records):
        console.print(Text(line))


def _row(item: Record, width: int) -> Iterator[Text]:
    found = findings(item)
    ratios = [None if place is None else place.ratio for place in (found.stated, found.worst)]
    cells = [
        item["id"],
        short_relation(item["relation"])[:RELATION],
        VERDICTS[item["verdict"]] + ("*" if stale_of(item) else "+" if replayed_of(item) else ""),
        *map(margin, ratios),
        (item["method"] or "-")[:METHOD],
        _seconds(item),
    ]
    if len(item["id"]) > ID:
        yield Text(item["id"])
        cells[0] = ""
    yield _line(cells, STYLE[item["verdict"]])
    told = claim_in_a_line(item)
    room = width - 2
    yield Text("  " + (told if len(told) <= room else told[: room - 1] + "…"), style="dim")


def _line(cells: Sequence[str], style: str) -> Text:
    id, relation, verdict, own, worst, method, seconds = cells
    text = Text(f"{id:<{ID}} {relation:<{RELATION}} ")
    text.append(f"{verdict:<{VERDICT}}", style=style)
    text.append(f"{own:>{RATIO}} {worst:>{RATIO}} {method:<{METHOD}} {seconds:>{SECONDS}}")
    return text


def _seconds(item: Record) -> str:
    return (
        "-" if not item["method"] else f"{item['seconds']:.1f}" if item["seconds"] < 100 else f"{item['seconds']:.0f}"
    )


def _closing(records: Sequence[Record]) -> Iterator[str]:
    yield f"{len(records)} rows: {tally(records)}."
    yield LEGEND
    legend = relation_legend(records)
    if legend:
        yield f"Relations: {legend}."
    stale = sum(bool(stale_of(item)) for item in records)
    if stale:
        yield f"*: {stale} rows were made by an earlier version of the code. To make them again:"
        yield f"  {AGAIN}"
    replayed = sum(bool(replayed_of(item)) for item in records)
    if replayed:
        yield (
            f"+: {replayed} rows were made by an earlier version of the code; a part of each was repeated and is "
            "identical, except where nothing could be measured."
        )
    yield "dpverify ledger --id ID shows one row in full."


def ledger_detail(records: Sequence[Record], console: Console) -> None:
    """Rows in detail: claim, verdict, result, place, reason, advice, and the command that repeats it."""
    for item in all_visible(records):
        title = Text(f"{item['id']}  ", style="bold")
        title.append(VERDICTS[item["verdict"]], style=STYLE[item["verdict"]])
        console.print(title, no_wrap=True, crop=False, overflow="ignore")
        for line in detail_lines(item):
            console.print(Text(line), no_wrap=True, crop=False, overflow="ignore")
        console.print()


def detail_lines(item: Record) -> list[str]:
    """A row in detail without its title: lines of at most 79 columns, except the command."""
    stale = stale_of(item)
    lines = [
        *labelled("source", f"{item['source']}, relation {item['relation']}"),
        *labelled("says", item["statement"]),
        *labelled("stale", stale and f"{stale}: make it again with the command below"),
        *labelled("replayed", replayed_of(item) and REPLAYED.format(replayed_of(item))),
        *labelled("claim", f"{item['guarantee']} of {item['subject']}" if item["guarantee"] else ""),
        *labelled("note", item["reason"]),
    ]
    if item["method"]:
        lines += [*measured_lines(item), *row_lines(item), *_others(item), *remark_lines(item)]
        lines += [*objection_lines(item), *_code(item)]
    return [*lines, f"  {'again':<9} {item['reproduce']}" if len(item["reproduce"]) < 68 else f"  {item['reproduce']}"]


def _others(item: Record) -> Iterator[str]:
    """Results of the other auditors of the claim."""
    for part in item["evidence"][1:]:
        drawn = f", {count(part['trials'])} draws a side" if part["trials"] else ""
        ratio = f"{number_down(part['bound'])} against {number(part['measure']['claimed'])}"
        told = f"{part['auditor']}: {part['measure']['kind']} >= {ratio} ({confidence_text(part)}{drawn}): "
        yield from labelled("also", told + VERDICTS.get(part["says"], part["says"]))


def _code(item: Record) -> list[str]:
    code = item.get("code")
    if not code:
        return []
    versions = {name: value for name, value in code.items() if name != "digest" and isinstance(value, str)}
    return labelled("code", f"{code['digest']} (definitions that made it); {pairs(versions)}; seed {item['seed']}")
