"""`dpverify list`: what is registered."""

from __future__ import annotations

from typing import Annotated

import typer

from dpverify.cli.options import Json
from dpverify.cli.output import emit
from dpverify.core.errors import InputError

KINDS = (
    "mechanisms",
    "known-broken",
    "lemmas",
    "auditors",
    "claims",
    "datasets",
    "accountants",
    "steps",
    "relations",
    "definitions",
    "writers",
)


def list_(
    kind: Annotated[str, typer.Argument(help=", ".join(KINDS))],
    json: Json = None,
) -> None:
    """List what is registered."""
    from dpverify.core.plugins import registry
    from dpverify.reporting.listing import listing
    from dpverify.runner.record import dump

    if kind not in KINDS:
        raise InputError(f"list {kind!r}", allowed=", ".join(KINDS))
    rows = listing(registry(), kind)
    if emit(json, dump(rows)):
        width = max((len(row["name"]) for row in rows), default=0)
        for row in rows:
            typer.echo(f"{row['name']:<{width}}  {row['about']}"[:200])
