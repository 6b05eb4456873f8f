"""The command line. Exit status: 0 as expected, 1 a surprise, 2 bad input (one line), 3 an audit not completed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from dpverify import __version__
from dpverify.cli import account, audit, history, ledger, listing, recheck, run, scores
from dpverify.cli.listing import KINDS
from dpverify.cli.suites import ListsSuites
from dpverify.cli.words import completed
from dpverify.core.errors import DpverifyError, one_line

__all__ = ["KINDS", "app", "main"]

app = typer.Typer(
    name="dpverify",
    help="Tells whether a differential-privacy claim is true.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

# In the order of --help.
app.command("run", cls=ListsSuites)(run.run)
app.command("audit")(audit.audit)
app.command("scores")(scores.scores)
app.command("account")(account.account)
app.command("ledger")(ledger.ledger)
app.command("history")(history.history)
app.command("recheck")(recheck.recheck)
app.command("list")(listing.list_)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Tells whether a differential-privacy claim is true."""
    if version:
        typer.echo(f"dpverify {__version__}")
        raise typer.Exit(0)


def main() -> None:
    """Entry point: whatever goes wrong is one line on standard error and an exit status."""
    # The working directory is importable, behind everything that is installed, so that it cannot shadow it.
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        status = app(args=completed(sys.argv[1:]), standalone_mode=False)
    except DpverifyError as problem:
        _fail(str(problem), problem.exit_status)
    except KeyboardInterrupt:
        _fail("interrupted", 130)
    except BrokenPipeError:
        sys.exit(1)
    except Exception as problem:  # noqa: BLE001 - no traceback reaches a user
        message = getattr(problem, "format_message", None)
        if message is None:
            _fail(f"internal error: {type(problem).__name__}: {problem}; please report it", 3)
        _fail(f"{message()}; `dpverify --help` shows the commands", 2)
    sys.exit(int(status or 0))


def _fail(message: str, status: int) -> NoReturn:
    sys.stderr.write(f"dpverify: {one_line(message)}\n")
    sys.exit(status)
