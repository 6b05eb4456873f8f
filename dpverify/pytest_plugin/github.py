"""A session's audits in a GitHub job: annotations on the tests' own lines, and a part of the job's summary."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from dpverify.pytest_plugin.summary import mark_of
from dpverify.reporting.github_job import MOST_ANNOTATIONS, add_to_summary, annotation, enter_job
from dpverify.reporting.markdown_text import code, prose, row
from dpverify.reporting.sarif_location import Place

LEVELS = {
    "refuted": "error",
    "below": "error",
    "untested": "error",
    "error": "error",
    "unsupported": "error",
    "inconclusive": "warning",
}


def show_in_job(audits: Sequence[tuple[Any, str]]) -> None:
    """Show each audit of the session; nothing inside another run.

    Parameters
    ----------
    audits : sequence of (pytest.TestReport, JSON text)
        The report of the test, and what was found.
    """
    if not enter_job():
        return
    lines: dict[str, list[str]] = {"error": [], "warning": []}
    told = ["## dpverify in pytest", "", row(["", "test", "claim", "found"]), row(["---"] * 4)]
    for report, text in audits:
        found = json.loads(text)
        verdict, says = found["verdict"], found.get("lines") or [found.get("reason", "")]
        mark = mark_of(found)
        level = {"accepted": None, "caught": None, "MISSED": "error"}.get(mark, LEVELS.get(verdict))
        if level is not None and len(lines[level]) < MOST_ANNOTATIONS:
            message = "\n".join([f"{found['claim']}: {verdict.replace('_', ' ')}", *says])
            lines[level].append(annotation(level, message, title=f"dpverify: {report.nodeid}", at=_place(report)))
        told.append(row([prose(mark), code(report.nodeid), prose(found["claim"]), prose(says[0])]))
    sys.stdout.writelines(f"{line}\n" for line in (*lines["error"], *lines["warning"]))
    add_to_summary([*told, ""])


def _place(report: Any) -> Place | None:
    file, line, _ = report.location
    path = PurePosixPath(str(file).replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts:
        return None
    return Place(uri=quote(path.as_posix()), line=None if line is None else line + 1)
