"""`dpverify list`: what is registered."""

from __future__ import annotations

import shutil
import sys
from itertools import groupby
from typing import Annotated

import typer

from dpverify.cli.options import Json
from dpverify.cli.output import emit
from dpverify.cli.suites import suite_lines
from dpverify.core.errors import InputError
from dpverify.core.listing import SECTIONS, listing

KINDS = (*SECTIONS, "suites")


def list_(
    kind: Annotated[str, typer.Argument(help=", ".join(KINDS))],
    json: Json = None,
) -> None:
    """List what is registered."""
    from dpverify.core.json_text import dump
    from dpverify.core.plugins import registry

    if kind not in KINDS:
        raise InputError(f"list {kind!r}", allowed=", ".join(KINDS))
    if kind == "suites":
        rows = [{"name": name, "about": about} for name, about in suite_lines(registry())]
    else:
        rows = listing(registry(), kind)
    if emit(json, dump(rows)):
        wide = shutil.get_terminal_size().columns if sys.stdout.isatty() else 200
        for family, members in groupby(rows, key=lambda row: row.get("family", "")):
            several = list(members)
            if family:
                typer.echo(f"\n{family}" if several[0] is not rows[0] else family)
            width = max(len(row["name"]) for row in several)
            for row in several:
                typer.echo(shortened_line(f"{row['name']:<{width}}  {row['about']}", wide))


def shortened_line(text: str, width: int) -> str:
    """The text, shortened to fit one line."""
    return text if len(text) <= width else f"{text[: width - 3].rstrip()}..."
