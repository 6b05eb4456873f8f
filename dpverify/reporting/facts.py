"""What the head of a report says of a whole run: the conclusion, and the facts around it, the same in every format."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from dpverify.core.record import Record
from dpverify.core.verdict import Status
from dpverify.reporting.conclusion import conclusion
from dpverify.reporting.formatting import false_alarms, number
from dpverify.reporting.run_facts import minute, shown_run
from dpverify.runner.subject_version import version_text

Records = Sequence[Record]


def summary(records: Records, *, title: str) -> dict[str, Any]:
    """All of it as plain JSON values: title, conclusion, false-alarm probability, counts of verdicts, facts."""
    counts = {str(status): sum(item["verdict"] == status for item in records) for status in Status}
    return {
        "schema": 1,
        "title": title,
        "conclusion": conclusion(records),
        "false_alarms": false_alarms(records),
        "verdicts": {name: count for name, count in counts.items() if count},
        "facts": dict(facts(records)),
    }


def facts(records: Records) -> list[tuple[str, str]]:
    """Names and texts: dates, subject and its version, seed, confidence, machine, duration and time of the work."""
    if not records:
        return []
    made = environments(records)
    seeds = sorted({item["seed"] for item in records if item.get("seed") is not None})
    evidence = [part for item in records for part in item["evidence"]]
    confidences = sorted({sure for part in evidence if (sure := part.get("confidence"))})
    run, written = shown_run(), minute(datetime.now(UTC))
    found = [
        ("audited", run.audited or "on a day that is not known"),
        ("written", "" if run.audited == written else written),
        ("subject", _first(sorted({str(item["subject"]) for item in records}))),
        ("version", _versions(records)),
        ("only", run.only),
        ("seed", ", ".join(map(str, seeds[:5]))),
        ("confidence", f"at least 1 - {number(1.0 - confidences[0])} of each bound" if confidences else ""),
        ("dpverify", made.get("dpverify", "")),
        ("machine", ", ".join(made[name] for name in ("system", "machine", "cpu") if made.get(name))),
        ("took", run.took),
        ("work", f"{sum(item['seconds'] for item in records):.1f} s"),
    ]
    return [(name, text) for name, text in found if text]


def environments(records: Records) -> dict[str, str]:
    """Versions and machines; of several runs all that differ."""
    found: dict[str, list[str]] = {}
    for item in records:
        for name, value in item["environment"].items():
            if str(value) not in found.setdefault(name, []):
                found[name].append(str(value))
    return {name: ", ".join(values) for name, values in found.items()}


def _versions(records: Records) -> str:
    """One version where all have it; else each subject's."""
    by = {(str(item["subject"]), _version(item) or "not known") for item in records}
    known = sorted({version for _, version in by})
    if len(known) == 1:
        return known[0]
    return _first([f"{version} ({subject})" for subject, version in sorted(by)])


def _version(item: Record) -> str:
    """Return the version of one's own code, or of a library; empty where it is not known."""
    if item.get("library"):
        return f"{item['library']} {item['version']}"
    return version_text(item.get("subject_version") or {})


def _first(texts: Sequence[str], most: int = 3) -> str:
    return "; ".join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")
