"""JUnit XML for continuous-integration systems: one test case for each claim.

A surprise is a failure; an audit that failed, or decided nothing where something was expected, is an error; a claim
that no auditor can examine, or on which nothing was decided or expected, is skipped. All others pass; ``system-out``
contains the measured values and what the audit could not have detected. Two runs with one seed differ in ``time`` only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from dpverify.core.printable import visible
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.reporting.conclusion import conclusion
from dpverify.reporting.formatting import false_alarms
from dpverify.reporting.outcome import Outcome, details, for_people, headline, outcome
from dpverify.runner.atomic_files import write_atomically

TAG: Mapping[Outcome, str] = {
    "expected": "system-out",
    "surprise": "failure",
    "incomplete": "error",
    "unsupported": "skipped",
    "undecided": "skipped",
}
PROPERTIES = ("verdict", "measure", "bound", "claimed", "confidence", "error", "trials", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class JunitWriter:
    """Writes ``junit.xml``."""

    name: str = "junit"

    def write(self, results: Iterable[Any], folder: Path, *, title: str) -> Path:
        """Write one suite with that title; well-formed for any names and messages."""
        records = [for_people(item, lines=True) for item in results]
        root = ElementTree.Element("testsuites", _totals(records))
        suite = ElementTree.SubElement(root, "testsuite", {"name": visible(title), **_totals(records)})
        said = ElementTree.SubElement(suite, "properties")
        for name, value in (("conclusion", conclusion(records)), ("false alarms", false_alarms(records))):
            ElementTree.SubElement(said, "property", {"name": name, "value": value})
        suite.extend([_case(item) for item in records])
        ElementTree.indent(root, space=" ")
        text = ElementTree.tostring(root, encoding="unicode")
        return write_atomically(folder / "junit.xml", f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


def _totals(records: list[Record]) -> dict[str, str]:
    tags = [TAG[outcome(item)] for item in records]
    return {
        "tests": str(len(records)),
        "failures": str(tags.count("failure")),
        "errors": str(tags.count("error")),
        "skipped": str(tags.count("skipped")),
        "time": f"{sum(item['seconds'] for item in records):.3f}",
    }


def _case(item: Record) -> ElementTree.Element:
    seconds = f"{item['seconds']:.3f}"
    case = ElementTree.Element("testcase", {"classname": item["subject"], "name": item["id"], "time": seconds})
    for name, value in item.get("location", {}).items():
        case.set(name, str(value))
    said = ElementTree.SubElement(case, "properties")
    kept: Mapping[str, Any] = item
    values = {name: str(kept[name]) for name in PROPERTIES if kept[name] is not None} | {"time": seconds}
    for name, value in values.items():
        ElementTree.SubElement(said, "property", {"name": name, "value": value})
    found = outcome(item)
    told = ElementTree.SubElement(case, TAG[found])
    if TAG[found] != "system-out":
        told.set("message", headline(item))
    if TAG[found] in ("failure", "error"):
        told.set("type", item["verdict"])
    told.text = "\n".join(details(item))
    return case


def register(registry: Registry) -> None:
    """Register the writer."""
    registry.writers.add("junit", JunitWriter())
