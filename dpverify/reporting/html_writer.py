"""HTML: one self-contained page; nothing is fetched, and no script runs but the page's own, named by its hash.

Everything can be read without the script, which only filters, searches and sorts.
"""

from __future__ import annotations

import hashlib
import math
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from dpverify.core.note import Telling
from dpverify.core.printable import visible
from dpverify.core.record import Record, as_number
from dpverify.core.registry import Registry
from dpverify.reporting.benchmark_table import HEADINGS, cells, notes, totals, with_published_bound
from dpverify.reporting.bound_steps import bound_steps
from dpverify.reporting.claim_words import claim_words, risk_words, shown_words
from dpverify.reporting.conclusion import conclusion
from dpverify.reporting.facts import environments, facts
from dpverify.reporting.formatting import (
    MEANING,
    VERDICTS,
    accepted_until,
    bound_text,
    confidence_text,
    count,
    draws,
    false_alarms,
    known_broken,
    limits,
    no_difference_text,
    number,
    number_down,
    part_of_claim,
    short_json,
    verdict_words,
    witness_parameter,
)
from dpverify.reporting.json_writer import with_anchors
from dpverify.reporting.outcome import again, for_people, headline, unexpected
from dpverify.reporting.risk_table import HEADINGS as RISK_HEADINGS
from dpverify.reporting.risk_table import risk_rows
from dpverify.reporting.row_charts import MOST_ROWS, row_charts
from dpverify.reporting.row_lines import found_lines
from dpverify.reporting.row_notes import NOBODY_LOOKED, limiting_notes, named, row_notes
from dpverify.reporting.templates import environment
from dpverify.reporting.witness_text import dataset_text
from dpverify.runner.atomic_files import write_atomically
from dpverify.runner.verdict_strength import drawn_beside, proof_of, proved_lines
from dpverify.shown.svg import CLAIM, SHOWN, SOFT, bars_svg, tradeoff_svg
from dpverify.shown.tradeoff import picture_of, with_certified

TILES = {**VERDICTS, "missed": "known to be false, and missed", "broken": "known to be false"}

OPTION = re.compile(r"--[a-z][a-z-]+(=.*)?")
"""A word of a command that no line break may divide: what stands behind its dashes would be another command."""

