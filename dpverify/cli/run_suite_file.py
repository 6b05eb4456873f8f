"""`dpverify run` of a suite file: its entries checked, audited, judged, and reported as the rows of any suite."""

from __future__ import annotations

import datetime
import fnmatch
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

import typer

from dpverify.cli.output import check_target, prints_to_stderr
from dpverify.cli.run_messages import report_run, say_how_to_resume, unfinished_text
from dpverify.core.errors import INTERRUPTED, InputError, exit_status

if TYPE_CHECKING:
    from dpverify.audits.asked import Asked
    from dpverify.code_key.key import CodeKey
    from dpverify.core.record import Record
    from dpverify.runner.limits import Limits
    from dpverify.suite_file.entry import SuiteFile
    from dpverify.suite_file.run_entries import Job


def suite_file_named(suite: str | None) -> Path | None:
    """The suite file that is meant: found upwards where nothing is named; None for the name of a built-in suite."""
    if suite is None:
        from dpverify.suite_file.find import find

        return find(Path.cwd())
    return Path(suite) if suite.endswith(".toml") else None


def run_suite_file(
    path: Path,
    typed: Asked,
    *,
    only: str,
    workers: int,
    limits: Limits,
    out: Path,
    formats: str,
    resume: bool,
    quiet: bool,
    show_records: bool,
    events: Path | None,
    json: str | None,
) -> NoReturn:
    """Run a suite file; `typed` is what the command line asks of its audits.

    Exits with 1 where a claim is refuted, with 2 for faults of the file, with 3 where an audit was not completed (and,
    with ``strict``, where a pass says too little).
    """
    from dpverify.core.plugins import registry
    from dpverify.reporting.outcome import outcome
    from dpverify.runner.atomic_files import check_folder
    from dpverify.runner.plan_fingerprint import of_machine
    from dpverify.runner.regressions import used_folder
    from dpverify.runner.store.open_run import open_run
    from dpverify.runner.store.past_runs import of_audits
    from dpverify.suite_file.audit_entry import shown
    from dpverify.suite_file.check import check, settings_of
    from dpverify.suite_file.read import SuiteFileError, read
    from dpverify.suite_file.run_entries import Job

    begun, known = time.perf_counter(), registry()
    writers = [known.writers.get(name) for name in formats.split(",") if name]
    check_target(json, events)
    check_folder(out)
    try:
        suite = read(path)
        typed = replace(typed, regressions=used_folder(typed.regressions, below=suite.path.parent))
        chosen = _chosen(suite, typed, only)
        with prints_to_stderr():
            checked = check(chosen, definitions=dict(known.definitions.items()), keys=True)
    except SuiteFileError as problem:
        sys.stderr.writelines(f"dpverify: {line}\n" for line in problem.lines)
        raise typer.Exit(problem.exit_status) from None
    if suite.told:
        sys.stderr.write(f"dpverify: {suite.told}\n")
    jobs = [Job.of(entry, asked, each) for (entry, asked), each in zip(chosen, checked, strict=True)]
    codes = {job.entry.name: each.code for job, each in zip(jobs, checked, strict=True)}
    settings = {entry.name: settings_of(entry, asked) for entry, asked in chosen}
    provenance = of_machine() | of_audits({name: code.text for name, code in codes.items()}, settings)
    words = {**_words(typed.over(suite.asked)), "suite": _from(out, suite.path), "only": only}
    title = f"dpverify run {shown(suite.path)}"
    with open_run(out, shown(suite.path), words, provenance, resume=resume) as now, say_how_to_resume():
        how: dict[str, Any] = {"codes": codes, "workers": workers, "limits": limits, "show_records": show_records}
        records, rows = _audited(now, jobs, title=title, quiet=quiet, events=events, **how)
    with say_how_to_resume():
        report_run(
            records,
            title=title,
            begun=begun,
            only=only,
            writers=writers,
            out=out,
            quiet=quiet,
            json=json,
        )
    sys.stderr.write(unfinished_text(rows))
    if any(row.cut == "interrupted" for row in rows):
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(exit_status([*map(outcome, records), "incomplete" if _cut(rows) else ""]))


def _words(asked: Asked) -> dict[str, Any]:
    """Return what the store knows the run by, beside its file and its audits."""
    never = {"methods": None, "regressions": None}  # which runs of built-in suites have
    seed, profile = asked.seed or 0, asked.profile or "quick"
    return {"confidence": 1.0 - asked.rate, "profile": profile, "seed": seed, "trials": asked.trials, **never}


def _from(out: Path, file: Path) -> str:
    """The suite file as seen from the store: the same from each working folder, and where both have moved."""
    try:
        return Path(os.path.relpath(file.resolve(), out.resolve())).as_posix()
    except ValueError:  # another drive
        return str(file.resolve())


def _cut(rows: Sequence[Any]) -> bool:
    return any(row.cut for row in rows)


