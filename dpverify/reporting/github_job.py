"""What a GitHub job shows of a run: annotations on the claims' own files and lines, and a part of the job's summary.

Both are made by the outermost dpverify of a job only: a mechanism or a test that starts dpverify adds nothing.
Limits of the service, which drops what is beyond them: 10 errors and 10 warnings a step, and 1,024 KB of summary a
step. Text from records is escaped, so that none of it is a command or markup.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from dpverify.core.printable import visible
from dpverify.core.record import Record
from dpverify.reporting.formatting import false_alarms, tally_apart
from dpverify.reporting.markdown_text import code, prose
from dpverify.reporting.markdown_writer import verdicts_apart
from dpverify.reporting.outcome import again, for_people, headline, outcome
from dpverify.reporting.sarif_location import Place, place_of_claim

OUTERMOST = "DPVERIFY_OUTERMOST"
"""In the environment: the process whose run the job shows."""

MOST_ANNOTATIONS = 10
"""Of each level."""

MOST_BYTES = 1_024 * 1_024 - 4_096
"""Of the summary of a step, with what others wrote before: a little less than the service takes."""

LEVELS = {"surprise": "error", "incomplete": "warning"}


def enter_job() -> bool:
    """Tell whether this process is the outermost dpverify of a GitHub job; it is from now on where none was."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return False
    return os.environ.setdefault(OUTERMOST, str(os.getpid())) == str(os.getpid())


def show_in_job(
    records: Iterable[Record], *, title: str, where: Callable[[Record], Place | None] | None = None
) -> None:
    """Annotate what is wrong, and add the run to the job's summary; nothing outside a job, or inside another run.

    `where`: the file and line of a record's claim; None finds those of suite files and of registered subjects.
    """
    if not enter_job():
        return
    shown = [for_people(item) for item in records]
    sys.stderr.writelines(f"{line}\n" for line in annotated(shown, where or place_of_claim))
    add_to_summary(summary(shown, title=title))


def standing(item: Record) -> dict[str, Any]:
    """The record of an audit that expected nothing, as of a claim that is to stand: its refutation is an error."""
    refuted = {"surprise": "the claim is refuted"} if item["verdict"] == "refuted" else {}
    return {**item, "expectation": "stands", **refuted}


def annotated(records: Iterable[Record], where: Callable[[Record], Place | None]) -> list[str]:
    """Workflow commands: an error for each surprise, a warning for each audit that is not complete."""
    lines: dict[str, list[str]] = {"error": [], "warning": []}
    for item in records:
        level = LEVELS.get(outcome(item))
        if level is not None and len(lines[level]) < MOST_ANNOTATIONS:
            message = f"{item['guarantee']} of {item['subject']}: {headline(item)}\nagain: {again(item)[0].command}"
            lines[level].append(annotation(level, message, title=f"dpverify: {item['id']}", at=where(item)))
    return [*lines["error"], *lines["warning"]]


def summary(records: Sequence[Record], *, title: str) -> list[str]:
    """Lines of Markdown: what is wrong first, then the table of all claims."""
    lines = [
        f"## {prose(title)}",
        "",
        prose(f"{tally_apart(records) or 'no claims'}. {false_alarms(records)}".strip()),
        "",
    ]
    wrong = [item for item in records if outcome(item) in LEVELS]
    lines += [f"- {code(item['id'])}: {prose(headline(item))}; again: {code(again(item)[0].command)}" for item in wrong]
    return [*lines, *([""] if wrong else []), *verdicts_apart(records), ""]


def add_to_summary(lines: Sequence[str]) -> None:
    """Append the lines to the summary of this job's step; a summary that cannot be written is told, and no error."""
    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if target:
        try:
            append_summary(Path(target), lines)
        except OSError as problem:
            sys.stderr.write(f"dpverify: the job's summary cannot be written ({problem.strerror})\n")


def append_summary(target: Path, lines: Sequence[str]) -> None:
    """Append the lines to the job's summary, as many as it has room for; a last line says so where some are left out.

    OSError when the file cannot be written.
    """
    left_out = "\n(The rest is left out: the summary of a step is full. The report has all of it.)\n"
    room = MOST_BYTES - (target.stat().st_size if target.exists() else 0) - len(left_out.encode())
    kept: list[str] = []
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            kept.append(left_out)
            break
        kept.append(line)
    if room >= 0 or len(kept) > 1:
        with target.open("a", encoding="utf-8") as stream:
            stream.write("\n".join(["", *kept]) + "\n")


def annotation(level: str, message: str, *, title: str, at: Place | None) -> str:
    """``::error file=...,line=...,title=...::message``, on one line."""
    words = {"title": title}
    if at is not None:
        words = {"file": at.path, **({"line": str(at.line)} if at.line is not None else {}), **words}
    told = ",".join(f"{name}={_property(visible(value))}" for name, value in words.items())
    return f"::{level} {told}::{_escaped(visible(message, lines=True))}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
