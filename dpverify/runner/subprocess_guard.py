"""Inside a worker process: the mechanism's printed text goes to a file, and its memory is limited.

What a subject does to its process (exit, a crash, a signal, an endless loop) then ends that process and nothing else;
the parent reads from the folder who was at work, since when, and the last lines that were printed. Linux and macOS;
where the system has no limit on memory, there is none.
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

from dpverify.runner.atomic_files import write_whole
from dpverify.runner.memory import limit_memory
from dpverify.runner.process_tree import children, end_children

LINES, CHARACTERS = 3, 400
"""Of what was printed last, in an error's one line."""

READ, MOST_KEPT = 2**16, 2**26
"""Bytes of what was printed: those that are looked at, and those from which on a file begins anew."""

TOLD_EVERY = 0.5
"""Seconds between two words on how far a unit is."""

FATAL = "Fatal Python error"


@contextmanager
def guarded(folder: Path, place: int, *, memory: int | None) -> Iterator[None]:
    """In a worker, around one unit: its mark for the parent, its prints in a file, its memory under `memory` bytes.
    Whatever it has started and left behind is ended."""
    _mark(folder, place, begun=None)
    before = frozenset(children(os.getpid()))
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears of Ctrl-C, and decides
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
                end_children(before, goes_on=True)


def begin() -> None:
    """From inside: the claim's own work begins, and with it its time; what came before (imports, the plan) is ours."""
    if _here.file is not None:
        _mark(_here.file.parent, int(_here.file.stem), begun=time.monotonic())


def _mark(folder: Path, place: int, *, begun: float | None) -> None:
    write_whole(begun_file(folder, place), json.dumps({"pid": os.getpid(), "begun": begun, "taken": time.monotonic()}))


@dataclass(slots=True)
class _Here:
    """Where the unit at work in this process says how far it is."""

    file: Path | None = None
    told: float = 0.0


_here = _Here()


def tell(message: str, share: float) -> None:
    """From inside: how far the unit is, for whoever watches; nothing where nobody does."""
    if _here.file is not None and time.monotonic() - _here.told >= TOLD_EVERY:
        _here.told = time.monotonic()
        with suppress(OSError):
            _here.file.write_text(json.dumps([message, share]))


def told(folder: Path, place: int) -> tuple[str, float] | None:
    """What the unit at `place` told last; None when it told nothing, or is just telling."""
    try:
        message, share = json.loads((folder / f"{place}.now").read_text())
        return str(message), float(share)
    except (OSError, ValueError, TypeError):
        return None


def begun_file(folder: Path, place: int) -> Path:
    """Is there once a worker has taken the unit."""
    return folder / f"{place}.begun"


def printed_file(folder: Path, place: int) -> Path:
    """Whatever was written to standard output and standard error, by Python or below it."""
    return folder / f"{place}.out"


def taken(folder: Path, place: int) -> dict[str, Any] | None:
    """Who has the unit (``pid``), since when (``taken``), and since when it is at the claim's own work (``begun``, None
    before): seconds of the monotonic clock, which all processes share. None when nobody has it."""
    try:
        return dict(json.loads(begun_file(folder, place).read_text()))
    except (OSError, ValueError):
        return None


def shorten(folder: Path, place: int) -> None:
    """Begin the file anew where too much was printed; for whoever watches, now and then."""
    with suppress(OSError):
        if printed_file(folder, place).stat().st_size > MOST_KEPT:
            os.truncate(printed_file(folder, place), 0)  # it is appended to, from there


def last_lines(folder: Path, place: int) -> str:
    """The end of what was printed, as one line that can be shown; empty when nothing was."""
    try:
        with printed_file(folder, place).open("rb") as stream:
            stream.seek(0, os.SEEK_END)
            stream.seek(max(0, stream.tell() - READ))
            text = stream.read().decode(errors="replace")
    except OSError:
        return ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    fatal = next((number for number, line in enumerate(lines, start=1) if line.startswith(FATAL)), len(lines))
    lines = lines[:fatal]  # the stacks that follow are the interpreter's, for its developers
    shown = " / ".join("".join(c if c.isprintable() else "?" for c in line) for line in lines[-LINES:])
    return shown if len(shown) <= CHARACTERS else f"... {shown[-CHARACTERS:]}"


@contextmanager
def _redirected(target: int) -> Iterator[None]:
    """Descriptors 1 and 2, so that C code and children are caught too."""
    sys.stdout.flush()
    sys.stderr.flush()
    before = os.dup(1), os.dup(2)
    os.dup2(target, 1)
    os.dup2(target, 2)
    try:
        yield
    finally:
        with suppress(ValueError, OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        for number, kept in zip((1, 2), before, strict=True):
            os.dup2(kept, number)
            os.close(kept)
