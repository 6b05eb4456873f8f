"""Markdown: a table no wider than it must be, for comments on pull requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.reporting.benchmark_table import HEADINGS, notes, totals, with_published_bound
from dpverify.reporting.benchmark_table import cells as cells_of
from dpverify.reporting.conclusion import conclusion
from dpverify.reporting.facts import facts
from dpverify.reporting.formatting import (
    accepted_until,
    bound_text,
    confidence_text,
    false_alarms,
    known_broken,
    limits,
    number,
    tally_apart,
    verdict_words,
    witness_parameter,
)
from dpverify.reporting.limits_table import LEGEND, assumptions, audit_limits
from dpverify.reporting.markdown_text import code, prose, row
from dpverify.reporting.outcome import again, for_people, headline, unexpected
from dpverify.reporting.row_lines import found_lines
from dpverify.reporting.row_notes import NOBODY_LOOKED, limiting_notes, row_notes
from dpverify.reporting.witness_text import dataset_text
from dpverify.runner.atomic_files import write_atomically
from dpverify.runner.verdict_strength import proved_lines


def verdicts(records: Sequence[Record]) -> Iterator[str]:
    """Lines of a run's table; the columns on claims that were not refuted appear only if there are any.

    Columns: claim; verdict; measured lower bound; claimed value; confidence, or the error of an exact method; and those
    of `limits_table`.
    """
    some = any(item["verdict"] == "not_refuted" for item in records)
    more = ("reached", "detectable", "rarest", "ceiling") if some else ()
    yield row(["claim", "verdict", "measured", "claimed", "confidence", *more])
    yield row(["---", "---", "---:", "---:", "---", *("---:" for _ in more)])
    for item in records:
        measured = f"{item['measure']} {bound_text(item)}" if item["method"] else ""
        cells = [
            verdict_words(item) + (", accepted" if accepted_until(item) else ""),
            measured,
            f"{number(item['claimed'])}{witness_parameter(item)}",
            confidence_text(item).removeprefix("confidence "),
            *(audit_limits(item) if item["verdict"] == "not_refuted" else [""] * len(more)),
        ]
        yield row([code(item["id"]), *map(prose, cells)])
    if some:
        yield ""
        yield prose(LEGEND)
        for assumed in assumptions(records):
            yield ""
            yield prose(assumed)


def verdicts_apart(records: Sequence[Record]) -> Iterator[str]:
    """The table of `verdicts`, and after it that of the claims that were expected to fall."""
    broken = [item for item in records if known_broken(item)]
    ours = [item for item in records if not known_broken(item)]
    if ours or not broken:
        yield from verdicts(ours)
    if broken:
        yield from ("", "**Known to be false, and audited to see that these audits find it:**", "", *verdicts(broken))


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownWriter:
    """Writes ``report.md``."""

    name: str = "md"

    def write(self, results: Iterable[Any], folder: Path, *, title: str) -> Path:
        """Write conclusion, facts, tally and false-alarm rate, unexpected rows, the table, and folded details."""
        records = [for_people(item) for item in results]
        around = ". ".join(f"{name}: {text}" for name, text in facts(records))
        lines = [f"# {prose(title)}", "", f"**{prose(conclusion(records))}**", ""]
        lines += [prose(f"{around}."), ""] if around else []
        lines += [prose(f"{tally_apart(records) or 'no claims'}. {false_alarms(records)}".strip())]
        lines += [*_wrong(records), *_compared(records), "", *verdicts_apart(records)]
        lines += [*_limiting(records), *_at_length(records)]
        return write_atomically(folder / "report.md", "\n".join(lines) + "\n")


def _wrong(records: Sequence[Record]) -> Iterator[str]:
    """The rows that decide the exit status, with the commands that repeat them."""
    found = [*filter(unexpected, records)]
    if found:
        yield from ("", "**Not as expected:**", "")
    for item in found:
        yield f"- {code(item['id'])}: {prose(headline(item))}; again: {code(again(item)[0].command)}"


def _compared(records: Sequence[Record]) -> Iterator[str]:
    """The rows with published bounds."""
    shown = with_published_bound(records)
    if not shown:
        return
    yield from ("", "## Against published bounds", "", row(HEADINGS))
    yield row(["---", *["---:"] * 3, "---", *["---:"] * 2, "---"])
    for item in shown:
        name, *cells = cells_of(item)
        yield row([code(name), *map(prose, cells)])
    yield from ("", prose(totals(shown)), "")
    yield from (f"- {prose(line)}" for line in notes(shown))


def _limiting(records: Sequence[Record]) -> Iterator[str]:
    """Assumptions, data that raised and weak passes, with the claims of which they are said."""
    told = limiting_notes(records)
    yield from ("", "**Not looked at, or assumed:**", "")
    yield from (f"- {prose(str(note))} ({', '.join(map(code, ids[:3]))}{_more(ids)})" for note, ids in told)
    yield from (f"- {prose(text)}" for text in NOBODY_LOOKED)


def _more(ids: Sequence[str], most: int = 3) -> str:
    return f" and {len(ids) - most} more" if len(ids) > most else ""


def _at_length(records: Sequence[Record]) -> Iterator[str]:
    """Folded details: what each audit could not have detected, and the results of searches."""
    told = [
        item
        for item in records
        if proved_lines(item) or limits(item) or found_lines(item) or row_notes(item) or item["reason"]
    ]
    if not told:
        return
    yield from ("", "<details><summary>Each audit at length</summary>", "")
    for item in told:
        yield f"{code(item['id'])}: {prose(limits(item) or verdict_words(item))}"
        yield ""
        yield from (f"- {name}: {prose(text)}" for name, text in _about(item))
        yield ""
        yield from (f"    {line}" for line in found_lines(item))
        yield ""
        if said := row_notes(item):
            yield from (*(f"- {label}: {prose(text)}" for label, text in said), "")
    yield "</details>"


def _about(item: Record) -> Iterator[tuple[str, str]]:
    """The claim, the reason of the verdict, and the witness in words."""
    seen = item["witness"] or {}
    yield "claim", f"{item['guarantee']} of {item['subject']} under {item['relation']}"
    yield from proved_lines(item).items()
    if item["reason"]:
        yield "because", item["reason"]
    if seen.get("event"):
        yield "event", f"{seen['event']} ({seen['direction']})" if seen.get("direction") else str(seen["event"])
    for side in ("d0", "d1"):
        if side in seen:
            yield side, dataset_text(seen[side])


def register(registry: Registry) -> None:
    """Register the writer."""
    registry.writers.add("md", MarkdownWriter())
