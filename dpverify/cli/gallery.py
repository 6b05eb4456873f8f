"""`dpverify gallery`: real bugs of real releases, each found again by one command."""

from __future__ import annotations

import shutil
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from dpverify.cli.options import Json
from dpverify.cli.output import at_work, check_target, emit, prints_to_stderr, say, show
from dpverify.core.errors import InputError, exit_status


def gallery(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Show one bug in full.")] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List all bugs, a line each (as without a name).")] = False,
    run: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Install the release into an environment of its own, and look again."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="With --run: write the record and the picture there.")
    ] = None,
    json: Json = None,
) -> None:
    """Show real bugs of real releases, and find each again.

    With --run it exits with 1 when the look does not come out as the gallery says, with 3 when it could not be made.
    """
    from dpverify.core.json_text import dump
    from dpverify.gallery.result import entries

    if (name is not None) + list_all + (run is not None) > 1:
        raise InputError("a name, --list and --run together", allowed="one of them")
    if out is not None and run is None:
        raise InputError("--out without --run", allowed="--run NAME --out DIR")
    check_target(json)
    if run is not None:
        raise typer.Exit(_run(run, out, json))
    if name is not None:
        raise typer.Exit(_show(name, json))
    rows = entries()
    if emit(json, dump([{"name": bug["name"], "title": bug["title"], "record": item} for bug, item in rows])):
        wide = shutil.get_terminal_size().columns if sys.stdout.isatty() else 200
        width = max(len(bug["name"]) for bug, _ in rows)
        for bug, item in rows:
            said = "not run" if item is None else item["verdict"].replace("_", " ")
            line = f"{bug['name']:<{width}}  {said:<11}  {bug['title']}"
            typer.echo(line if len(line) <= wide else f"{line[: wide - 3].rstrip()}...")


def _show(name: str, json: str | None) -> int:
    """One bug, as its file and its committed record tell it."""
    from dpverify.core.plugins import registry
    from dpverify.gallery.result import as_mapping, read_record
    from dpverify.reporting.gallery_lines import lines

    found, item = as_mapping(registry().bugs.get(name)), read_record(name)
    show(json, {**found, "record": item}, lines(found, item))
    return 0


def _run(name: str, out: Path | None, json: str | None) -> int:
    """Look again, and compare with what the gallery says."""
    from dpverify.core.note import Telling
    from dpverify.core.plugins import registry
    from dpverify.gallery.measure import as_expected, measure
    from dpverify.gallery.result import as_mapping, write_record
    from dpverify.reporting.gallery_lines import lines, picture_of
    from dpverify.runner.atomic_files import write_atomically
    from dpverify.runner.memory import limit_memory_with_children, share_of_machine

    found = registry().bugs.get(name)
    limit_memory_with_children(share_of_machine())
    with at_work(f"looking at {name}"), prints_to_stderr():
        item = measure(found, say=say)
    tell, written = Telling(quotes=True), list[Any]()
    if out is not None:
        written.append(tell("the record", partial(write_record, item, out), None))
        if (picture := picture_of(item)) is not None:
            written.append(tell("the picture", partial(write_atomically, out / f"{name}.svg", picture), None))
    for path in filter(None, written):
        say(f"written: {path}")
    show(json, item, lines(as_mapping(found), item), tell=tell)
    return exit_status(["error" if item["verdict"] == "error" else "" if as_expected(item) else "differs"])
