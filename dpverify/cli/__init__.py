"""The command line. Exit status: 0 as expected, 1 not as expected, 2 bad input, 3 an audit was not completed.

141 when the reader of standard output is gone (a shell's status for a broken pipe); 130 after Ctrl-C.

Completion by the shell: what typer installs and prints for bash, zsh, fish and PowerShell, and its answers.

No code but ours is imported here, and only the command that has been typed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from dpverify.cli.commands import COMMANDS, COMPLETION


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

    if asked(words):
        return complete(words)
    from dpverify.cli.parent_process import run_watched_command

    return run_watched_command()


VARIABLE = "_DPVERIFY_COMPLETE"
"""Set by the shell when it asks."""

TYPED = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""What has been typed, as bash and as the other shells say it."""


def asked(words: Sequence[str]) -> bool:
    """Tell whether the shell asks, or the user for the shell's script."""
    return VARIABLE in os.environ or (bool(words) and words[0].partition("=")[0] in COMPLETION)


def complete(words: Sequence[str]) -> int:
    """Answer; returns the exit status."""
    from dpverify.cli.command_line import application

    typed = next((os.environ[name].split() for name in TYPED if name in os.environ), [])
    command = next((word for word in typed[1:2] if word in COMMANDS), "")
    app = application([command] if command else [], completes=True)
    try:
        app(args=list(words), prog_name="dpverify")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0
