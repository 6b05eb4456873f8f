"""One entry of a suite file, audited as `dp_audit` audits: the callable imported, its data read, the gate asked."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpverify.adapters.bound import bound
from dpverify.adapters.literals import SUFFIXES, load_dataset
from dpverify.adapters.named_callable import load_callable
from dpverify.assertion import audit_asked
from dpverify.audits.asked import Asked
from dpverify.audits.audit_result import AuditResult
from dpverify.core.errors import InputError
from dpverify.neighbourhood.redact import hiding
from dpverify.programs.command import Command
from dpverify.runner.audited_files import digests, module_files, program_files, subject_version
from dpverify.suite_file.entry import Entry
from dpverify.suite_file.faults import DATA


def audited(
    entry: Entry,
    asked: Asked,
    *,
    progress: Callable[[str, float], None] | None = None,
    show_records: bool = False,
) -> AuditResult:
    """The audit of an entry, in a process of its own where that can be.

    `asked`: all that is asked of this entry (`Asked.over`). `show_records`: whether records of the example may be
    shown, in errors, too.

    Raises
    ------
    InputError
        For bad data, and a mechanism that raises or cannot be imported.
    AuditError
        For a mechanism that ends its process, or takes too long.
    """
    with importing(entry):
        words = arguments(entry)
        with nullcontext() if show_records else hiding([words[key] for key in DATA if key in words]):
            result = audit_asked(mechanism_of(entry), asked, **words, progress=progress, show_records=show_records)
    return with_command(result, entry, asked)


def with_command(result: AuditResult, entry: Entry, asked: Asked) -> AuditResult:
    """The result, whose row names the command that makes the audit again from the file."""
    finding = result.finding
    row = replace(finding.row, reproduce=again(entry, asked, finding.draws))
    return replace(result, finding=replace(finding, row=row))


def location(entry: Entry) -> dict[str, str | int]:
    """Say where the entry stands, for records."""
    return {"file": shown(entry.file), "line": entry.line}


def subject_of(entry: Entry) -> dict[str, dict[str, str]]:
    """``files``, SHA-256 of all that the entry audits, and ``subject_version``; before the audit, without an import."""
    if entry.program:
        files = program_files(entry.mechanism, entry.file.parent)
    else:
        files = module_files(entry.mechanism, entry.python_path)
    return {"files": digests(files), "subject_version": subject_version(files)}


@contextmanager
def importing(entry: Entry) -> Iterator[None]:
    """Modules beside the suite file can be imported, after all that are installed, so that they shadow none."""
    added = [str(each) for each in entry.python_path if str(each) not in sys.path]
    sys.path.extend(added)
    try:
        yield
    finally:
        sys.path[:] = [each for each in sys.path if each not in added]


def mechanism_of(entry: Entry) -> Callable[..., Any]:
    """The callable, with its parameters, or the program; InputError where it cannot be imported or is not there."""
    if entry.program:
        program = Command(entry.mechanism, outputs=entry.program, folder=entry.file.parent)
        program.check()
        return program
    return bound(load_callable(entry.mechanism), entry.parameters)  # type: ignore[no-any-return]


def arguments(entry: Entry) -> dict[str, Any]:
    """The arguments of ``dpverify.audit``, its data sets read; InputError for data that cannot be."""
    words = {**entry.words, "claim": entry.claim, "name": entry.name}
    words |= {key: _data(entry, key) for key in DATA if key in words}
    bounds = words.get("bounds")
    if isinstance(bounds, list):
        words["bounds"] = tuple(bounds)
    elif isinstance(bounds, dict):
        words["bounds"] = {name: tuple(ends) for name, ends in bounds.items()}
    return words


def _data(entry: Entry, key: str) -> Any:
    value = entry.words[key]
    if isinstance(value, str):
        if Path(value).suffix not in SUFFIXES:
            raise InputError(
                f"{key} = {value!r}", allowed=f"an array, a table, or a file ending in {', '.join(SUFFIXES)}"
            )
        return load_dataset(str(entry.file.parent / value), key)
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        raise InputError(
            f"{key} holds a date, a time, or a number that is not finite",
            allowed="finite numbers, texts, true and false",
        ) from None
    return value


def again(entry: Entry, asked: Asked, draws: int | None = None) -> str:
    """The command that makes this audit again, with its number of draws, where seconds were turned into one."""
    whole, trials = asked.complete(), draws or asked.trials
    words: list[object] = ["dpverify", "run", shown(entry.file), "--only", entry.name, "--seed", whole.seed]
    words += ["--confidence", 1.0 - asked.rate]
    words += ["--trials", trials] if trials else []
    words += ["--seconds", asked.seconds] if asked.seconds is not None else []
    words += ["--detect", whole.detect] if whole.detect is not None else []
    return shlex.join(str(word) for word in words)


def shown(file: Path) -> str:
    """The suite file as seen from the working directory."""
    try:
        return Path(os.path.relpath(file)).as_posix()
    except (ValueError, OSError):  # another drive; no working directory
        return file.name
