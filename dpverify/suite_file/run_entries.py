"""Runs the entries of a suite file in worker processes, each audit in a process of its own below its worker.

Every audit has its own random streams, seed and false-alarm probability, so no number depends on which others run, on
the number of workers, or on their order. (Seconds become a number of draws by a clock; with `trials` nothing does.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from dpverify.audits.asked import Asked
from dpverify.audits.finding import Finding
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import DpverifyError, one_line
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status
from dpverify.neighbourhood.redact import without_records
from dpverify.reporting.checked_records import DIFFERS, contradiction
from dpverify.runner.limits import Limits
from dpverify.runner.pool import Pool, Seen
from dpverify.runner.record import record
from dpverify.runner.subprocess_guard import begin_audits, report_progress
from dpverify.suite_file.audit_entry import again, audited, shown
from dpverify.suite_file.check import CheckedEntry
from dpverify.suite_file.entry import Entry
from dpverify.suite_file.warm import warm


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """An entry that is ready to be audited: what is asked of it, and its claim."""

    entry: Entry
    asked: Asked
    suite_entry: SuiteEntry = field(repr=False)

    @classmethod
    def of(cls, entry: Entry, asked: Asked, checked: CheckedEntry) -> Job:
        """The job of an entry that was checked."""
        claim = Claim(
            id=entry.name,
            guarantee=checked.guarantee,
            relation=checked.relation,
            subject=entry.mechanism,
            source=Source(paper=shown(entry.file), locus=f"line {entry.line}"),
            space=SearchSpace(),
        )
        return cls(entry=entry, asked=asked, suite_entry=SuiteEntry(claim=claim, expectation=entry.expect, suites=()))

    def undecided(self, status: Status, reason: str) -> Finding:
        """Return a finding that has no evidence, and says why."""
        found = Finding.without_evidence(self.suite_entry, status, reason, seed=self.asked.seed or 0)
        return replace(found, row=replace(found.row, reproduce=again(self.entry, self.asked)))


def run_entries(
    jobs: Sequence[Job],
    *,
    workers: int,
    limits: Limits,
    deadline: float | None = None,
    seen: Seen | None = None,
    show_records: bool = False,
) -> Iterator[tuple[int, Finding]]:
    """Places of jobs with their findings, as they finish; those that are left at the deadline (monotonic) are missing.

    A mechanism that raises, or that ends, floods or hangs its process, is a row with the verdict ``error``.
    """
    if not jobs:
        return
    work = partial(_audit_there, tuple((job.entry, job.asked) for job in jobs), show_records)
    with Pool(work, jobs=min(workers, len(jobs)), limits=limits, seen=seen) as pool:
        for place, found, problem in pool.run(range(len(jobs)), deadline=deadline):
            job = jobs[place]
            if found is None:
                data = [] if show_records else job.entry.typed_data()
                yield place, job.undecided(Status.ERROR, without_records(problem, data))
            elif "problem" in found:
                yield place, job.undecided(Status.ERROR, found["problem"])
            else:
                finding = Finding.of_values(found, job.suite_entry)
                if fault := contradiction(record(finding.row), exact="methods" in job.entry.words):
                    finding = job.undecided(Status.ERROR, f"{DIFFERS}: {fault}")
                yield place, finding


def _audit_there(entries: tuple[tuple[Entry, Asked], ...], show_records: bool, place: int) -> dict[str, Any]:
    """Audit in a worker; the plain values make the row again."""
    entry, asked = entries[place]
    warm()
    begin_audits()
    try:
        return audited(entry, asked, progress=report_progress, show_records=show_records).finding.values()
    except DpverifyError as problem:
        return {"problem": one_line(str(problem))}
