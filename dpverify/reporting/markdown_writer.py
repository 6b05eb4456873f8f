"""Markdown: one table, for pull requests and committed reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpverify.core.registry import Registry
from dpverify.reporting.benchmark import benchmark_markdown
from dpverify.reporting.row_lines import found_lines
from dpverify.reporting.words import VERDICTS, claimed_at, count, draws, limits, number, sureness, tally
from dpverify.runner.files import write_whole


def table(records: Iterable[Mapping[str, Any]]) -> str:
    """The records as a Markdown table."""
    lines = [
        "| claim | source | relation | claimed | measured, at least | sure | verdict | trials a side | s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for item in records:
        cells = [
            f"`{item['id']}`",
            item["source"],
            item["relation"],
            f"{item['measure']} ≤ {number(item['claimed'])}{claimed_at(item)}",
            number(item["bound"]),
            sureness(item),
            VERDICTS[item["verdict"]] + (f" ({limits(item)})" if limits(item) else ""),
            count(draws(item)),
            f"{item['seconds']:.1f}",
        ]
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownWriter:
    """Writes ``report.md``."""

    name: str = "md"

    def write(self, results: Iterable[Any], folder: Path, *, title: str) -> Path:
        """Write the table below a heading and the tally, and under it each row that a search found more on."""
        records = list(results)
        text = f"# {title}\n\n{tally(records)}.\n{benchmark_markdown(records)}\n{table(records)}"
        for item in records:
            lines = found_lines(item)
            if lines:
                text += f"\n## {item['id']}\n\n" + "".join(f"    {line}\n" for line in lines)
        return write_whole(folder / "report.md", text)


def register(registry: Registry) -> None:
    """Register the writer."""
    registry.writers.add("md", MarkdownWriter())
