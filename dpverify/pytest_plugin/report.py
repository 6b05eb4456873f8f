"""What an audit leaves in files: its record for the session's report, and the page of a refutation."""

from __future__ import annotations

import hashlib
import json
import shlex
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpverify.audits.audit_result import AuditResult
from dpverify.core.json_text import dump
from dpverify.core.note import Telling
from dpverify.core.plugins import registry
from dpverify.pytest_plugin.settings import Settings
from dpverify.reporting.facts import RunFacts, minute, reports_of
from dpverify.runner.atomic_files import safe_name, write_atomically
from dpverify.runner.record import record

if TYPE_CHECKING:
    from dpverify.pytest_plugin.declared import Declared

FORMATS = ("html", "json", "junit")


def keep_record(item: Any, settings: Settings, result: AuditResult, *, declared: Declared | None = None) -> None:
    """One file an audit below the report's folder: any worker writes its own, and the end of the session reads all."""
    if settings.report is None:
        return
    found = record(result.row) | {"notes": list(result.notes), "id": item.nodeid}
    if declared is not None:
        found |= declared.about(result.verdict)
    elif not found["reproduce"].startswith("dpverify audit "):  # Python with names of the test, which no shell knows
        found["reproduce"] = _test_again(item.nodeid, settings)
    name = hashlib.sha256(f"{item.nodeid} {result.row.entry.claim.guarantee.text()}".encode()).hexdigest()[:16]
    write_atomically(settings.report / "audits" / f"{name}.json", dump(found))


def _test_again(nodeid: str, settings: Settings) -> str:
    """The test alone, with the settings of this session, from pytest's root folder."""
    asked = settings.asked.complete()
    words = {"seed": asked.seed, "seconds": asked.seconds, "false-alarm-rate": asked.rate}
    options = [word for name, value in words.items() for word in (f"--dp-{name}", str(value))]
    return shlex.join(["pytest", nodeid, *options])


def keep_plain(item: Any, settings: Settings, found: dict[str, Any]) -> None:
    """Keep a record that is plain already, as `keep_record` does."""
    if settings.report is not None:
        name = hashlib.sha256(f"{item.nodeid} {found['id']} {found['guarantee']}".encode()).hexdigest()[:16]
        write_atomically(settings.report / "audits" / f"{name}.json", dump({**found, "notes": [], "id": item.nodeid}))


def write_report(folder: Path, nodeids: set[str], tell: Telling) -> list[Path]:
    """The report of the session's audits, from their records; a format that cannot be written is a fault of `tell`."""
    records = [json.loads(path.read_text()) for path in sorted((folder / "audits").glob("*.json"))]
    present = sorted((each for each in records if each["id"] in nodeids), key=lambda each: str(each["id"]))
    writers = registry().writers
    with reports_of(RunFacts(audited=minute(datetime.now(UTC)))):
        each = {name: partial(writers.get(name).write, present, folder, title="dpverify in pytest") for name in FORMATS}
        return [path for name, write in each.items() if (path := tell(f"the report {name}", write, None)) is not None]


def page_of(item: Any, result: AuditResult) -> Path | None:
    """The page of one refutation, with its picture, in pytest's cache folder; None where there is no cache."""
    cache = getattr(item.config, "cache", None)
    if not cache:
        return None
    folder = Path(cache.mkdir("dpverify")) / safe_name(item.nodeid)
    page: Path = (
        registry()
        .writers.get("html")
        .write([record(result.row) | {"notes": list(result.notes)}], folder, title=item.nodeid)
    )
    return page
