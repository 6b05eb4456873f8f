"""HTML: one self-contained page, with the trade-off picture of each audit; no script, no font, no link to fetch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from dpverify.core.printable import all_visible, visible
from dpverify.core.registry import Registry
from dpverify.reporting.benchmark_table import HEADINGS, cells, notes, totals, with_published_bound
from dpverify.reporting.formatting import (
    MEANING,
    VERDICTS,
    confidence_text,
    count,
    draws,
    false_alarms,
    limits,
    no_difference_text,
    number,
    number_down,
    part_of_claim,
    short_json,
    tally,
    witness_parameter,
)
from dpverify.reporting.row_lines import found_lines
from dpverify.reporting.templates import environment
from dpverify.reporting.tradeoff_picture import SIZE, draw
from dpverify.runner.atomic_files import safe_name, write_atomically


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlWriter:
    """Writes ``report.html``."""

    name: str = "html"

    def write(self, results: Iterable[Any], folder: Path, *, title: str) -> Path:
        """Render the page; in texts from records control characters are made visible, and HTML is escaped."""
        records = [all_visible(item, lines=True) for item in results]
        surprises = [item for item in records if item.get("surprise")]
        page = _environment().get_template("report.html.jinja")
        text = page.render(
            title=visible(title),
            records=records,
            surprises=surprises,
            compared=with_published_bound(records),
            headings=HEADINGS,
            totals=totals,
            notes=notes,
            tally=tally(records),
            false_alarms=false_alarms(records),
            counts={name: sum(item["verdict"] == name for item in records) for name in VERDICTS},
            environment=records[0]["environment"] if records else {},
            meaning=MEANING,
            verdicts=VERDICTS,
            size=SIZE,
        )
        return write_atomically(folder / "report.html", text)


@cache
def _environment() -> jinja2.Environment:
    made = environment()
    made.filters |= {
        "lower": number_down,
        "number": number,
        "benchmark_cells": cells,
        "claimed_at": witness_parameter,
        "count": count,
        "draws": draws,
        "limits": limits,
        "share": part_of_claim,
        "sureness": confidence_text,
        "alike": no_difference_text,
        "anchor": safe_name,
        "picture": _picture,
        "found_lines": found_lines,
        "short_json": short_json,
    }
    return made


def _picture(item: Mapping[str, Any]) -> Any:
    """The first drawing among a record's evidence."""
    drawings = (draw(evidence["picture"]) for evidence in item["evidence"])
    return next((drawing for drawing in drawings if drawing is not None), None)


def register(registry: Registry) -> None:
    """Register the writer."""
    registry.writers.add("html", HtmlWriter())
