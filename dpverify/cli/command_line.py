"""Reads the command line and calls the command; what goes wrong in any of them is one line and an exit status."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from dpverify.cli.commands import COMMANDS, OPTIONS, SUMMARY, help_text, place_of, version_text
from dpverify.cli.once import Once
from dpverify.cli.printing import width
from dpverify.core.errors import AuditError, DpverifyError, InputError
from dpverify.runner.watched_process import ReportedError, unforeseen

NAMING = frozenset(
    {"audit", "audit-accountant", "check-proof", "check-training", "frontier", "init", "replay", "run", "sampler"}
)
"""Commands by which the user names code to be run."""


def _with_ctrl_c(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command: Ctrl-C ends it with one line; a KeyboardInterrupt raised by other code is an error."""

    @wraps(command)
    def heard(**options: Any) -> None:
        try:
            command(**options)
        except KeyboardInterrupt as problem:
            raise ReportedError(*unforeseen(problem)) from None

    return heard


class _OwnHelp(TyperGroup):
    """A group whose help is made from the table of commands, as that of `dpverify --help` alone is."""

    def get_help(self, ctx: Any) -> str:
        """The text without the last line's end."""
        return help_text(width()).rstrip("\n")


def application(words: Sequence[str], *, completes: bool = False) -> typer.Typer:
    """The command that these words name, ready to be called; with all commands, where they begin with none.

    Only what is asked for is imported. Where it `completes`, commands that are not named are names and no more.
    """
    app = typer.Typer(
        name="dpverify",
        cls=_OwnHelp,
        help=SUMMARY,
        invoke_without_command=True,
        no_args_is_help=True,
        add_completion=completes,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(root)
    named = bool(words) and words[0] in COMMANDS
    for name in words[:1] if named else COMMANDS:
        if completes and not named:
            app.command(name, help=COMMANDS[name])(_nothing)
            continue
        module, function = place_of(name)
        found = import_module(module)
        app.command(name, cls=getattr(found, "COMMAND", Once))(_with_ctrl_c(getattr(found, function)))
    return app


def _nothing() -> None:
    """Stand for a command of which only the name is asked."""


def root(version: Annotated[bool, typer.Option("--version", help=OPTIONS["--version"])] = False) -> None:
    """Print the version, if that is asked for."""
    if version:
        typer.echo(version_text(), nl=False)
        raise typer.Exit(0)


def command_line() -> int:
    """Run the command; returns the exit status. Known failures are DpverifyErrors."""
    _import_from_working_directory()
    try:
        words = completed_arguments(sys.argv[1:])
        return int(application(words)(args=words, standalone_mode=False) or 0)
    except DpverifyError:
        raise
    except SystemExit as problem:
        raise AuditError(f"code that was run or imported tried to exit dpverify (SystemExit: {problem.code})") from None
    except FileNotFoundError:
        if _working_directory():
            raise
        raise InputError(
            "the working directory was deleted", allowed="one that is there", remedy="`cd` to another one"
        ) from None
    except Exception as problem:
        message = getattr(problem, "format_message", None)
        if message is None:
            raise
        raise ReportedError(f"{message().rstrip('.')}; {_where_to_look()}", 2) from None


def _where_to_look() -> str:
    """The help of the command that was typed, or else of all."""
    name = next(iter(sys.argv[1:]), "")
    return f"`dpverify {name} --help` shows its options" if name in COMMANDS else "`dpverify --help` shows the commands"


def _import_from_working_directory() -> None:
    """Make the working directory importable for commands that run what the user names, after all installed packages.

    So it cannot shadow them; no other command looks there, and none for plug-ins.
    """
    from dpverify.core.plugins import leave_out_working_directory

    leave_out_working_directory()
    if sys.argv[1:2] and sys.argv[1] in NAMING and (here := _working_directory()) and here not in sys.path:
        sys.path.append(here)


def _working_directory() -> str:
    """The working directory; empty when it was deleted."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


_OPTION = re.compile(r"-[^\d.]")


def completed_arguments(words: list[str]) -> list[str]:
    """Complete the arguments: ``--json`` alone means standard output; ``--poisson-gaussian q steps`` gets sigma '?'."""
    filled: list[str] = []
    for index, word in enumerate(words):
        filled.append(word)
        values = _values(words[index + 1 :])
        if word == "--json" and not values:
            filled.append("-")
        if words[index - 1 : index] == ["--poisson-gaussian"] and len(_values(words[index:])) == 2:
            filled.append("?")
    return filled


def _values(words: list[str]) -> list[str]:
    """The arguments up to the next option; ``-`` alone and negative numbers are values."""
    ends = (index for index, word in enumerate(words) if _OPTION.match(word))
    return words[: next(ends, len(words))]
