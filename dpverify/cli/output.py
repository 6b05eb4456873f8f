"""Where results go: a file, standard output alone, or a table for people."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import typer

from dpverify.cli.first_line import LINES, FirstLine
from dpverify.core.errors import InputError
from dpverify.core.record import Record

if TYPE_CHECKING:
    from dpverify.core.note import Telling
    from dpverify.core.record import Writer


@contextmanager
def prints_to_stderr(*, bounded: bool = False) -> Iterator[None]:
    """Context around subjects: what they print goes to standard error, and does not mix with results (`FirstLine`).

    With `bounded` no more than `LINES` lines of standard error are shown in all, ours among them, where it is no
    terminal. Changes of the process that affect results (streams, working directory, recursion limit, umask) are
    undone.
    """
    streams, limit, umask = (sys.stdout, sys.stderr), sys.getrecursionlimit(), os.umask(0o077)
    os.umask(umask)
    kept = [_kept(os.dup, number) for number in (1, 2)]
    here = _kept(os.open, ".", os.O_RDONLY)
    said: Any = FirstLine(sys.stderr)
    error: Any = FirstLine(sys.stderr, LINES if bounded and not sys.stderr.isatty() else sys.maxsize)
    try:
        with redirect_stdout(said), redirect_stderr(error):
            yield
    finally:
        sys.setrecursionlimit(limit)
        os.umask(umask)
        with suppress(OSError):  # a subject may have closed all descriptors
            for number, one in zip((1, 2), kept, strict=True):
                os.dup2(one, number)
        sys.stdout, sys.stderr = (_open_again(stream) for stream in streams)
        for each in (said, error):
            each.below = sys.stderr
            each.tell_the_rest()
        with suppress(OSError):
            os.fchdir(here)
        for one in (*kept, here):
            with suppress(OSError):
                os.close(one)


def _kept(descriptor: Callable[..., int], *arguments: Any) -> int:
    """A descriptor of the working directory; -1 where it was deleted or the system cannot open directories."""
    try:
        return descriptor(*arguments)
    except OSError:
        return -1


def _open_again(stream: TextIO) -> TextIO:
    """The stream, or a new one to standard error where a subject closed it."""
    if not getattr(stream, "closed", False):
        return stream
    try:
        return open(2, "w", closefd=False)
    except OSError:  # the mechanism has closed that, too: the parent tells the verdict
        return open(os.devnull, "w")


def check_target(target: str | None, events: Path | None = None, *, option: str = "--json") -> None:
    """Check before the work that the files of ``--json`` (or another `option`) and ``--events`` can be written."""
    if target not in (None, "-"):
        path = Path(str(target))
        if path.is_dir() or (path.parent.exists() and not path.parent.is_dir()):
            raise InputError(f"cannot write {option} {path}", allowed="a file in a folder")
    if events is not None and (events.is_dir() or not events.parent.is_dir()):
        raise InputError(f"cannot write --events {events}", allowed="a file in a folder that is there")


def emit(target: str | None, text: str, *, tell: Telling | None = None) -> bool:
    """Write the JSON result; True when standard output is free for text.

    Where there is a verdict, a file that cannot be written is a fault of `tell`.
    """
    if target is None:
        return True
    if target == "-":
        sys.stdout.write(text)
        return False
    from dpverify.runner.atomic_files import write_atomically

    write = partial(write_atomically, Path(target), text)
    write() if tell is None else tell(f"--json {target}", write, None)
    return True


def show(
    target: str | None, values: Any, lines: Iterable[str], *, quiet: bool = False, tell: Telling | None = None
) -> None:
    """`emit` the values, show the lines where standard output is free for them, and say what could not be told."""
    from dpverify.core.json_text import dump
    from dpverify.core.note import Telling

    tell = tell or Telling(quotes=True)
    if emit(target, dump(values), tell=tell) and not quiet:
        for line in lines:
            typer.echo(line)
    warn(tell.faults)


def at_work(doing: str, *, quiet: bool = False) -> Any:
    """A context with a line in the terminal that says what is done; not where it is `quiet`, or no terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    return console.status(doing) if console.is_terminal and not quiet else nullcontext()


def say(line: str, *, quiet: bool = False) -> None:
    """A line on standard error."""
    if not quiet:
        typer.echo(f"dpverify: {line}", err=True)


def emit_records(
    target: str | None, records: Sequence[Record], *, quiet: bool = False, tell: Telling | None = None
) -> bool:
    """`emit` an array of records; where it takes standard output, the conclusion goes to standard error."""
    from dpverify.core.json_text import dump
    from dpverify.core.printable import all_visible
    from dpverify.reporting.conclusion import conclusion

    if target is None:
        return True
    free = emit(target, dump(_with_risks(records, tell)), tell=tell)
    if not free and not quiet:
        say = partial(conclusion, all_visible(records))
        if said := say() if tell is None else tell("the conclusion", say, ""):
            sys.stderr.write(f"dpverify: {said}\n")
    return free


def _with_risks(records: Sequence[Record], tell: Telling | None) -> Sequence[Record]:
    """The records, each with an attacker's chances: those of a claim of somebody's own may fail to be computed."""
    from dpverify.reporting.risk_table import with_risk

    def told() -> Sequence[Record]:
        return [with_risk(item) for item in records]

    return told() if tell is None else tell("an attacker's chances", told, records)


def write_reports(
    writers: Sequence[Writer], records: Sequence[Record], folder: Path, *, title: str, tell: Telling
) -> list[str]:
    """Write the reports, those of the records first, and return their paths; what fails is a fault of `tell`."""
    made = [
        tell(f"the report {one.name}", partial(one.write, records, folder, title=title), None)
        for one in sorted(writers, key=lambda one: one.name != "json")
    ]
    return [str(path) for path in made if path is not None]


def print_result(item: Record, *, notes: Sequence[str], tell: Telling, verbose: bool = True) -> None:
    """Print the result of one audit; where its text cannot be made, the verdict alone."""
    from rich.console import Console

    from dpverify.reporting.terminal import one_result

    def told() -> bool:
        one_result(item, Console(), notes=notes, verbose=verbose)
        return True

    if not tell("the text of the result", told, False):
        print_verdicts([item])


def print_verdicts(records: Sequence[Record]) -> None:
    """Print a line a record, of what every record has."""
    from dpverify.core.printable import visible

    for item in records:
        sys.stdout.write(visible(f"{item['id']}: {item['verdict']}: {item['guarantee']} of {item['subject']}") + "\n")


def warn(faults: Sequence[str]) -> None:
    """Print what could not be made, on standard error."""
    sys.stderr.writelines(f"dpverify: warning: {fault}\n" for fault in faults)


def record_command(*, hide_data: bool = False) -> str:
    """The command line as a record tells it: without options that only say where results go."""
    import shlex

    from dpverify.runner.command_options import without_options

    return shlex.join(
        without_options(shlex.split(command_text(hide_data=hide_data)), ("--json", "--events", "--proof"))
    )


def command_text(*, hide_data: bool = False) -> str:
    """The command line, quoted for the shell; with `hide_data`, records typed for ``--data`` are left out."""
    import shlex

    words, hidden = ["dpverify"], False
    for word in sys.argv[1:]:
        name, given, value = word.partition("=")
        if hide_data and (hidden or (name == "--data" and given)) and not Path(value if not hidden else word).is_file():
            word = "EXAMPLE" if hidden else "--data=EXAMPLE"
        hidden = word == "--data"
        words.append(word)
    return shlex.join(words)


def resume_command() -> str:
    """The command line with --resume, which continues the run."""
    return command_text() if "--resume" in sys.argv else f"{command_text()} --resume"
