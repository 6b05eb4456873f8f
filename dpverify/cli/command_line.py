"""The commands and their names; what goes wrong in any of them is one line and an exit status."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from dpverify import __version__
from dpverify.cli import account, audit, history, ledger, listing, recheck, run, scores
from dpverify.cli.arguments import completed_arguments
from dpverify.cli.suites import ListsSuites
from dpverify.core.errors import AuditError, DpverifyError, InputError, one_line
from dpverify.runner.watched_process import ReportedError, unforeseen

app = typer.Typer(
    name="dpverify",
    help="Audit differential-privacy claims: is a claim true?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _with_ctrl_c(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command: Ctrl-C ends it with one line; a KeyboardInterrupt raised by other code is an error."""

    @wraps(command)
    def heard(**options: Any) -> None:
        try:
            command(**options)
        except KeyboardInterrupt as problem:
            raise ReportedError(*unforeseen(problem)) from None

    return heard


# In the order of --help.
app.command("run", cls=ListsSuites)(_with_ctrl_c(run.run))
app.command("audit")(_with_ctrl_c(audit.audit))
app.command("scores")(_with_ctrl_c(scores.scores))
app.command("account")(_with_ctrl_c(account.account))
app.command("ledger")(_with_ctrl_c(ledger.ledger))
app.command("history")(_with_ctrl_c(history.history))
app.command("recheck")(_with_ctrl_c(recheck.recheck))
app.command("list")(_with_ctrl_c(listing.list_))


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Audit differential-privacy claims: is a claim true?"""
    if version:
        typer.echo(f"dpverify {__version__}")
        raise typer.Exit(0)


def command_line() -> int:
    """Run the command; returns the exit status. Known failures are DpverifyErrors."""
    _import_from_working_directory()
    try:
        return int(app(args=completed_arguments(sys.argv[1:]), standalone_mode=False) or 0)
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
        raise ReportedError(f"{message()}; `dpverify --help` shows the commands", 2) from None


def unwatched() -> NoReturn:
    """Run the command in this process, without a watchdog; for tests that look inside."""
    try:
        status = command_line()
    except DpverifyError as problem:
        line, status = str(problem), problem.exit_status
    except BaseException as problem:  # noqa: BLE001 - no traceback reaches a user
        line, status = unforeseen(problem)
    else:
        sys.exit(status)
    sys.stderr.write(f"dpverify: {one_line(line)}\n")
    sys.exit(status)


def _import_from_working_directory() -> None:
    """Make the working directory importable, after all installed packages, so that it cannot shadow them."""
    if (here := _working_directory()) and here not in sys.path:
        sys.path.append(here)


def _working_directory() -> str:
    """The working directory; empty when it was deleted."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""
