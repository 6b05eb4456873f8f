"""SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format), which code-scanning services show beside the code.

There is one rule for each claim. Results are claims that should stand and are refuted, known-broken ones that were
missed (both ``error``), and audits that were not completed or decided nothing where a verdict was expected
(``warning``). A result's fingerprint depends on the claim and the kind of finding, so it is the same in every run.
Nothing in the file depends on the time.

Limits: no more results and bytes are written than code-scanning services take. A subject whose source is not below the
working directory has a logical location only (`sarif_place`); services that need a file for every result omit such
results.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dpverify
from dpverify.core.json_text import dump
from dpverify.core.printable import visible
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.reporting.conclusion import conclusion
from dpverify.reporting.formatting import false_alarms, tally_apart
from dpverify.reporting.outcome import again, for_people, headline, measured, outcome
from dpverify.reporting.row_notes import row_notes
from dpverify.reporting.sarif_location import place_of_claim
from dpverify.runner.atomic_files import write_atomically

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
MOST_RESULTS = 5_000
"""Of a run: services show no more; errors come first."""

MOST_BYTES = 10_000_000
"""Compressed, which is what services take."""

KEPT = ("verdict", "method", "measure", "bound", "claimed", "confidence", "error", "proved", "trials", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class SarifWriter:
    """Writes ``report.sarif``."""

    name: str = "sarif"

    def write(self, results: Iterable[Any], folder: Path, *, title: str) -> Path:
        """Write one run of that title."""
        records = [for_people(item) for item in results]
        order = {name: index for index, name in enumerate(dict.fromkeys(item["id"] for item in records))}
        rules = {item["id"]: _rule(item) for item in records}
        levels = [(item, _level(item)) for item in records]
        found = sorted((pair for pair in levels if pair[1]), key=lambda pair: pair[1] != "error")
        results = [_result(item, level, order[item["id"]]) for item, level in found[:MOST_RESULTS]]
        run = {
            "tool": {
                "driver": {
                    "name": "dpverify",
                    "version": dpverify.__version__,
                    "rules": [rules[name] for name in order],
                }
            },
            "automationDetails": {"id": f"{visible(title)}/"},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {ROOT: {"description": {"text": "The working directory of the run."}}},
            "results": results,
            "properties": {
                "conclusion": conclusion(records),
                "verdicts": tally_apart(records),
                "falseAlarms": false_alarms(records),
                **({"resultsLeftOut": len(found) - len(results)} if len(found) > len(results) else {}),
            },
        }
        return write_atomically(folder / "report.sarif", _within_limits(run))


def _within_limits(run: dict[str, Any]) -> str:
    """The log's text; witnesses are left out where it would be too large with them (they stand in the report)."""
    text = dump({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})
    if len(gzip.compress(text.encode(), compresslevel=1)) <= MOST_BYTES:
        return text
    for result in run["results"]:
        result["properties"].pop("witness", None)
    return dump({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def plain_text(text: str) -> str:
    """A message without placeholders (braces are doubled, § 3.11.5) and links (§ 3.11.6)."""
    return text.replace("{", "{{").replace("}", "}}").replace("](", "] (")


def fingerprint(item: Record) -> str:
    """Fingerprint of the claim and the kind of finding, independent of the run."""
    words = [item["id"], item["subject"], item["guarantee"], item["relation"], outcome(item), item.get("expectation")]
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:32]


def _level(item: Record) -> str:
    """``error``, ``warning``, or nothing to report."""
    found = outcome(item)
    if found == "surprise":
        return "error"
    missing = found == "incomplete" or (found == "unsupported" and item.get("expectation") is not None)
    return "warning" if missing else ""


def _rule(item: Record) -> dict[str, Any]:
    short = f"{item['guarantee']} of {item['subject']} under {item['relation']}"
    full = f"{item.get('statement') or short} [{item['source']}]"
    return {
        "id": item["id"],
        "shortDescription": {"text": plain_text(short)},
        "fullDescription": {"text": plain_text(full)},
        "help": {"text": plain_text(f"Audit it again: {again(item)[0].command}")},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["differential-privacy"]},
    }


def _result(item: Record, level: str, index: int) -> dict[str, Any]:
    beside = f" ({measured(item)})" if level == "warning" and item["method"] else ""
    event = (item["witness"] or {}).get("event") if item["verdict"] == "refuted" else None
    beside += f"; event: {event}" if event else ""
    kept: Mapping[str, Any] = item
    values = {name: kept[name] for name in (*KEPT, "witness") if kept[name] is not None}
    values |= {"reproduce": again(item)[0].command, "notes": [f"{label}: {text}" for label, text in row_notes(item)]}
    return {
        "ruleId": item["id"],
        "ruleIndex": index,
        "kind": "fail",
        "level": level,
        "message": {"text": plain_text(f"{item['id']}: {headline(item)}{beside}")},
        "locations": [_location(item)],
        "partialFingerprints": {"dpverifyClaim/v1": fingerprint(item)},
        "properties": values,
    }


def _location(item: Record) -> dict[str, Any]:
    subject = item["subject"]
    found: dict[str, Any] = {"logicalLocations": [{"name": subject, "fullyQualifiedName": subject}]}
    where = place_of_claim(item)
    if where is not None:
        found["physicalLocation"] = {"artifactLocation": {"uri": where.uri, "uriBaseId": ROOT}}
        if where.line is not None:
            found["physicalLocation"]["region"] = {"startLine": where.line}
    return found


def register(registry: Registry) -> None:
    """Register the writer."""
    registry.writers.add("sarif", SarifWriter())
