"""Where results go: a file, standard output alone, or a table for people."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, redirect_stdout
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError


def prints_to_stderr() -> AbstractContextManager[Any]:
    """What subjects print must not stand among results."""
    return redirect_stdout(sys.stderr)


def check_target(target: str | None) -> None:
    """Refuse a place that cannot be written to before the work is done, not after."""
    if target not in (None, "-"):
        path = Path(str(target))
        if path.is_dir() or (path.parent.exists() and not path.parent.is_dir()):
            raise InputError(f"cannot write --json {path}", allowed="a file in a folder")


def emit(target: str | None, text: str) -> bool:
    """Write JSON where it is wanted; True when people may be told something on standard output too."""
    if target is None:
        return True
    if target == "-":
        sys.stdout.write(text)
        return False
    from dpverify.runner.files import write_whole

    write_whole(Path(target), text)
    return True


def typed() -> str:
    """The command line as the shell reads it."""
    import shlex

    return shlex.join(["dpverify", *sys.argv[1:]])


def typed_again() -> str:
    """The same with --resume."""
    return typed() if "--resume" in sys.argv else f"{typed()} --resume"
