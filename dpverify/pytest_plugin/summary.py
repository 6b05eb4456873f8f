"""The lines at the end of a session."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from dpverify.pytest_plugin.settings import Settings
from dpverify.reporting.github_job import MOST_ANNOTATIONS, add_to_summary, annotation, enter_job
from dpverify.reporting.markdown_text import code, prose, row
from dpverify.reporting.sarif_location import Place

MARK = {
    "refuted": "FAILED",
    "below": "FAILED",
    "untested": "FAILED",
    "not_refuted": "passed",
    "certified": "passed",
    "inconclusive": "NOTHING SEEN",
}


def mark_of(found: Mapping[str, Any]) -> str:
    """The word before an audit: what became of it, beside what was expected."""
    if found.get("expect") == "broken":
        return "caught" if found["verdict"] == "refuted" else "MISSED"
    word = "WEAK" if found.get("weak") and found["verdict"] == "not_refuted" else MARK.get(found["verdict"])
    return "accepted" if "accepted" in found else word or str(found["verdict"])


def write_summary(reporter: Any, audits: list[tuple[str, str]], settings: Settings) -> None:
    """One line an audit, then the false-alarm probability of all, and where the report is."""
    reporter.section("differential-privacy audits")
    for nodeid, text in audits:
        found = json.loads(text)
        reporter.write_line(f"{mark_of(found)}  {nodeid}: {found['claim']}")
        for line in found.get("lines", [found.get("reason", "")]):
            reporter.write_line(f"        {line}")
        if "accepted" in found:
            reporter.write_line(f"        {found['accepted']}")
        if found.get("stored"):
            reporter.write_line("        the verdict of the earlier run: no change was seen")
    rate = sum(json.loads(text).get("rate", 0.0) for _, text in audits)
    reporter.write_line(
        f"{len(audits)} audit{'' if len(audits) == 1 else 's'}; some true claim among them was refuted by chance with "
        f"probability at most {rate:.2g}. "
        "A pass is no proof: smaller violations, and others than on the pair that was tested, are not excluded."
    )
    if settings.report is not None:
        from dpverify.core.note import Telling
        from dpverify.pytest_plugin.report import write_report

        tell = Telling(quotes=True)
        nodeids = {nodeid for nodeid, _ in audits}
        written = tell("the report", partial(write_report, settings.report, nodeids, tell), [])
        reporter.write_line(f"report: {', '.join(map(str, written))}")
        for fault in tell.faults:
            reporter.write_line(f"warning: {fault}")


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
