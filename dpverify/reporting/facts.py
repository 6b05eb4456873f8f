"""What the head of a report says of a whole run: the conclusion, and the facts around it, the same in every format."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dpverify.core.errors import DpverifyError
from dpverify.core.printable import visible
from dpverify.core.read_untrusted import parse_json, read_text
from dpverify.core.record import Record
from dpverify.core.verdict import Status
from dpverify.reporting.conclusion import conclusion
from dpverify.reporting.formatting import false_alarms, number
from dpverify.runner.audited_files import version_text
from dpverify.runner.store.store import NAME, Store

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


SUMMARY = "summary.json"
LARGEST = 2**24


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """The facts of one or more runs, as text; empty where one is not known."""

    audited: str = ""
    """The day and minute (UTC) at which the run ended; two of them where several runs lie apart."""
    took: str = ""
    """By the clock."""
    only: str = ""
    """Which claims were asked for (``--only``), where not all were."""
    of_files: bool = False
    """Whether only the dates of the files are known."""


_SHOWN: ContextVar[RunFacts | None] = ContextVar("dpverify_run_facts", default=None)


def shown_run() -> RunFacts:
    """Return the facts of the run that the reports are being written of."""
    return _SHOWN.get() or RunFacts()


@contextmanager
def reports_of(run: RunFacts) -> Iterator[None]:
    """Reports that are written inside say this of their run."""
    token = _SHOWN.set(run)
    try:
        yield
    finally:
        _SHOWN.reset(token)


def minute(at: datetime) -> str:
    """Such as ``2026-11-27 01:51 UTC``."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def run_until_now(begun: float, *, only: str = "*") -> RunFacts:
    """Return the facts of the run of claims that match `only`, which began at this `time.perf_counter`."""
    took = f"{time.perf_counter() - begun:.1f} s"
    return RunFacts(audited=minute(datetime.now(UTC)), took=took, only=_unless_all(only))


def _unless_all(only: str) -> str:
    return "" if only == "*" else only


def only_of_run(path: Path) -> str:
    """Return the pattern of claims that a finished run was asked for; ``*`` where it is not known."""
    found = _of(path) if path.exists() else None
    return (found.only if found is not None else "") or "*"


def facts_of_runs(paths: Sequence[Path]) -> RunFacts:
    """Return the facts of finished runs, from the summary beside the records, the store, or the date of the file."""
    found = [each for path in paths if (each := _of(path))]
    dates, durations = sorted({each.audited for each in found} - {""}), [each.took for each in found]
    of_files = any(each.of_files for each in found)
    between = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}" if dates else ""
    return RunFacts(
        audited=f"{between} (the files' dates)" if of_files else between,
        of_files=of_files,
        took=", ".join(durations) if all(durations) and len(durations) <= 3 else "",
        only=found[0].only if len(found) == 1 else "",
    )


def _of(path: Path) -> RunFacts | None:
    folder = path if path.is_dir() else path.parent
    if path.is_dir() or path.name == "results.json":
        return _of_summary(folder / SUMMARY) or _of_store(folder / NAME) or _of_files(path)
    return (_of_store(path) if path.suffix == ".sqlite" else None) or _of_files(path)


def _of_summary(path: Path) -> RunFacts | None:
    try:
        said = parse_json(read_text(path, largest=LARGEST))["facts"]
        audited, took = (visible(str(said.get(name, "")))[:60] for name in ("audited", "took"))
        return RunFacts(audited=audited, took=took, only=visible(str(said.get("only", "")))[:1000])
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _of_store(path: Path) -> RunFacts | None:
    if not path.is_file():
        return None
    try:
        with Store(path, reading=True) as store:
            run = store.runs()[-1]
    except (DpverifyError, OSError, LookupError):
        return None
    if run.ended is None:
        return None
    ended, took = minute(datetime.fromtimestamp(run.ended, tz=UTC)), f"{run.ended - run.begun:.1f} s"
    return RunFacts(audited=ended, took=took, only=_unless_all(str(run.words.get("only", "*"))))


def _of_files(path: Path) -> RunFacts | None:
    """The newest file's date; a copy may have a later one."""
    files = [path] if path.is_file() else [*path.glob("*.json")]
    if not files:
        return None
    newest = max(file.stat().st_mtime for file in files)
    return RunFacts(audited=minute(datetime.fromtimestamp(newest, tz=UTC)), of_files=True)