WIDEST = 2.0
"""The bar of a row ends at so many times the claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlWriter:
    """Writes ``report.html``."""

    name: str = "html"

    def write(self, results: Iterable[Any], folder: Path, *, title: str) -> Path:
        """Render the page; in texts from records control characters are made visible, and HTML is escaped."""
        records = with_anchors([for_people(item, lines=True) for item in results])
        wrong = [*filter(unexpected, records)]
        page = _environment().get_template("report.html.jinja")
        text = page.render(
            title=visible(title),
            records=records,
            wrong=wrong,
            compared=with_published_bound(records),
            headings=HEADINGS,
            totals=totals,
            notes=notes,
            ours=[item for item in records if not known_broken(item)],
            broken=[item for item in records if known_broken(item)],
            conclusion=conclusion(records),
            facts=facts(records),
            charted=len(records) <= MOST_ROWS,
            script=Markup(_script()),
            script_hash=f"sha256-{b64encode(hashlib.sha256(_script().encode()).digest()).decode()}",
            false_alarms=false_alarms(records),
            limiting=limiting_notes(records),
            nobody_looked=NOBODY_LOOKED,
            counts={name: sum(_tile(item) == name for item in records) for name in TILES},
            tiles=TILES,
            environment=environments(records),
            meaning=MEANING,
            verdicts=VERDICTS,
        )
        return write_atomically(folder / "report.html", text)


@cache
def _environment() -> jinja2.Environment:
    made = environment()
    made.filters |= {
        "verdict_words": verdict_words,
        "accepted_until": accepted_until,
        "lower": number_down,
        "number": number,
        "benchmark_cells": cells,
        "claimed_at": witness_parameter,
        "count": count,
        "draws": draws,
        "has_curve": lambda item: not _undrawn(item) and any(picture_of(each) is not None for each in _pictures(item)),
        "limits": limits,
        "share": part_of_claim,
        "sureness": confidence_text,
        "alike": no_difference_text,
        "picture": _picture,
        "bar_colour": _bar_colour,
        "bound_text": bound_text,
        "bar_length": _bar_length,
        "bound_steps": bound_steps,
        "claim_words": lambda item: claim_words(item["guarantee"], item["relation"]),
        "plain_share": lambda ratio: f"{ratio if isinstance(ratio, int | float) and math.isfinite(ratio) else 0:.6g}",
        "risk_words": lambda item: risk_words(item["guarantee"]),
        "tile": _tile,
        "headline": headline,
        "searched": _searched,
        "shown_words": shown_words,
        "risk_rows": risk_rows,
        "risk_headings": lambda _: RISK_HEADINGS,
        "found_lines": found_lines,
        "short_json": short_json,
        "charts": _charts,
        "again": again,
        "is_option": lambda word: OPTION.fullmatch(word) is not None,
        "row_notes": _notes,
        "dataset_text": dataset_text,
        "has_box": lambda item: any(each.get("rectangle") for each in _pictures(item)),
        "named": named,
        "proved_lines": proved_lines,
    }
    return made


def _pictures(item: Record) -> list[dict[str, Any]]:
    return [part.get("picture") or {} for part in item["evidence"]]


def _undrawn(item: Record) -> list[str]:
    """Why the picture cannot be drawn: an auditor may record whatever it likes."""
    tell = Telling()
    tell("the picture", lambda: _drawing(item), None)
    return tell.faults


def _picture(item: Record) -> str | None:
    """The picture, or a text (escaped where it is shown) that says why there is none."""
    return "; ".join(why) if (why := _undrawn(item)) else _drawing(item)


def _drawing(item: Record) -> Markup | None:
    """The first picture among a record's evidence, else bars of what is claimed and shown."""
    for evidence in item["evidence"]:
        if (drawing := picture_of(drawn_beside(_with_bound(evidence), proof_of(item)))) is not None:
            svg = tradeoff_svg(drawing, label=f"Error rates of an attacker: {item['id']}")
            return Markup(svg)
    ends = (item["claimed"], item["bound"])
    if not item["method"] or not all(isinstance(each, int | float) for each in ends):
        return None
    return Markup(bars_svg(item["measure"], *map(as_number, ends), label=item["id"]))


def _with_bound(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """The picture, with the curve of the bound where there is no region."""
    measure, bound = part.get("measure") or {}, part.get("bound")
    if not isinstance(bound, int | float):
        return dict(part.get("picture") or {})
    return with_certified(
        part.get("picture") or {}, str(measure.get("kind")), float(measure.get("argument") or 0.0), float(bound)
    )


def _notes(item: Record) -> list[tuple[str, list[str]]]:
    """Notes of one label after another, together."""
    return [(label, [text for _, text in each]) for label, each in groupby(row_notes(item), key=itemgetter(0))]


def _charts(item: Record) -> list[dict[str, str]]:
    """Further pictures; their texts are escaped where they are drawn."""
    drawn = Telling()("the charts", lambda: row_charts(item), ())
    found = [(each.title, each.note, each.svg) for each in drawn]
    return [{"title": title, "note": note, "svg": Markup(drawing)} for title, note, drawing in found]


def _bar_length(item: Record) -> str:
    """Return the length, of 104 units, the claim at 52; the longest where something is shown and nothing is claimed."""
    ratio = part_of_claim(item)
    if not isinstance(ratio, int | float) or math.isnan(ratio):
        ratio = WIDEST if item["verdict"] == "refuted" else 0.0
    return f"{52.0 * min(max(float(ratio), 0.0), WIDEST):.1f}"


def _bar_colour(item: Record) -> str:
    if item["verdict"] != "refuted":
        return CLAIM
    return SOFT if known_broken(item) else SHOWN


def _tile(item: Record) -> str:
    """The button that shows the row: its verdict, or that it was expected to fall, and did, or did not."""
    if not known_broken(item):
        return str(item["verdict"])
    return "missed" if item.get("surprise") else "broken"


def _searched(item: Record) -> str:
    words = (item["id"], item["guarantee"], item["subject"], item["relation"], item["source"], item.get("statement"))
    return " ".join(str(each) for each in words if each).lower()


@cache
def _script() -> str:
    return files("dpverify.reporting").joinpath("templates/report.js").read_text(encoding="utf-8")


def register(registry: Registry) -> None:
    """Register the writer."""
    registry.writers.add("html", HtmlWriter())
