"""Standard output and standard error of the process that the shell sees."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress

from dpverify.core.errors import one_line

BROKEN_PIPE = 141
"""A shell's exit status for a program that writes to a closed pipe (128 plus the signal's number)."""

SHOW_CURSOR = "\x1b[?25h"


def open_all() -> None:
    """Open descriptors 0, 1 and 2 where they are closed, so that no other file gets these numbers and printed text."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # open uses the lowest free number


def failed(line: str, status: int) -> int:
    """Print one line on standard error; returns the status."""
    with suppress(OSError, ValueError, AttributeError):  # closed, full, or not there
        shown = SHOW_CURSOR if sys.stderr.isatty() else ""
        sys.stderr.write(f"{shown}dpverify: {one_line(line)}\n")
        sys.stderr.flush()
    return status


def printed(text: str) -> int:
    """Print the text; returns 0, or the exit status when standard output fails."""
    if not text:
        return 0
    if sys.stdout is None:
        return failed("standard output is closed: the result is lost; --quiet needs none", 3)
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as problem:
        with suppress(OSError):  # otherwise Python tries again at exit, with another exit status
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(problem, BrokenPipeError):
            return BROKEN_PIPE
        return failed(f"cannot write to standard output: {problem.strerror or problem}", 3)
    return 0


def width() -> int:
    """Columns of the terminal, or what COLUMNS says; 80 where neither is known."""
    with suppress(ValueError, KeyError):
        if (said := int(os.environ["COLUMNS"])) > 0:
            return said
    with suppress(OSError, ValueError, AttributeError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    return 80


def wrapped(line: str) -> str:
    """Fold a line at the terminal's width; what goes on is indented two more."""
    import textwrap

    from dpverify.core.printable import all_visible

    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.fill(all_visible(line), width(), subsequent_indent=indent, break_on_hyphens=False)
