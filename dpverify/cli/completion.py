"""Completion by the shell: what typer installs and prints for bash, zsh, fish and PowerShell, and its answers.

No code but ours is imported here, and only the command that has been typed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from dpverify.cli.commands import COMMANDS, COMPLETION

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
