"""Guards a unit in a worker process: printed text goes to a file, and memory is limited.

An exit, a crash, a signal or an endless loop of a subject then ends its process only. From a folder the parent reads
which process had the unit, since when, and the last printed lines. Works on Linux and macOS; memory is limited where
the system can do that.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpverify.runner.atomic_files import write_atomically
from dpverify.runner.memory import limit_files, limit_memory
from dpverify.runner.process_tree import children, kill_children

LINES, CHARACTERS = 3, 400
"""Most characters of printed text in an error's line."""

READ, MOST_KEPT = 2**16, 2**26
"""Bytes of printed text that are read, and the size from which the file is emptied."""

TOLD_EVERY = 0.5
"""Seconds between two reports of a unit's progress."""

FATAL = "Fatal Python error"


@contextmanager
def guarded(folder: Path, place: int, *, memory: int | None) -> Iterator[None]:
    """Guard one unit in a worker: redirect its printed text to a file and limit its memory to `memory` bytes.

    A file tells the parent that the unit has begun. Processes that the unit leaves behind are ended.
    """
    _mark(folder, place, begun=None)
    before = frozenset(children(os.getpid()))
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the parent handles Ctrl-C
    limit_files()
    if memory is not None:
        limit_memory(memory)
    printed_file(folder, place).unlink(missing_ok=True)
    with printed_file(folder, place).open("ab", buffering=0) as target, _redirected(target.fileno()):
        _here.file, _here.told, this = folder / f"{place}.now", 0.0, os.getpid()
        try:
            yield
        finally:
            _here.file = None
            if os.getpid() == this:
                kill_children(before, goes_on=True)


def begin_audits() -> None:
    """Called in the worker when the audits begin: the time limit starts now, after imports and the plan."""
    if _here.file is not None:
        _mark(_here.file.parent, int(_here.file.stem), begun=time.monotonic())


def _mark(folder: Path, place: int, *, begun: float | None) -> None:
    write_atomically(
        begun_file(folder, place), json.dumps({"pid": os.getpid(), "begun": begun, "taken": time.monotonic()})
    )


@dataclass(slots=True)
class _Here:
    """The file in which the unit of this process reports its progress."""

    file: Path | None = None
    told: float = 0.0


_here = _Here()


def report_progress(message: str, share: float) -> None:
    """Called in the worker: report the unit's progress; does nothing outside `guarded`."""
    if _here.file is not None and time.monotonic() - _here.told >= TOLD_EVERY:
        _here.told = time.monotonic()
        with suppress(OSError):
            _here.file.write_text(json.dumps([message, share]))


def last_progress(folder: Path, place: int) -> tuple[str, float] | None:
    """The last progress report of the unit at `place`; None without one, or while it is being written."""
    try:
        message, share = json.loads((folder / f"{place}.now").read_text())
        return str(message), float(share)
    except (OSError, ValueError, TypeError):
        return None


def begun_file(folder: Path, place: int) -> Path:
    """The file that exists once a worker has taken the unit."""
    return folder / f"{place}.begun"


def printed_file(folder: Path, place: int) -> Path:
    """The file with everything written to standard output and standard error, by Python or C code."""
    return folder / f"{place}.out"


def worker_of_unit(folder: Path, place: int) -> dict[str, Any] | None:
    """The worker of a unit (``pid``), and when it took the unit (``worker_of_unit``) and began its audits (``begun``).

    Times are seconds of the monotonic clock, which all processes share; ``begun`` is None before. The result is None
    when no worker has the unit.
    """
    try:
        return dict(json.loads(begun_file(folder, place).read_text()))
    except (OSError, ValueError):
        return None


def empty_if_large(folder: Path, place: int) -> None:
    """Empty the file of printed text when it is too large; called by the parent now and then."""
    with suppress(OSError):
        if printed_file(folder, place).stat().st_size > MOST_KEPT:
            os.truncate(printed_file(folder, place), 0)  # the worker appends, so it continues at the new end


def last_lines(folder: Path, place: int) -> str:
    """The end of the printed text, as one printable line; empty when nothing was printed."""
    try:
        with printed_file(folder, place).open("rb") as stream:
            stream.seek(0, os.SEEK_END)
            stream.seek(max(0, stream.tell() - READ))
            text = stream.read().decode(errors="replace")
    except OSError:
        return ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    fatal = next((number for number, line in enumerate(lines, start=1) if line.startswith(FATAL)), len(lines))
    lines = lines[:fatal]  # the interpreter's stack traces that follow are left out
    shown = " / ".join("".join(c if c.isprintable() else "?" for c in line) for line in lines[-LINES:])
    return shown if len(shown) <= CHARACTERS else f"... {shown[-CHARACTERS:]}"


@contextmanager
def _redirected(target: int) -> Iterator[None]:
    """Redirect descriptors 1 and 2, so that output of C code and child processes is included, line by line in order.

    A line that waited in a buffer would be lost with a worker that dies, whose last words are what is asked for.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    buffered = getattr(sys.stdout, "line_buffering", None) is False
    if buffered:
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    before = os.dup(1), os.dup(2)
    os.dup2(target, 1)
    os.dup2(target, 2)
    try:
        yield
    finally:
        with suppress(ValueError, OSError):
            sys.stdout.flush()
            sys.stderr.flush()
            if buffered:
                sys.stdout.reconfigure(line_buffering=False)  # type: ignore[union-attr]
        for number, kept in zip((1, 2), before, strict=True):
            os.dup2(kept, number)
            os.close(kept)