def _chosen(suite: SuiteFile, typed: Asked, only: str) -> list[tuple[Any, Asked]]:
    """The entries whose name matches, each with all that is asked of it."""
    found = [
        (entry, typed.over(entry.asked.over(suite.asked)))
        for entry in suite.entries
        if fnmatch.fnmatchcase(entry.name, only)
    ]
    if not found:
        names = ", ".join(entry.name for entry in suite.entries)
        raise InputError(f"--only {only!r} matches no audit of {suite.path.name}", allowed=names)
    return found


def _audited(
    now: Any,
    jobs: Sequence[Job],
    *,
    title: str,
    codes: Mapping[str, CodeKey],
    workers: int,
    limits: Limits,
    quiet: bool,
    events: Path | None,
    show_records: bool,
) -> tuple[list[Record], list[Any]]:
    """The records of all jobs in their order (those of an earlier attempt from the store), and the rows made now."""
    from dpverify.core.verdict import Status
    from dpverify.reporting.events import EventWatcher, event_file
    from dpverify.reporting.progress import ProgressDisplay
    from dpverify.suite_file.audit_entry import subject_of
    from dpverify.suite_file.run_entries import run_entries

    sys.stderr.writelines(f"dpverify: {line}\n" for line in now.mended)
    kept: dict[str, Record] = now.store.records(now.run) if now.finished else {}
    told: dict[str, list[str]] = {name: now.store.chunks(now.run, name, "gate", "told").get(0, []) for name in kept}
    for name in [name for name in kept if codes[name].unknown]:
        del kept[name], told[name]
        why = f"nothing tells whether its code has changed: {codes[name].unknown}"
        sys.stderr.write(f"dpverify: {name} is audited again: {why}\n")
    left = [job for job in jobs if job.entry.name not in kept]
    subjects = {job.entry.name: subject_of(job.entry) for job in left}  # as they are before the audit
    if kept and not quiet:
        sys.stderr.write(f"Resuming run {now.run}: {len(kept)} of {len(jobs)} claims were finished.\n")
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    rows, cut = [], "out of time"
    display = ProgressDisplay(len(left), quiet=quiet)
    with display, event_file(events, claims=len(left), title=title) as written, prints_to_stderr():
        watch = EventWatcher(events=written, beside=display)

        def seen(place: int, message: str, share: float) -> None:
            watch.step(left[place].entry.name, message, share)

        running = run_entries(
            left, workers=workers, limits=limits, deadline=deadline, seen=seen, show_records=show_records
        )
        try:
            for place, finding in running:
                row, found, lines = _finished(left[place], finding, subjects)
                kept[row.id] = found
                if not row.cut:
                    now.store.put_chunks(now.run, row.id, "gate", "told", [(0, lines)])
                now.keep(row, found)
                rows.append(row)
                told[row.id] = lines
                watch.finish(row)
        except KeyboardInterrupt:
            cut = "interrupted"
        for job in left:
            if job.entry.name not in kept:
                when = (
                    "when the run was interrupted"
                    if cut == "interrupted"
                    else f"within {limits.seconds:g} s (--max-seconds)"
                )
                why = f"not finished {when}"
                finding = job.undecided(Status.INCONCLUSIVE, f"{why}; --resume goes on with it")
                row, found, _ = _finished(job, finding, subjects)
                kept[row.id] = found
                rows.append(replace(row, cut=cut))
    now.state = "cut" if _cut(rows) else "done"
    sys.stderr.writelines(f"dpverify: {line}\n" for job in jobs for line in told.get(job.entry.name, []))
    return [kept[job.entry.name] for job in jobs], rows


def _finished(job: Job, finding: Any, subjects: Mapping[str, Any]) -> tuple[Any, Record, list[str]]:
    """The row, judged; its record; and what the author of the file should know."""
    from dpverify.audits.judges import judged_for_suite
    from dpverify.core.verdict import Status
    from dpverify.runner.record import record
    from dpverify.suite_file.acceptance import accepted_record, known_of
    from dpverify.suite_file.audit_entry import location

    today = datetime.datetime.now().astimezone().date()
    found = judged_for_suite(finding, known_of(job.entry, strict=bool(job.asked.strict), today=today))
    row = found.row
    expected = (found.fails and not found.accepted) or found.status is not Status.INCONCLUSIVE
    entry = replace(row.entry, expectation=job.entry.expect if expected and not found.accepted else None)
    said = [row.verdict.reason, found.accepted, *found.told] if found.fails or found.accepted else [row.verdict.reason]
    reason = "; ".join(dict.fromkeys(each for each in said if each))
    row = replace(row, entry=entry, verdict=replace(row.verdict, reason=reason))
    about: dict[str, Any] = {
        "notes": list(map(str, found.notes)),
        "location": location(job.entry),
        **subjects[job.entry.name],
        **(accepted_record(job.entry) if found.accepted else {}),
    }
    lines = [f"{row.id}: {told}" for told in [*found.told, *([found.accepted] if found.accepted else [])]]
    return row, cast("Record", {**record(row), **about}), lines
