"""The command line. Exit status: 0 as expected, 1 not as expected, 2 bad input, 3 an audit was not completed.

141 when the reader of standard output is gone (a shell's status for a broken pipe); 130 after Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def main() -> None:
    """Entry point: any failure, even of an import, is one line on standard error and an exit status."""
    status = 3
    try:
        status = _status(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    except BaseException as problem:  # noqa: BLE001 - Python's own status for it is 1, which means refuted
        with suppress(Exception):  # standard error is closed
            sys.stderr.write(f"dpverify: cannot start: {type(problem).__name__}: {' '.join(str(problem).split())}\n")
    sys.exit(status)


def _status(words: list[str]) -> int:
    """The exit status; the version and the help are printed here, since they need no other import and no watchdog."""
    if words in ([], ["--help"], ["--version"]) and "_DPVERIFY_COMPLETE" not in os.environ:
        from dpverify.cli.commands import help_text, version_text
        from dpverify.cli.printing import open_all, printed, width

        open_all()
        if words == ["--version"]:
            return printed(version_text())
        return printed(help_text(width())) or (0 if words else 2)
    from dpverify.cli.completion import asked, complete

    if asked(words):
        return complete(words)
    from dpverify.cli.parent_process import run_watched_command

    return run_watched_command()
